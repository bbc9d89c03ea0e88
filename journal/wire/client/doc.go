// Package client is for everybody but the owner of the log: hooks, scripts, Go
// programs. Its Appender hands events to the owner, or to the spool when no owner is
// there, and returns when they are durable in one of the two (J.1).
//
// It links no client of NATS: a hook is started for every call of a tool, and asks
// one question.
package client
