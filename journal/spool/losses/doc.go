// Package losses counts events that could be stored neither in the log nor in the spool.
// It also counts events that overtook those in a spool that could not be read.
//
// Hooks that no program handled are lines of a file of their own (Unhandled). All other
// counts are in one small file of a journal directory. The file is made with the
// directory, and then written in place, which needs no room on a full disk. Hooks and the
// owner write it under its lock. The file has two copies of the record, each with a number
// and a checksum. A write replaces the older copy, so that a write torn by a power cut
// leaves the other intact.
//
// As soon as the log accepts events, the owner appends the count of lost events as a log.gap,
// in two steps: TakeDue moves the count into Due, and Settle clears Due when the log.gap is
// stored. If an owner dies in between, the next owner finds Due and stores the same log.gap.
package losses
