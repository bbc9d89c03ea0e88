// Package journal is the log: where events are appended and read back in order.
//
// Log is the log itself, on a JetStream that it is handed: the embedded server
// of this machine, or a team's cluster. Only the owner of the log holds one that
// can append.
//
// Appender is for everybody else: hooks, scripts, Go programs. It hands events
// to the log's owner, or to the spool when no owner is there, and returns when
// they are durable in one of the two (J.1).
package journal
