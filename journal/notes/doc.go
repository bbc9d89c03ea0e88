// Package notes observes the files in which people and skills keep working
// notes, learnings and workflow state.
//
// A hook calls it, which has neither a log nor a state, so it returns observations
// and never differences (ADR-0007 rule 1). To be cheap it remembers between
// processes how the files last looked, in one small file of hints. Losing the
// hints only costs another observation, because the owner of the log stores
// nothing twice.
//
// Whatever is wrong with a file, only the content of that file is lost (S1.11). Texts are redacted here, and
// parsed by the owner of the log (package sections).
//
// Markers are files of older tools: small JSON files in a project's .claude/context that say when its sessions were last compacted
// and compounded and how full the context is. They are written from the log, and read for the time before the log (S1.6, S1.15).
package notes
