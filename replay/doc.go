// Package replay folds a log up to a point, compares two states of a fold, and finds in the log
// what a session is called.
//
// It reads from any Source: the journal, a slice, a file. It does no I/O of its
// own, reads no clock, and imports neither NATS nor the journal.
package replay
