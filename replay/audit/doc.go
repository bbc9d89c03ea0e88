// Package audit reports, for every compaction of a session, what was known before it and what became of it (J.4).
//
// It reads only the log, no file, transcript or clock, so that the same log has the same report anywhere (ADR-0010 rule 1).
// Every status comes with evidence that a person can check. An item with weak evidence is unclear (ADR-0010 rule 8).
package audit
