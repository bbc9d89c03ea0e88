// Package rebuild joins the two copies of a log, the store and the archive,
// into one: Inspect compares them and changes nothing, Rebuild writes a new
// store from what of both can be read, with every sequence kept (ADR-0012).
//
// A new store is made aside and exchanged in steps that are written down
// before the first of them; Resume goes on with them, or forgets what was not
// finished, after a crash. Whoever is about to own a log calls Resume first:
// between two steps the log has no store at its place, and a server would make
// an empty one.
package rebuild
