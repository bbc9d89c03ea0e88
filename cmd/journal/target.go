package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"journal/journal"
	"journal/journal/client"
	"journal/journal/hooks"
	"journal/projections"
)

// targetFlags say which session a verb is about.
type targetFlags struct {
	session, project, lane string
}

func (t *targetFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&t.session, "session", "", "session id or a unique prefix of one (JOURNAL_SESSION, the agent's own variable, else the newest of the project)")
	c.Flags().StringVar(&t.project, "project", "", "project directory or key (the agent's own variable, the git top level, the working directory)")
	c.Flags().StringVar(&t.lane, "lane", "", "subagent id; the main thread when empty")
}

// root is the directory of the project a verb is about.
func (a *app) root(flag string) string {
	if flag != "" {
		return flag
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = ""
	}
	project, _ := hooks.Around(a.getenv)
	return hooks.Root(project, cwd)
}

// sessionGiven is the session that a flag or the environment names.
func (a *app) sessionGiven(flag string) string {
	_, session := hooks.Around(a.getenv)
	return cmp.Or(flag, a.getenv("JOURNAL_SESSION"), session)
}

// projectKey is the key of the project that a flag names: a directory or a key.
func (a *app) projectKey(flag string) string {
	if flag == "" || strings.ContainsRune(flag, os.PathSeparator) || flag == "." {
		return client.ProjectKey(a.root(flag))
	}
	return flag
}

// target finds the session that a verb is about.
func (a *app) target(ctx context.Context, log *journal.Log, t targetFlags) (projections.Target, error) {
	var s journal.Session
	var err error
	if given := a.sessionGiven(t.session); given != "" {
		s, err = log.FindSession(ctx, given)
	} else if s, err = log.NewestSession(ctx, a.projectKey(t.project)); err == nil {
		a.note(fmt.Sprintf("newest session of %s: %s", s.Project, s.ID))
	}
	if err != nil {
		return projections.Target{}, withHint(err, "journal sessions")
	}
	if project, err := a.within(ctx, log); err != nil {
		return projections.Target{}, err
	} else if project != "" && s.Project != project {
		return projections.Target{}, notForAgents("read session " + s.ID + " of another project")
	}
	return projections.Target{Project: s.Project, Session: s.ID, Lane: t.lane}, nil
}
