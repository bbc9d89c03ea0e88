// Package events declares the events of the journal, and encodes them.
//
// It does no I/O and knows nothing of NATS, agents or folds. Apart from new ids nothing in it depends on the time. Of this
// module it imports only packages below it.
//
// Glossary:
//
//   - event: a past fact, a Go struct. It is declared once, in the file of its
//     family, with its stored name ("command.ran"), its versions and the hooks
//     from which it is recognised.
//   - envelope: an event as stored: who reported it and when (Meta), and the
//     event's own bytes (Body).
//   - hook: the content of one call of an agent's hook, in neutral terms; a dialect
//     (in its package below journal/agents) makes it from the agent's own JSON.
//   - report: all events of one hook, appended together. Its first event is the
//     cause of the others.
//   - session: one conversation of an agent; lane: one context within it, the
//     main lane (empty) or a subagent (its id). A compaction happens to a lane.
//   - project: the directory tree that a session works on, identified by a key.
//   - seq: the position of a stored event in the log, from 1. Only seq orders
//     events.
//   - echo: a second report of the same fact, by another hook process; kept,
//     marked and hidden from folds.
package events
