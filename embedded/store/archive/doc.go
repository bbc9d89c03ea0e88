// Package archive is the second copy of a log: every stored message, in log
// order, in segment files beside the store, bound together by a rolling hash
// (ADR-0012 rule 8). One [Writer] follows the log; [Read] gives the records back, also
// from between damage; [Check] proves that nothing is missing, altered or
// reordered. A damaged archive is written anew whole, by a rebuild.
//
// docs/FORMAT.md describes the files for other languages.
package archive
