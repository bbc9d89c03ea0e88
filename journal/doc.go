// Package journal is the log: where events are appended and read back in order.
//
// Log is the log itself, on a JetStream that it is handed: the embedded server
// of this machine, or a team's cluster. Only the owner of the log holds one that
// can append.
package journal
