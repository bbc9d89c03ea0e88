// Package failure says whether a shell command failed though its exit code is 0.
//
// Agents run `go test ./... | tail -20`, and the shell reports how tail ended. A
// test that failed there is the first thing the agent has to know again after a
// compaction, and must not be told to it as a command that worked. So where a
// command hides exit codes (Hides) its whole output, before it is cut, is searched for
// declared marks of failure (Scanner), and the line that shows one is kept with the
// command.
//
// A mark is a line that a tool prints when it has failed, and hardly anything else
// does: a wrong alarm is worse than a missed one. Commands that only read and print
// files are not searched for what files can hold.
package failure
