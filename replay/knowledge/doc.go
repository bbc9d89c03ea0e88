// Package knowledge declares the kinds of item that an agent can lose in a compaction: a request, a decision, a
// failure, the running phase.
//
// One file declares one kind: how its items come from a fold, their room and place in a recovery text, and how an audit
// looks for them. Recovery texts and audits take their lists from here, so that both mean the same item by the same ID.
// The package is pure: no I/O, clock or randomness.
package knowledge
