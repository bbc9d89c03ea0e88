// Package compile finds what is to be compiled: the directories of a project whose
// CLAUDE.md says something that their source does not do yet (S2.1–S2.3).
//
// It asks the git binary, in a few calls whatever the size of the project, and
// changes nothing but what WriteImplements is asked to write. Without git every
// directory with a CLAUDE.md is a target.
package compile
