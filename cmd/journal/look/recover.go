package look

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/hookrun"
	"journal/replay/recovery"
)

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var lang string
	var seq cli.Ordinal
	var at point
	var agentJSON bool
	c := cli.NewCommand("recover", "the text that the agent would get now",
		`Prints the recovery text that an agent would get if its context were compacted now, or at another point
(--at before-compaction:2): open tasks, decisions, written files, the plan, the last messages, answers and
refusals, failed commands and the last ones, requests. If nothing is known about the session it
prints nothing; with --json the text is empty. In a project that shares its context with a team the text
of now includes the decisions of members.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		func(c *cobra.Command, _ []string) error {
			conf, err := config.Load(a.Getenv)
			if err != nil {
				return err
			}
			if at.isSet() && seq != 0 {
				return cli.Usage(errors.New("--seq and --at exclude each other"))
			}
			if lang == "" {
				lang = recovery.Language(hookrun.Language(a.Getenv))
			} else if known := recovery.Languages(); !slices.Contains(known, lang) && conf.Template(lang) == "" {
				return cli.Usage(fmt.Errorf("there is no recovery text in %q: --lang is %s, or a language with a template in the configuration", lang, cli.OrList(known)))
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
				target, targetErr := a.Target(c.Context(), log, t)
				target, err := cli.OrProject(c.Context(), a, log, t, target, targetErr)
				if err != nil {
					return err
				}
				pointed, until := at.isSet() || seq != 0, uint64(0)
				at.seq = max(at.seq, uint64(seq))
				if pointed {
					if until, err = at.sequence(c.Context(), log, target); err != nil {
						return err
					}
				}
				var r recovery.Recovery // nothing is known before the first event
				if !pointed || until != 0 {
					if r, err = recovery.Replayed(c.Context(), log, target, conf.Fold(), until); err != nil {
						return err
					}
				}
				agent, err := cli.AgentOf(c.Context(), a, log, target)
				if err != nil {
					return err
				}
				if a.Colleague == "" && !pointed {
					r = r.With(a.Team().Decisions(a, target.Project))
				}
				out, err := a.RecoveryText(r, agent, lang)
				switch {
				case err != nil:
					return err
				case out.Text == "" && !a.Confined && targetErr != nil:
					return targetErr
				case out.Text == "" && !a.AsJSON:
					if !a.Confined {
						a.Note("the session has nothing that a recovery text would restore")
					}
					return nil
				}
				if a.AsJSON {
					return a.PrintJSON(map[string]string{"project": target.Project, "session": target.Session, "lane": target.Lane, "text": out.Text})
				}
				if agentJSON {
					return a.PrintJSON(r.Agent(out.Text))
				}
				_, err = fmt.Fprintln(a.Document(), marked(target.Session, out.Text))
				return err
			})
		})
	t.Add(c)
	c.Flags().StringVar(&lang, "lang", "", strings.Join(recovery.Languages(), ", ")+" (JOURNAL_LANG, the locale)")
	c.Flags().BoolVar(&agentJSON, "agent-json", false, "one JSON document with tasks, files, decisions and the text")
	c.Flags().Var(&at, "at", "as of this point: #120, before-compaction:2, 14:00 (journal help times)")
	c.Flags().Var(&seq, "seq", "as of this event number")
	return cli.AllowAgents(cli.TeamFlag(a, a.JSONFlag(c)), "lang", "agent-json", "json", "seq", "at", "team")
})

// marked adds to a recovery text of a session the mark by which a hook recognises it if a person pastes it into a prompt.
func marked(session, recovered string) string {
	if session == events.None {
		return recovered
	}
	return text.Marked(session, recovered)
}
