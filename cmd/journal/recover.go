package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/config"
	"journal/embedded/colleagues"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/hookrun"
	"journal/journal/team"
	"journal/replay"
)

var _ = verb(func(a *app) *cobra.Command {
	var t targetFlags
	var lang string
	var seq ordinal
	var agentJSON bool
	c := &cobra.Command{
		Use:     "recover",
		GroupID: looking,
		Short:   "the recovery text that an agent gets after a compaction",
		Long: `Prints what an agent would be given back if its context were compacted now, or had been
at --seq: open tasks, decisions, files written, the plan, what was said last, answers and refusals, commands that failed and the last ones run, requests.
Prints nothing when nothing is known. What others of the team decided stands in it where journal team
decisions was chosen, not with --seq: it is as of now.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := config.Load(a.getenv)
			if err != nil {
				return err
			}
			if lang == "" {
				lang = replay.Language(hookrun.Language(a.getenv))
			} else if known := replay.Languages(); !slices.Contains(known, lang) && conf.Template(lang) == "" {
				return usage(c, fmt.Errorf("no recovery text is in %q: --lang is %s, or one with a template in the configuration", lang, orList(known)))
			}
			return a.reading(c.Context(), func(log *journal.Log) error {
				target, err := a.target(c.Context(), log, t)
				if target, err = orProject(a, t, target, err); err != nil {
					return err
				}
				r, err := replay.Recover(c.Context(), log, target, conf.Fold(), uint64(seq))
				if err != nil {
					return err
				}
				agent, err := agentOf(c.Context(), log, target)
				if err != nil {
					return err
				}
				if a.colleague == "" && seq == 0 {
					theirs, err := team.LoadDecisions(a.dir, target.Project)
					if err != nil {
						a.note(err.Error())
					}
					r = r.With(colleagues.Colleagues(theirs))
				}
				text, err := recoveryText(a, r, agent, lang)
				if err != nil || text.Text == "" {
					return err
				}
				if agentJSON {
					return a.printJSON(r.Agent(text.Text))
				}
				_, err = fmt.Fprintln(a.document(), text.Text)
				return err
			})
		},
	}
	t.add(c)
	teamFlag(a, c)
	c.Flags().StringVar(&lang, "lang", "", strings.Join(replay.Languages(), ", ")+" (JOURNAL_LANG, the locale)")
	c.Flags().BoolVar(&agentJSON, "agent-json", false, "the machine-readable form")
	c.Flags().Var(&seq, "seq", "as of this sequence; default the end of the log")
	return offer(c, "lang", "agent-json", "seq", "team")
})

// recoveryText renders a recovery as hooks do.
func recoveryText(a *app, r replay.Recovery, agent, lang string) (replay.Text, error) {
	conf, err := config.Load(a.getenv)
	if err != nil {
		return replay.Text{}, err
	}
	tmpl, err := replay.Template(lang, conf.Template(lang))
	if err != nil {
		return replay.Text{}, err
	}
	r.Command = a.command()
	var limit replay.Limit
	if d, err := agents.Named(agent); err == nil {
		limit = replay.Limit{Units: d.Units, Vital: d.Vital}
	}
	return replay.Render(r, tmpl, limit)
}
