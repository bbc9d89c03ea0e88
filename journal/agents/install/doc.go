// Package install adds the hooks and the status line of journal to the settings of a coding agent, and removes them
// again.
//
// Planning reads and decides; nothing is written before [Plan.Apply]. The settings stay the person's file: everything
// that is not ours keeps its order, spelling and comments, and added text is indented like the first member of the
// file.
//
// Applying an installation keeps the previous bytes in [Options.Keep]. Uninstalling restores exactly these, or removes
// the file if there was none, as long as the settings are as the installation left them. If somebody has changed them
// since, it removes what is ours, and the lists and objects left empty by that.
//
// # Glossary
//
//   - agent: a program whose hooks we want, such as Claude Code.
//   - event: a moment at which the agent calls hooks, named by the agent.
//   - entry: one hook of an event, {"type":"command","command":…}.
//   - group: an element of an event's list, {"matcher":…,"hooks":[entry…]}.
//   - ours: an entry or status line whose command runs journal.
package install
