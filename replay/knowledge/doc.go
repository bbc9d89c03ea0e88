// Package knowledge declares the kinds of item that an agent can lose in a compaction, such as requests, decisions and
// failures.
//
// A Def declares a kind: how its items come from a fold, how a recovery text shows them, and how an audit looks for them.
// order.go lists the kinds in the order of sections, of filling, and of lengthening. Recovery texts and audits take their
// items from here, so that both mean the same item by the same ID. The package is pure: no I/O, clock or randomness.
package knowledge
