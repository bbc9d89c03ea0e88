package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal"
	"journal/journal/agents"
	"journal/projections"
	"journal/replay/search"
)

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var printed bool
	var project string
	c := cli.NewCommand("resume-session [SESSION|QUESTION...]", "go on with an earlier session, in its agent",
		`Runs the command with which the agent of a session resumes it, in the session's directory. SESSION is
an id or its beginning. A QUESTION finds the session as journal search does. Without either it is the
newest session of the project.

  journal resume-session 10cf952f
  journal resume-session where did we limit the rate --print

Agents may not run it.

Exit codes: those of the agent; with --print 0; 1 failure; 2 usage.`,
		func(c *cobra.Command, words []string) error {
			if err := a.RefuseAgents("resume a session"); err != nil {
				return err
			}
			var r resumable
			err := a.ReadPastHoles(c.Context(), func(log *journal.Log) (err error) {
				r, err = findResumable(c.Context(), a, log, strings.Join(words, " "), project)
				return err
			})
			if err != nil {
				return err
			}
			if printed {
				_, err := fmt.Fprintln(a.Out, agents.Resume(r.agent, r.session, r.root))
				return err
			}
			return r.run(c.Context(), a)
		})
	c.Flags().BoolVar(&printed, "print", false, "only print the command")
	c.Flags().StringVar(&project, "project", "", "only a session of this project (directory, key, or name)")
	return c
})

// resumable is a session with what its agent needs to resume it.
type resumable struct{ agent, session, root string }

// findResumable finds the session whose id is words or begins with them. Several words that are no id are a question: it finds
// the session that answers it best. Without words it finds the session that the environment names, else the newest one. It prints
// notes with the session's name, and about a directory that does not exist any more. It returns an error if the session's agent
// cannot resume sessions.
func findResumable(ctx context.Context, a *cli.App, log *journal.Log, words, project string) (r resumable, err error) {
	t := projections.Target{}
	if words == "" {
		t, err = a.Target(ctx, log, cli.TargetFlags{Project: project})
	} else if named, notNamed := cli.SessionNamed(ctx, a, log, words); notNamed == nil {
		t = projections.Target{Project: named.Project, Session: named.ID}
	} else if strings.ContainsRune(words, ' ') {
		t, err = sessionAbout(ctx, a, log, words, project)
	} else {
		err = notNamed
	}
	if err != nil {
		return r, err
	}
	table, err := cli.Catalogue(ctx, a, log)
	if err != nil {
		return r, err
	}
	if !cli.NamesProject(a, table, t.Project, project) {
		return r, cli.WithHint(fmt.Errorf("session %s is not of project %s", journal.ShortID(t.Session), project), "journal sessions")
	}
	if row := table.Row(t.Project, t.Session); row != nil {
		r = resumable{agent: cmp.Or(row.Info.Agent, row.Newest().Agent), session: t.Session, root: row.Info.Root}
	}
	name := cli.SessionName(ctx, a, log, t.Project, t.Session)
	if agents.Resume(r.agent, r.session, r.root) == "" {
		return r, fmt.Errorf("the agent of session %s (%s) has no command that resumes a session", name, cmp.Or(r.agent, "unknown"))
	}
	a.Note(name)
	if info, err := os.Stat(r.root); r.root == "" || err != nil || !info.IsDir() {
		a.Note(fmt.Sprintf("the session's directory %q does not exist any more; make it first, because agents look for sessions by directory", r.root))
	}
	return r, nil
}

// sessionAbout finds the session that answers a question best. words is the question.
func sessionAbout(ctx context.Context, a *cli.App, log *journal.Log, words, project string) (t projections.Target, err error) {
	st, err := log.Stats(ctx)
	if err != nil {
		return t, err
	}
	scope, err := scopeOf(ctx, a, log, cli.TargetFlags{Project: project}, false)
	if err != nil {
		return t, err
	}
	index, end := cli.Words(ctx, a, log)
	defer end()
	ranked, err := search.Options{Question: search.Ask(words), Limit: 1, Index: index}.Rank(ctx, log, st.Last, scope)
	if err != nil {
		return t, cli.Damaged(err)
	}
	if len(ranked.Sessions) == 0 {
		return t, cli.WithHint(fmt.Errorf("no session of project %s has any word of %q", scope.Project, words), "journal sessions")
	}
	return projections.Target{Project: ranked.Sessions[0].Project, Session: ranked.Sessions[0].Session}, nil
}

// run runs the agent with the stdin, stdout and stderr of this program. The error has the agent's exit code.
func (r *resumable) run(ctx context.Context, a *cli.App) error {
	line := strings.Fields(agents.Resume(r.agent, r.session, ""))
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = r.root, os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return cli.ExitWith(max(failed.ExitCode(), cli.ExitError))
	}
	if err != nil {
		return cli.WithHint(fmt.Errorf("run %s in %s: %w", strings.Join(line, " "), r.root, err), "journal resume-session --print")
	}
	return nil
}
