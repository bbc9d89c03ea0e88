// Package sections reads what files of working notes, lasting knowledge and workflow
// state hold: the sections of their markdown, and the labels in those. The owner of
// the log calls it with the texts that hooks have observed (package observe).
package sections
