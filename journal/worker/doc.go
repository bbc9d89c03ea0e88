// Package worker retries tasks of workers that reached the limit of their context. Detect recognises
// such a failure, Reduce shortens the task, and Recover makes the attempts in order. The package is
// pure: it has no clock, no I/O, no randomness, and no state between calls, so any executor can use
// it. `journal work detect` and `journal work reduce` call these functions with stdin and stdout.
// docs/examples/context-limit-recovery.mjs implements the same rules in JavaScript, and
// testdata/cases.json tests both (S4.1, S4.2, S4.6).
//
// Lengths of prompts are in characters that a person sees (grapheme clusters), not in bytes.
package worker
