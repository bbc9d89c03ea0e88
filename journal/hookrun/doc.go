// Package hookrun handles one call of an agent: a hook, or one input of its statusline. The owner of the log calls Carried for
// a call that journal-hook sent to it. The program journal calls Hook and Statusline, which handle a call from its stdin to
// the end of the process.
//
// A process that handles a hook always ends with exit code 0. Unless recording is paused, the events of the hook are then
// in the log or in the spool, or the log file names them as undelivered; if the process was ended before it had them, as left.
package hookrun
