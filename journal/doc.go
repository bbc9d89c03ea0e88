// Package journal is the log: where events are appended and read back in order.
//
// Log is the log itself, on a given JetStream: the embedded server of this
// machine, or a team's cluster. Only the owner's Log can append.
package journal
