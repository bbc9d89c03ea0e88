// Package events says what can happen and how it is spelled in bytes.
//
// It is the vocabulary of the journal. It does no I/O, reads no clock and knows
// nothing of NATS, of agents or of folds: everything else imports it and it
// imports nothing of ours.
//
// Glossary, the same words everywhere:
//
//   - event: a past fact, a Go struct. It is declared in one place, in the file
//     of its family, with its stored name ("command.ran"), its versions and the
//     hooks that mean it.
//   - envelope: an event as it is stored, who said it and when (Meta), and the
//     event's own bytes (Body).
//   - hook: what one call of an agent's hook said, in neutral words; a dialect
//     (in its package below journal/agents) makes it from the agent's own JSON.
//   - report: all the events that one hook gave, appended together. Its first
//     event is the cause of the others.
//   - session: one conversation of an agent; lane: one context within it, the
//     main thread (empty) or a subagent (its id). A compaction happens to a lane.
//   - project: the directory tree a session works on, named by a key.
//   - seq: the position of a stored event in the log, from 1. Order is seq and
//     nothing else.
//   - echo: a second report of a fact that another hook process reported; kept,
//     marked and hidden from folds.
package events
