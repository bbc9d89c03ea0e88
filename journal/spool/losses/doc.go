// Package losses counts events that could be stored neither in the log nor in the spool,
// and events that were stored before those in a spool that could not be read.
//
// The count is one small file of a journal directory, made with the directory and then
// written in place, which needs no further room on a full disk. Hooks and the owner
// write it under its lock. The file has two copies of the record, each with a number and a
// checksum. A write replaces the older one, so that a write torn by a power cut leaves the
// other intact.
//
// The owner turns the count into an event, log.gap, as soon as the log accepts one, in two
// steps: TakeDue moves the count into Due, and Settle clears Due when the event is stored.
// If an owner dies in between, the next one finds Due and stores the same event again.
package losses
