// Package install puts the hooks and the status line of journal into the
// settings of a coding agent, and takes them out again.
//
// Planning reads and decides; nothing is written before [Plan.Apply]. The
// settings stay the person's file: what is not ours keeps its order, its spelling and its
// comments, and what is added is indented as the first member of the file is.
//
// Applying an installation keeps the bytes from before it in [Options.Keep]. Uninstalling
// gives exactly these back, no file included, as long as the settings are as the
// installation left them. When somebody has changed them since, it takes out what is ours,
// and lists and objects that this leaves empty.
//
// # Glossary
//
//   - agent: a program whose hooks we want, such as Claude Code.
//   - event: a moment at which the agent calls hooks, named by the agent.
//   - entry: one hook of an event, {"type":"command","command":…}.
//   - group: what an event lists, {"matcher":…,"hooks":[entry…]}.
//   - ours: an entry or status line whose command runs journal.
package install
