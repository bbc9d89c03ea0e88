// Package client is for all but the owner of the log: hooks, scripts, Go programs.
// Its Appender hands events to the owner, or to the spool if there is no owner, and
// returns when they are durable in one of the two (J.1).
//
// It does not link the NATS client: a hook starts at every tool call, and makes one
// request.
package client
