// Package compile finds what must be compiled: the directories of a project whose
// CLAUDE.md says something that their source does not do yet (S2.1–S2.3).
//
// It runs git, a few calls for any size of project. Only WriteImplements changes
// files. Without git every directory with a CLAUDE.md is a target.
package compile
