package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli/when"
	"journal/embedded/service"
	"journal/events"
	"journal/journal"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay/recovery"
)

// completeWait bounds what a person waits for behind the tab key.
const completeWait = 400 * time.Millisecond

// completion gives what may stand where a word is typed; a tab parts a word from what is
// said of it.
type completion func(context.Context, *App) []string

// completions are found by the name of a flag, or by the word for an argument in the usage.
var completions = map[string]completion{
	"session": sessionWords, "from": sessionWords,
	"type": typeWords, "TYPE": appendableWords,
	"projection": projectionWords,
	"lang":       func(context.Context, *App) []string { return recovery.Languages() },
}

// complete lets the shell complete the flags and arguments of a command.
func complete(a *App, c *cobra.Command) {
	for name, words := range completions {
		if c.LocalNonPersistentFlags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, shellWords(a, words)) // the flag is there
		}
		if _, takes, _ := strings.Cut(c.Use, " "); takes == name {
			c.ValidArgsFunction = shellWords(a, words)
		}
	}
	if c.ValidArgsFunction == nil && len(strings.Fields(c.Use)) == 1 {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
}

func shellWords(a *App, words completion) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) (fit []string, _ cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(c.Context(), completeWait)
		defer cancel()
		for _, w := range words(ctx, a) {
			if strings.HasPrefix(w, typed) {
				fit = append(fit, w)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp
	}
}

// sessionWords gives the sessions, the newest first, out of the log of an owner that
// runs: starting one takes longer than a person waits for a word.
func sessionWords(ctx context.Context, a *App) (words []string) {
	nc, err := service.Connect(ctx, a.Dir, nil)
	if err != nil {
		return nil
	}
	defer nc.Close()
	log, err := LogOver(ctx, a, nc)
	if err != nil {
		return nil
	}
	all, err := Sessions(ctx, a, log)
	if err != nil {
		return nil
	}
	active, err := newest(ctx, a, log, all)
	if err != nil {
		return nil
	}
	ids := journal.ShortIDs(all)
	for _, s := range active[:min(len(active), ShownSessions)] {
		words = append(words, ids[s.ID]+"\t"+Title(ctx, a, log, s.Project, s.ID))
	}
	return words
}

func typeWords(context.Context, *App) (words []string) {
	for _, d := range events.Declared() {
		words = append(words, string(d.Name)+"\t"+d.Doc)
	}
	return words
}

func appendableWords(context.Context, *App) (words []string) {
	for _, d := range events.Declared() {
		if d.Appendable {
			words = append(words, string(d.Name)+"\t"+d.Doc)
		}
	}
	return words
}

func projectionWords(context.Context, *App) (words []string) {
	for _, p := range projections.All() {
		words = append(words, p.Name()+"\t"+p.Doc())
	}
	return words
}

// Ordinal is a flag's number that counts from 1, as sequences and compactions do. Zero is
// that nobody gave it.
type Ordinal uint64

// String gives the number as a flag shows it.
func (o *Ordinal) String() string {
	if *o == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*o), 10)
}

// Type names the values of the flag.
func (o *Ordinal) Type() string { return "number" }

// Set takes a number, also as #42.
func (o *Ordinal) Set(s string) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n == 0 || n > maxOrdinal {
		return fmt.Errorf("%q is no number from 1 to %d", s, uint64(maxOrdinal))
	}
	*o = Ordinal(n)
	return nil
}

// OrList gives "a", "a or b", "a, b or c".
func OrList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Moment is a flag's point in time, or its whole day, in the forms of the package when.
type Moment struct{ when.Span }

// IsZero says that nobody gave it.
func (m *Moment) IsZero() bool { return m.From.IsZero() }

// String gives the time as a flag shows it.
func (m *Moment) String() string {
	if m.IsZero() {
		return ""
	}
	return m.From.Local().Format(time.DateTime)
}

// Type names the values of the flag.
func (m *Moment) Type() string { return "time" }

// Set takes a time in any of when's forms.
func (m *Moment) Set(s string) (err error) {
	m.Span, err = when.Parse(s, time.Now())
	return err
}

// IdleAfter is the age from which what is at work counts as idle: a running port, and a
// session (S0.10). Neither ends by it.
const IdleAfter = 24 * time.Hour
