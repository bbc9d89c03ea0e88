// Package worker has the rules for retrying, with less, a worker that ran into the limit of its
// context: what counts as such a failure (Detect), what is sent then (Reduce), and the order of
// attempts (Recover). It is pure: no clock, no I/O, no randomness, no state between calls, so any
// executor can use it. `journal work detect` and `journal work reduce` are these functions on stdin
// and stdout. docs/examples/context-limit-recovery.mjs implements the same rules in JavaScript;
// testdata/cases.json tests both (S4.1, S4.2, S4.6).
//
// Lengths are in characters that a person sees (grapheme clusters), never in bytes.
package worker
