// Package install adds the hooks and the status line of journal to the settings of a coding agent, and removes them.
//
// Planning only reads; [Plan.Apply] writes. All parts of the settings that are not ours keep their order, spelling and comments, and
// added text is indented like the first member of the file.
//
// Applying an installation keeps the previous bytes in [Options.Keep]. If the settings are as the installation left them, uninstalling
// restores these bytes, or removes the file if there was none. If the settings were changed since, it removes our parts, and the lists
// and objects that become empty.
//
// # Glossary
//
//   - agent: a program that calls hooks, such as Claude Code.
//   - event: an occasion at which the agent calls hooks, such as the end of a tool call, by the agent's name for it.
//   - entry: one hook of an event, {"type":"command","command":…}.
//   - group: an element of an event's list, {"matcher":…,"hooks":[entry…]}.
//   - ours: an entry or status line whose command runs journal.
package install
