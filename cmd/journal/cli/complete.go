package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay/recovery"
)

// completeWait bounds the time for collecting candidates, while a person waits after pressing tab.
const completeWait = 400 * time.Millisecond

// completion returns the candidates for a word of the command line. A tab separates a candidate from its description.
type completion func(context.Context, *App) []string

// completions holds the completion of each flag by its name, and of each argument by its word in the usage.
var completions = map[string]completion{
	"session": sessionWords, "from": sessionWords,
	"type": typeWords(false), "TYPE": typeWords(true),
	"projection": projectionWords,
	"lang":       func(context.Context, *App) []string { return recovery.Languages() },
}

// complete declares how the shell completes the flags and arguments of a command.
func complete(a *App, c *cobra.Command) {
	for name, words := range completions {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, shellWords(a, words)) // it fails only without such a flag
		}
		if _, argument, _ := strings.Cut(c.Use, " "); argument == name {
			c.ValidArgsFunction = shellWords(a, words)
		}
	}
	if c.ValidArgsFunction == nil && len(strings.Fields(c.Use)) == 1 {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
}

// shellWords returns a completion as the library wants it: the candidates that begin with what was typed.
func shellWords(a *App, words completion) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) (matching []string, _ cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(c.Context(), a.Pace(completeWait))
		defer cancel()
		for _, w := range words(ctx, a) {
			if strings.HasPrefix(w, typed) {
				matching = append(matching, w)
			}
		}
		return matching, cobra.ShellCompDirectiveNoFileComp
	}
}

// bashFallback defines a function of the package bash-completion, which the library's script for bash calls, for machines without
// that package.
const bashFallback = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
}
`

// addBashFallback prepends bashFallback to the script that `journal completion bash` prints.
func addBashFallback(root *cobra.Command) {
	c, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		return
	}
	script := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := fmt.Fprint(c.OutOrStdout(), bashFallback); err != nil {
			return err
		}
		return script(c, args)
	}
}

// sessionWords returns the newest ShownSessions sessions from the log of a running owner. It starts no owner, because that
// takes longer than a person waits.
func sessionWords(ctx context.Context, a *App) (words []string) {
	log, end, err := a.OwnersLog(ctx, nil)
	if err != nil {
		return nil
	}
	defer end()
	table, err := Catalogue(ctx, a, log)
	if err != nil {
		return nil
	}
	ids, active := journal.ShortIDs(table.Sessions()), table.Rows()
	for _, r := range active[:min(len(active), ShownSessions)] {
		words = append(words, ids[r.ID]+"\t"+OneLine(r.Title))
	}
	return words
}

// typeWords returns the completion of event types. If appendable is set, it offers only those that journal append takes.
func typeWords(appendable bool) completion {
	return func(context.Context, *App) (words []string) {
		for _, d := range events.Declared() {
			if d.Appendable || !appendable {
				words = append(words, string(d.Name)+"\t"+d.Doc)
			}
		}
		return words
	}
}

// projectionWords returns the names of all projections.
func projectionWords(context.Context, *App) (words []string) {
	for _, p := range projections.All() {
		words = append(words, p.Name()+"\t"+p.Doc())
	}
	return words
}
