package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
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
	c.Flags().StringVar(&t.project, "project", "", "project directory or key (CLAUDE_PROJECT_DIR, the git top level, the working directory)")
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
	return hooks.Root(a.getenv("CLAUDE_PROJECT_DIR"), cwd)
}

// sessionGiven is the session that a flag or the environment names.
func (a *app) sessionGiven(flag string) string {
	for _, s := range []string{flag, a.getenv("JOURNAL_SESSION"), a.getenv("CLAUDE_CODE_SESSION_ID")} {
		if s != "" {
			return s
		}
	}
	return ""
}

// projectKey is the key of the project that a flag names: a directory or a key.
func (a *app) projectKey(flag string) string {
	if flag == "" || strings.ContainsRune(flag, os.PathSeparator) || flag == "." {
		return client.ProjectKey(a.root(flag))
	}
	return flag
}

// errNoSession says that no session could be found for a verb.
var errNoSession = errors.New("no session")

// target finds the session that a verb is about.
func (a *app) target(ctx context.Context, log *journal.Log, t targetFlags) (projections.Target, error) {
	all, err := sessionsOf(ctx, log)
	if err != nil {
		return projections.Target{}, err
	}
	if given := a.sessionGiven(t.session); given != "" {
		var found, exact []sessionRef
		for _, s := range all {
			switch {
			case s.session == given:
				exact = append(exact, s)
			case strings.HasPrefix(s.session, given):
				found = append(found, s)
			}
		}
		// A session is in two projects when somebody spoke of it before it began;
		// it is at home where most of it happened.
		if found = atHome(found); len(exact) > 0 {
			found = atHome(exact)
		}
		switch len(found) {
		case 1:
			return projections.Target{Project: found[0].project, Session: found[0].session, Lane: t.lane}, nil
		case 0:
			return projections.Target{}, withHint(fmt.Errorf("%w %s", errNoSession, given), "journal sessions")
		}
		return projections.Target{}, withHint(fmt.Errorf("%d sessions begin with %s", len(found), given), "journal sessions")
	}
	key := a.projectKey(t.project)
	var newest sessionRef
	for _, s := range all {
		if s.project != key || s.session == events.None {
			continue
		}
		if s.last, err = lastOf(ctx, log, s); err != nil {
			return projections.Target{}, err
		}
		if s.last.Seq > newest.last.Seq {
			newest = s
		}
	}
	if newest.session == "" {
		return projections.Target{}, withHint(fmt.Errorf("%w of project %s", errNoSession, key), "journal sessions")
	}
	a.note(fmt.Sprintf("newest session of %s: %s", key, newest.session))
	return projections.Target{Project: newest.project, Session: newest.session, Lane: t.lane}, nil
}

// atHome keeps of each session the project with most of its events.
func atHome(all []sessionRef) []sessionRef {
	var home []sessionRef
	for _, s := range all {
		i := slices.IndexFunc(home, func(h sessionRef) bool { return h.session == s.session })
		if i < 0 {
			home = append(home, s)
		} else if s.events > home[i].events {
			home[i] = s
		}
	}
	return home
}

// sessionRef is one session of the log.
type sessionRef struct {
	project, session string
	events           uint64
	last             events.Meta
}

// sessionsOf lists the sessions of the log, by project and id.
func sessionsOf(ctx context.Context, log *journal.Log) ([]sessionRef, error) {
	subjects, err := log.Subjects(ctx, events.Selector{})
	if err != nil {
		return nil, err
	}
	var all []sessionRef
	for _, s := range subjects {
		if s.Session == events.None {
			continue
		}
		if n := len(all); n > 0 && all[n-1].session == s.Session && all[n-1].project == s.Project {
			all[n-1].events += s.Events
			continue
		}
		all = append(all, sessionRef{project: s.Project, session: s.Session, events: s.Events})
	}
	return all, nil
}

// lastOf gives the newest event of a session.
func lastOf(ctx context.Context, log *journal.Log, s sessionRef) (events.Meta, error) {
	e, err := log.Last(ctx, events.Selector{Project: s.project, Session: s.session})
	if errors.Is(err, journal.ErrNone) {
		return events.Meta{}, nil
	}
	return e.Meta, err
}

// newestFirst sorts sessions by their newest event.
func newestFirst(all []sessionRef) {
	slices.SortFunc(all, func(a, b sessionRef) int {
		switch {
		case a.last.Seq > b.last.Seq:
			return -1
		case a.last.Seq < b.last.Seq:
			return 1
		}
		return 0
	})
}
