// Package rebuild compares and repairs the two copies of a log, the store and the archive. Inspect compares them without changes. Rebuild
// writes a new store from everything readable in both, and keeps every sequence (ADR-0012).
//
// Rebuild writes the new store to another path and exchanges it in steps. It writes a plan of the steps first; after a crash Resume
// completes them, or removes an unfinished copy. An owner calls Resume before anything else: between two steps there is no store, and a
// server would create an empty one.
package rebuild
