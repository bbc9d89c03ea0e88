// Package failure finds shell commands that failed although their exit code is 0.
//
// Agents run `go test ./... | tail -20`, and the shell reports the exit code of tail. A test that failed there must not be
// listed as a command that worked. So if a command hides exit codes (Hides), its whole output, before it is cut, is searched
// for known marks of failure (Scanner), and the line with the mark is stored with the command.
//
// A mark is a line that a tool prints when it has failed, and that hardly occurs otherwise: a false alarm is worse than
// a miss. The output of commands that only print existing content is searched only for errors of the shell itself.
package failure
