// Package worker holds the rules by which a worker that ran into the limit of its context is
// started again with less: what counts as such a failure (Detect), what is sent then (Reduce),
// and which attempt follows which (Recover). It is pure: no clock, no I/O, no randomness, and
// nothing is kept between calls, so that any executor can use it; `journal work detect` and
// `journal work reduce` are these functions on stdin and stdout, and
// docs/examples/context-limit-recovery.mjs spells the same rules in JavaScript, held together by
// testdata/cases.json (S4.1, S4.2, S4.6).
//
// Lengths are in characters that a person sees (grapheme clusters), never in bytes.
package worker
