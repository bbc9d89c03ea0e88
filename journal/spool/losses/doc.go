// Package losses is the count of what could not be kept: events that neither the log nor
// the spool took, and reports that went past a spool which could not be read.
//
// It is one small file of a journal directory, made with the directory and from then on
// written in place: a full disk takes a write that needs no new room. Hooks and the owner
// write it under its lock. Two copies of the record take turns, each with a number and a
// checksum, so that a write torn by a power cut leaves the one before.
//
// The owner turns the count into an event, log.gap, as soon as the log takes one, in two
// steps: Due sets the count apart, and Settle forgets it when the event is stored. An owner
// that dies in between finds what it had set apart, and stores the same event again.
package losses
