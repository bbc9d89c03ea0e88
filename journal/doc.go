// Package journal is the log: where events are appended and read back in order.
//
// Log reads a log through its server, through the server's files, or from its
// files alone if it has no owner. Only an owner or a rebuild appends to a log.
package journal
