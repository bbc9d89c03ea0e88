// Package transcript has what is common to the transcripts of coding agents: the
// steps that they are read as, the register of their formats, and the plan of an
// import, which says which steps the log lacks.
//
// A format turns the transcript of an agent's session into what its hooks would have
// said: each fact becomes the payload of a hook and goes through the dialect that
// hooks go through, so that there is one reading of tools, one redaction and one set
// of limits (J.5). It stands in the agent's package.
//
// Glossary:
//
//   - row: one entry of a transcript, a line as a rule.
//   - step: what one hook would have said.
//   - thread: the main thread, or a subagent; each is a lane of the session.
//   - stretch: steps that follow each other and that the log holds, or lacks.
package transcript
