package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wrongFor gives values that a flag may not have, and what is said of each; none for flags of texts.
func wrongFor(t *testing.T, f *pflag.Flag) (values []string, says string) {
	t.Helper()
	none := []string{"", "x", "1e3", "0x10", "-9223372036854775808", "99999999999999999999"}
	switch v := f.Value.(type) {
	case cli.Bounded[int]:
		holds(t, f, fmt.Sprint(v.Least), fmt.Sprint(v.Most))
		return append(none, "1.5", fmt.Sprint(v.Least-1), fmt.Sprint(v.Most+1)), fmt.Sprintf("is not a whole number from %d to %d", v.Least, v.Most)
	case cli.Bounded[time.Duration]:
		holds(t, f, v.Least.String(), v.Most.String())
		return append(none, "7", (v.Least - 1).String(), (v.Most + 1).String()), fmt.Sprintf(" from %v to %v", v.Least, v.Most)
	case *cli.Ordinal:
		holds(t, f, "1", "#9007199254740991")
		return append(none, "0", "-1", "9007199254740992"), "is not a number from 1 to 9007199254740991"
	case *cli.Moment:
		holds(t, f, "36525d", "5217w", "876600h", "0s")
		return append(none, "-5h", "36526d", "5218w", "876601h", "99999999999d"), "is no time"
	}
	if f.Value.Type() == "point" {
		holds(t, f, "36525d", "#9007199254740991", "before-compaction:2")
		return []string{"", "x", "-5h", "36526d", "99999999999999999999"}, "is no time"
	}
	if kinds := []string{"string", "stringArray", "bool", "func"}; !slices.Contains(kinds, f.Value.Type()) {
		t.Errorf("--%s takes a %s without bounds: CountFlag and DurationFlag have them", f.Name, f.Value.Type())
	}
	return nil, ""
}

// holds looks whether a flag takes its bounds.
func holds(t *testing.T, f *pflag.Flag, values ...string) {
	t.Helper()
	for _, s := range values {
		if err := f.Value.Set(s); err != nil {
			t.Errorf("--%s: %v", f.Name, err)
		}
	}
}

// Every number, duration and time on the command line has bounds, in one place, and what is beyond them is a mistake of
// whoever typed it: nothing is done, and nothing breaks.
func TestFlagsHaveBounds(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	tried := 0
	var each func(*cobra.Command)
	each = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			each(sub)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			values, says := wrongFor(t, f)
			for _, s := range values {
				tried++
				line := append(strings.Fields(c.CommandPath())[1:], "--"+f.Name+"="+s)
				t.Run(strings.Join(line, " "), func(t *testing.T) {
					t.Parallel()
					out, stderr, code := w.here(line...)
					if want := fmt.Sprintf("error: --%s: %q ", f.Name, s); code != cli.ExitUsage || out != "" || !strings.HasPrefix(stderr, want) || !strings.Contains(stderr, says+"\ntry: ") && says != "is no time" {
						t.Errorf("ends with %d, says %q, %q; want %s%s", code, out, stderr, want, says)
					}
				})
			}
		})
	}
	each(cli.NewApp().Commands())
	if tried < 100 {
		t.Errorf("%d values were tried: where are the flags?", tried)
	}
}
