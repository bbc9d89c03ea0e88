package cli

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"journal/events/text"
)

// helpColumns is how wide the help is: what a terminal has that nobody widened.
const helpColumns = 80

// exits begins the last paragraph of the help of a verb. One without it has the usual codes.
const exits = "\n\nExit codes:"

// finish gives a command and those below it what all have in common.
func finish(a *App, c *cobra.Command) {
	complete(a, c)
	if c.Args == nil && c.RunE != nil {
		c.Args = takes
	}
	if _, library := libraryVerbs[c.Name()]; !library && c.Run == nil && (c.RunE != nil || c.HasSubCommands()) && !strings.Contains(c.Long, exits) {
		c.Long = cmp.Or(c.Long, c.Short) + exits + " 0; 1 failure; 2 usage."
	}
	if c.HasAvailableSubCommands() && !c.Runnable() {
		onlyVerbs(c)
	}
	for _, sub := range c.Commands() {
		finish(a, sub)
	}
}

// FoldLong breaks what a command says of itself for the width of the help. That is done for
// the one command that is asked for help: for all of them it takes 2 ms, which whoever waits
// for the start of an owner would wait too.
func FoldLong(c *cobra.Command) { c.Long = folded(cmp.Or(c.Long, c.Short), helpColumns) }

// helpTemplate is the usage of every command: cobra's own, its flags within the width.
func helpTemplate(cobras string) string {
	return strings.NewReplacer(
		".LocalFlags.FlagUsages", ".LocalFlags.FlagUsagesWrapped 80",
		".InheritedFlags.FlagUsages", ".InheritedFlags.FlagUsagesWrapped 80",
	).Replace(cobras)
}

// twoColumns is a line that says something of a word: what is said begins behind spaces.
var twoColumns = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ +\S.*?  +`) })

// folded breaks the paragraphs of a text anew. Lines that are indented stay as they are,
// but for a second column, which is as wide as there is room.
func folded(long string, columns int) string {
	var out, paragraph []string
	flush := func() {
		out = append(out, Wrapped(strings.Join(paragraph, " "), columns)...)
		paragraph = nil
	}
	for line := range strings.SplitSeq(long, "\n") {
		switch {
		case line == "" || line[0] == ' ' || line[0] == '\t':
			if paragraph != nil {
				flush()
			}
			head := twoColumns().FindString(line)
			if text.Columns(line) <= columns || head == "" {
				out = append(out, line)
				break
			}
			for i, said := range Wrapped(line[len(head):], columns-text.Columns(head)) {
				if i > 0 {
					head = strings.Repeat(" ", text.Columns(head))
				}
				out = append(out, head+said)
			}
		default:
			paragraph = append(paragraph, line)
		}
	}
	if paragraph != nil {
		flush()
	}
	return strings.Join(out, "\n")
}
