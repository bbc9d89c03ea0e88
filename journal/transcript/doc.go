// Package transcript turns the transcript of an agent's session into what its
// hooks would have said, row by row: each becomes the payload of a hook and goes
// through the dialect that hooks go through, so that there is one reading of tools,
// one redaction and one set of limits (J.5).
//
// Rows that say nothing which a hook would have said are passed over. A row that is
// broken is counted and passed over too.
package transcript
