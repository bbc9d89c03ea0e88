// Package losses counts what could not be kept: events that neither the log nor the spool
// took, and reports that overtook a spool which could not be read.
//
// The count is one small file of a journal directory, made with the directory and then
// written in place: a full disk takes a write that needs no new room. Hooks and the owner
// write it under its lock. Two copies of the record take turns, each with a number and a
// checksum, so that a write torn by a power cut leaves the previous one intact.
//
// The owner turns the count into an event, log.gap, as soon as the log takes one, in two
// steps: Due sets the count apart, and Settle clears it when the event is stored. After an
// owner dies in between, the next one finds that count and stores the same event again.
package losses
