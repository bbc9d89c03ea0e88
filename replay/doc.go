// Package replay folds a log up to a point and says what an agent has to know
// again after its context was compacted.
//
// It reads from any Source: the journal, a slice, a file. It does no I/O of its
// own, reads no clock, and imports neither NATS nor the journal.
package replay
