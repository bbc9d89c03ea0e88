package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/service"
	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay/recovery"
)

// completeWait bounds what a person waits for behind the tab key.
const completeWait = 400 * time.Millisecond

// completion gives what may stand where a word is typed; a tab parts a word from what is
// said of it.
type completion func(*app, context.Context) []string

// completions are found by the name of a flag, or by the word for an argument in the usage.
var completions = map[string]completion{
	"session": (*app).sessionWords, "from": (*app).sessionWords,
	"type": typeWords, "TYPE": appendableWords,
	"projection": projectionWords,
	"lang":       func(*app, context.Context) []string { return recovery.Languages() },
}

// complete lets the shell complete the flags and arguments of a command.
func (a *app) complete(c *cobra.Command) {
	for name, words := range completions {
		if c.LocalNonPersistentFlags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, a.shellWords(words)) // the flag is there
		}
		if _, takes, _ := strings.Cut(c.Use, " "); takes == name {
			c.ValidArgsFunction = a.shellWords(words)
		}
	}
	if c.ValidArgsFunction == nil && len(strings.Fields(c.Use)) == 1 {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
}

func (a *app) shellWords(words completion) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) (fit []string, _ cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(c.Context(), completeWait)
		defer cancel()
		for _, w := range words(a, ctx) {
			if strings.HasPrefix(w, typed) {
				fit = append(fit, w)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp
	}
}

// sessionWords gives the sessions, the newest first, out of the log of an owner that
// runs: starting one takes longer than a person waits for a word.
func (a *app) sessionWords(ctx context.Context) (words []string) {
	nc, err := service.Connect(ctx, a.dir, nil)
	if err != nil {
		return nil
	}
	defer nc.Close()
	log, err := a.logOver(ctx, nc)
	if err != nil {
		return nil
	}
	all, err := log.Sessions(ctx)
	if err != nil {
		return nil
	}
	newest, err := log.Newest(ctx, all)
	if err != nil {
		return nil
	}
	ids := journal.ShortIDs(all)
	for _, s := range newest[:min(len(newest), shownSessions)] {
		words = append(words, ids[s.ID]+"\t"+a.title(ctx, log, s.Project, s.ID))
	}
	return words
}

func typeWords(*app, context.Context) (words []string) {
	for _, d := range events.Declared() {
		words = append(words, string(d.Name)+"\t"+d.Doc)
	}
	return words
}

func appendableWords(*app, context.Context) (words []string) {
	for _, d := range events.Declared() {
		if d.Appendable {
			words = append(words, string(d.Name)+"\t"+d.Doc)
		}
	}
	return words
}

func projectionWords(*app, context.Context) (words []string) {
	for _, p := range projections.All() {
		words = append(words, p.Name()+"\t"+p.Doc())
	}
	return words
}
