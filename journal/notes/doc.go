// Package notes looks at the files in which people and skills keep working
// notes, lasting knowledge and workflow state.
//
// A hook calls it, which has neither a log nor a state: so it gives observations
// and never differences (ADR-0007 rule 1). To be cheap it remembers between
// processes how the files looked last, in one small file of hints. Losing the
// hints costs another observation and nothing else, because the owner of the log
// does not store what it has stored already.
//
// Whatever is wrong with a file costs the content of that file and nothing else (S1.11). Texts are redacted here, and
// parsed by the owner of the log (package outline).
package notes
