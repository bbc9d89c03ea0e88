// Package hookrun is what an agent calls: one hook, or one input of its statusline,
// from stdin to exit code. Two programs are made of it: journal-hook, which links
// nothing else because an agent waits for every hook, and journal, which has
// everything.
//
// Whatever happens, the process ends with 0, and what the hook said is in the log, in
// the spool, or named as undelivered in the log file.
package hookrun
