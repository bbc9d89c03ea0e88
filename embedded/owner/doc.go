// Package owner is the one process that owns a log: it joins the embedded
// server, the log, the spool and replay.
//
// Its append is the single place where an event gets its place, its identity
// and its echo mark; a hook only says what it saw (ADR-0001).
package owner
