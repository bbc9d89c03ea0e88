// Package sections parses files of working notes and learnings into the sections of
// their markdown and the labels of these sections, and files of workflow state into
// labels. The owner of the log calls it with the texts that hooks have observed
// (package notes), and verbs with files that they read.
package sections
