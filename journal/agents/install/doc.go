// Package install puts the hooks and the status line of journal into the
// settings of a coding agent, and takes them out again.
//
// Planning reads and decides; nothing is written before [Plan.Apply]. The
// settings stay the person's file: the package never parses and prints it
// again, it splices. Every byte that is not ours (key order, indentation,
// spacing, line ends, escapes, a byte order mark) stays where it is, and what
// is inserted follows the layout around it.
//
// # Restoring the original bytes
//
// Uninstalling gives back the bytes from before the installation, without a
// backup and without a state file: what has to be remembered is remembered in
// the text, by the spacing of the parts that are ours.
//
//   - Appended after something: our text begins at the comma, so cutting from
//     the end of the predecessor to the end of ours restores the original.
//   - Put into a container that was there but empty: the original inner white
//     space, then the mark (two spaces) stand between the opening bracket and
//     our first item. Without the mark the container is ours and goes with its
//     last item.
//   - A file that did not exist: the mark follows the closing brace of the
//     root object; twice when the directory did not exist either, and three times when
//     the file held nothing but white space, which stands before the object.
//
// A formatter that rewrites the file destroys marks. Uninstalling then still
// removes exactly what is ours and errs on the side of less: an emptied list
// of hooks goes, an emptied file stays as {}.
//
// # Glossary
//
//   - agent: a program whose hooks we want, such as Claude Code.
//   - event: a moment at which the agent calls hooks, named by the agent.
//   - entry: one hook of an event, {"type":"command","command":…}.
//   - group: what an event lists, {"matcher":…,"hooks":[entry…]}.
//   - ours: an entry or status line whose command runs journal.
package install
