// Package compile finds the directories of a project that must be compiled: their
// CLAUDE.md is newer than their source or not committed, or they have no source
// (S2.1–S2.3).
//
// It runs git, with a few calls for a project of any size. Only WriteImplements changes
// files. Without git every directory with a CLAUDE.md is a target.
package compile
