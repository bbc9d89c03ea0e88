// Package audit reports, for every compaction of a session, what was known before
// it and what became of it (J.4).
//
// It folds the log and nothing else: no file, transcript or clock is read, so
// that the same log has the same report anywhere (ADR-0010 rule 1). Every status
// comes with evidence that a person can check. Where the evidence is weak an
// item is unclear (ADR-0010 rule 8).
package audit
