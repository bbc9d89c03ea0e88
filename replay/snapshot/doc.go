// Package snapshot spells the state of a fold in bytes, so that a replay can begin
// there instead of at the empty log.
//
// A snapshot is a cache: whoever finds none, or one that does not fit, folds from
// the beginning and comes to the same states. It fits when everything that a state
// follows from is the same (DECISIONS 2.10): the epoch of the log and the record
// at the snapshot's sequence, the projections with their versions, the vocabulary
// that they read, and the configuration.
package snapshot
