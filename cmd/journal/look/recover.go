package look

import (
	"context"
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
	"journal/projections"
	"journal/replay/recovery"
)

// recoverFlags are the flags of journal recover.
type recoverFlags struct {
	target    cli.TargetFlags
	lang      string
	seq       cli.Ordinal
	at        point
	agentJSON bool
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var f recoverFlags
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
			if f.at.isSet() && f.seq != 0 {
				return cli.Usage(errors.New("--seq and --at exclude each other"))
			}
			if f.seq != 0 {
				f.at = pointOf(f.seq)
			}
			if f.lang == "" {
				f.lang = recovery.Language(hookrun.Language(a.Getenv))
			} else if known := recovery.Languages(); !slices.Contains(known, f.lang) && conf.Template(f.lang) == "" {
				return cli.Usage(fmt.Errorf("there is no recovery text in %q: --lang is %s, or a language with a template in the configuration", f.lang, cli.OrList(known)))
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
				return printRecovery(c.Context(), a, log, f, conf.Fold())
			})
		})
	f.target.Add(c)
	c.Flags().StringVar(&f.lang, "lang", "", strings.Join(recovery.Languages(), ", ")+" (JOURNAL_LANG, the locale)")
	c.Flags().BoolVar(&f.agentJSON, "agent-json", false, "one JSON document with tasks, files, decisions and the text")
	c.Flags().Var(&f.at, "at", "as of this point: #120, before-compaction:2, 14:00 (journal help times)")
	c.Flags().Var(&f.seq, "seq", "as of this event number")
	return cli.AllowAgents(cli.TeamFlag(a, a.JSONFlag(c)), "lang", "agent-json", "json", "seq", "at", "team")
})

// printRecovery prints the recovery text of the session that the flags select. If nothing is known about it, it prints nothing. A
// person then gets the error of a session that does not exist. An agent gets nothing: it may ask before its first hook was recorded.
func printRecovery(ctx context.Context, a *cli.App, log *journal.Log, f recoverFlags, c projections.Config) error {
	target, targetErr := a.Target(ctx, log, f.target)
	target, err := cli.OrProject(ctx, a, log, f.target, target, targetErr)
	if err != nil {
		return err
	}
	r, err := recoveryAt(ctx, a, log, target, f.at, c)
	if err != nil {
		return err
	}
	agent, err := cli.AgentOf(ctx, a, log, target)
	if err != nil {
		return err
	}
	out, err := a.RecoveryText(r, agent, f.lang)
	switch {
	case err != nil:
		return err
	case out.Text == "" && !a.Confined && targetErr != nil:
		return targetErr
	case a.AsJSON:
		return a.PrintJSON(map[string]string{"project": target.Project, "session": target.Session, "lane": target.Lane, "text": out.Text})
	case out.Text == "":
		if !a.Confined {
			a.Note("the session has nothing that a recovery text would restore")
		}
		return nil
	case f.agentJSON:
		return a.PrintJSON(r.Agent(out.Text))
	}
	if target.Session != events.None { // so that a hook recognises the text if a person pastes it into a prompt
		out.Text = text.Marked(target.Session, out.Text)
	}
	_, err = fmt.Fprintln(a.Document(), out.Text)
	return err
}

// recoveryAt returns what a recovery text would restore at a point. That of now, the zero point, has the decisions of
// members, unless a colleague's log is read.
func recoveryAt(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target, at point, c projections.Config) (recovery.Recovery, error) {
	if !at.isSet() {
		r, err := recovery.Replayed(ctx, log, t, c, 0)
		if err != nil || a.Colleague != "" {
			return r, err
		}
		return r.With(a.Team().Decisions(a, t.Project)), nil
	}
	until, err := at.sequence(ctx, log, t)
	if err != nil || until == 0 { // nothing is known before the first event
		return recovery.Recovery{}, err
	}
	return recovery.Replayed(ctx, log, t, c, until)
}
