// Package sections parses files of working notes, learnings and workflow state
// into the sections of their markdown and the labels of the sections. The owner of
// the log calls it with the texts that hooks have observed (package notes).
package sections
