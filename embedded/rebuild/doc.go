// Package rebuild compares and repairs the two copies of a log, the store and the
// archive. Inspect compares them without changes. Rebuild writes a new store from
// everything readable in both, and keeps every sequence (ADR-0012).
//
// The new store is made in another place and exchanged in steps. The steps are
// written down first, and after a crash Resume completes them, or removes an
// unfinished copy. An owner calls Resume before anything else: between two steps
// there is no store, and a server would make an empty one.
package rebuild
