// Package transcript turns the transcript of an agent's session into what its
// hooks would have said, row by row: each fact becomes the payload of a hook and
// goes through the dialect that hooks go through, so that there is one reading of
// tools, one redaction and one set of limits (J.5).
//
// The order of steps is that of the rows in the file. In every transcript that was
// looked at a row stands behind its parent, and rows of abandoned branches did
// happen; times are not monotonic (PROTOCOLS 1.11) and order nothing. A row whose
// uuid was seen already says nothing new.
//
// Glossary:
//
//   - row: one line of a transcript.
//   - step: what one hook would have said.
//   - thread: the main thread, or a subagent; each is a lane of the session.
//   - stretch: steps that follow each other and that the log holds, or lacks.
package transcript
