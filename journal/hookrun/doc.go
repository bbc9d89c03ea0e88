// Package hookrun handles one call of an agent: a hook, or one input of its statusline. It is called in three places: by the
// owner of the log, for a call that journal-hook sent to it (Carried), and by the program journal, from stdin to
// exit code (Hook).
//
// A process always ends with exit code 0. What the hook said is then in the log, in the spool, or named as undelivered in
// the log file.
package hookrun
