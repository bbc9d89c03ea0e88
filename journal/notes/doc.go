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
package notes
