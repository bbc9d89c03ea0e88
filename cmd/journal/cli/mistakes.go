package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// This file describes mistakes on the command line in plain words, because the libraries' messages name neither the
// right word nor the valid values.

// checkArguments checks arguments against the words of a verb's usage. WORD is required, [WORD] may be left out. WORD... and
// TEXT mean any number of arguments. If the first WORD is required and the verb has ValidArgs, the first argument must be one
// of these. A verb with " | " in its usage checks its arguments itself.
func checkArguments(c *cobra.Command, args []string) error {
	var words []string
	required, unbounded := 0, false
	usage := strings.Fields(c.Use)[1:]
	for i, w := range usage {
		if strings.HasPrefix(w, "-") || i > 0 && strings.HasPrefix(usage[i-1], "--") && usage[i-1] != "--" {
			continue // a flag, or its value; behind a bare -- stands an argument
		}
		words = append(words, w)
		bare := strings.TrimSuffix(w, "]")
		unbounded = unbounded || w == "TEXT" || strings.HasSuffix(bare, "...") || strings.HasSuffix(bare, "…")
		if w[0] != '[' {
			required = len(words)
		}
	}
	switch {
	case strings.Contains(c.Use, " | "):
		return nil
	case len(args) > 0 && required > 0 && len(c.ValidArgs) > 0 && !slices.Contains(c.ValidArgs, args[0]):
		return Usage(fmt.Errorf("%q is none of %s%s", args[0], OrList(c.ValidArgs), DidYouMean(args[0], c.ValidArgs)))
	case len(args) < required:
		return Usage(fmt.Errorf("missing %s", strings.TrimRight(words[len(args)], ".…")))
	case len(args) <= len(words) || unbounded:
		return nil
	case len(words) == 0:
		return Usage(fmt.Errorf("%s takes no %q", c.CommandPath(), args[0]))
	}
	return Usage(fmt.Errorf("%s takes at most %s", c.CommandPath(), strings.Join(words, " ")))
}

// onlyVerbs makes a command that only has subcommands refuse any other word, and print its help if there is no word.
func onlyVerbs(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	if allowsAgents(c) {
		AllowAgents(c) // so that an agent may read the help
	}
	c.RunE = func(c *cobra.Command, words []string) error {
		if len(words) == 0 {
			return c.Help()
		}
		var names []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(append(names, sub.Name()), sub.Aliases...)
			}
		}
		err := Usage(fmt.Errorf("%s has no command %q%s", c.CommandPath(), words[0], DidYouMean(words[0], names)))
		return WithHint(err, c.CommandPath()+" --help") // a hint of its own, because journal help calls this function, too
	}
}

// wrongFlag turns the library's error about a wrong flag into plain words.
func wrongFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	if words := c.Flags().Args(); len(words) > 0 && c.HasAvailableSubCommands() {
		return c.RunE(c, words) // returns the error of onlyVerbs: words[0] is no subcommand
	}
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			err = fmt.Errorf("%s has no flag -%s", c.CommandPath(), name)
			break
		}
		err = fmt.Errorf("%s has no flag --%s%s", c.CommandPath(), name, DidYouMean("--"+name, flagsOf(c)))
	case errors.As(err, &empty):
		err = fmt.Errorf("--%s needs a value: %s", empty.GetFlag().Name, empty.GetFlag().Usage)
	case errors.As(err, &value):
		why := value.Unwrap()
		if value.GetFlag().Value.Type() == "bool" { // the other kinds of flags have errors of their own
			why = fmt.Errorf("%q is not true or false", value.GetValue())
		}
		err = fmt.Errorf("--%s: %w", value.GetFlag().Name, why)
	}
	return Usage(err)
}

// flagsOf returns the flags that a command takes, with their dashes, sorted.
func flagsOf(c *cobra.Command) (names []string) {
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	}
	c.Flags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	slices.Sort(names)
	return slices.Compact(names)
}

// edits returns the edit distance of two words: the number of bytes to insert, delete or change, and of neighbouring bytes to
// swap.
func edits(a, b string) int {
	before, row, next := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 0
			if a[i] != b[j] {
				cost = 1
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, make([]int, len(b)+1)
	}
	return row[len(b)]
}

// nearest returns the words with the smallest edit distance to a mistyped one; none if that distance is more than
// 1 + len(typed)/4. If one word begins with the other, their distance counts as 1 at most, unless typed is a single byte. Case
// does not matter.
func nearest(typed string, words []string) (near []string) {
	typed = strings.ToLower(typed)
	smallest := 1 + len(typed)/4
	for _, word := range words {
		low := strings.ToLower(word)
		d := edits(typed, low)
		if len(typed) > 1 && (strings.HasPrefix(low, typed) || strings.HasPrefix(typed, low)) {
			d = min(d, 1)
		}
		switch {
		case d > smallest:
			continue
		case d < smallest:
			smallest, near = d, nil
		}
		near = append(near, word)
	}
	return near
}

// maxNearest bounds the words that an error suggests. If there are more, it suggests none.
const maxNearest = 5

// DidYouMean returns the end of an error message that suggests the nearest words for a mistyped one; empty if none is near.
func DidYouMean(typed string, words []string) string {
	near := nearest(typed, words)
	if len(near) == 0 || len(near) > maxNearest {
		return ""
	}
	return "; did you mean " + OrList(near) + "?"
}
