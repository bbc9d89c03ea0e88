package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"journal/events/text"
)

// helpColumns is the width of the help: that of a default terminal.
const helpColumns = 80

// exits begins the last paragraph of a verb's help, about exit codes. finish adds the usual ones to a help without it.
const exits = "\n\nExit codes:"

// ShowExits is the last paragraph of the help of a verb that shows a state, which may be empty.
const ShowExits = exits + " 0, also when there is nothing; 1 no journal yet, an unknown session or project,\nor failure; 2 usage."

// finish completes a command and its subcommands: it adds completion for the shell, the check of arguments, and exit codes in the
// help.
func finish(a *App, c *cobra.Command) {
	complete(a, c)
	if c.Args == nil && c.RunE != nil {
		c.Args = checkArguments
	}
	_, library := libraryVerbs[c.Name()]
	ours := !library && c.Run == nil && (c.RunE != nil || c.HasSubCommands())
	if ours && !strings.Contains(c.Long, exits) {
		c.Long = cmp.Or(c.Long, c.Short) + exits + " 0; 1 failure; 2 usage."
	}
	if c.HasAvailableSubCommands() && !c.Runnable() {
		onlyVerbs(c)
	}
	for _, sub := range c.Commands() {
		finish(a, sub)
	}
}

// FoldLong wraps the help text of a command to helpColumns. A released program calls it only for the command whose help is shown:
// for all commands it takes 2 ms, which would also delay the start of an owner.
func FoldLong(c *cobra.Command) { c.Long = folded(cmp.Or(c.Long, c.Short), helpColumns) }

// everything is the argument with which journal help lists all verbs.
const everything = "all"

// overview returns the help of the program: a line for each verb of the group Daily, the names of the verbs of the other groups,
// and where to find more help.
func overview(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n  journal COMMAND\n", folded(root.Long, helpColumns))
	for _, g := range root.Groups() {
		var names []string
		for _, c := range root.Commands() {
			if c.GroupID != g.ID || !c.IsAvailableCommand() && c.Name() != "help" {
				continue
			}
			names = append(names, c.Name())
			if g.ID == Daily {
				names[len(names)-1] = fmt.Sprintf("  %-11s %s", c.Name(), c.Short)
			}
		}
		if g.ID == Daily {
			fmt.Fprintf(&b, "\n%s\n%s\n", g.Title, strings.Join(names, "\n"))
			continue
		}
		list := Wrapped(strings.Join(names, ", "), helpColumns-2)
		fmt.Fprintf(&b, "\n%s\n  %s\n", g.Title, strings.Join(list, "\n  "))
	}
	b.WriteString(`
More:
  journal help all       every command in a line
  journal help COMMAND   what it does, its flags and exit codes
  journal help times     how flags take a time, a day or a point in a session
  journal help words     what compound, port, lane, flow, stock and such mean
`)
	return b.String()
}

// firstColumn matches the first of two columns in an indented line, with the two or more spaces behind it.
var firstColumn = text.Pattern(`^ +\S.*?  +`)

// folded wraps the paragraphs of a text. Indented lines stay as they are, except that a second column that is too wide is wrapped
// within its column.
func folded(long string, columns int) string {
	var out, paragraph []string
	flush := func() {
		if paragraph != nil {
			out = append(out, Wrapped(strings.Join(paragraph, " "), columns)...)
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(long, "\n") {
		switch {
		case line == "" || line[0] == ' ' || line[0] == '\t':
			flush()
			head := firstColumn().FindString(line)
			if text.Columns(line) <= columns || head == "" {
				out = append(out, line)
				break
			}
			for i, part := range Wrapped(line[len(head):], columns-text.Columns(head)) {
				if i > 0 {
					head = strings.Repeat(" ", text.Columns(head))
				}
				out = append(out, head+part)
			}
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return strings.Join(out, "\n")
}
