package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/hookrun"
	"journal/journal/wire/client"
	"journal/projections"
)

// targetFlags say which session a verb is about.
type targetFlags struct {
	session, project, lane string
	begin                  bool // the log need not know the session
}

func (t *targetFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&t.session, "session", "", "session id or a unique prefix of one (JOURNAL_SESSION, the agent's own variable, else the newest of the project)")
	c.Flags().StringVar(&t.project, "project", "", "project directory or key (the agent's own variable, the git top level, the working directory)")
	c.Flags().StringVar(&t.lane, "lane", "", "subagent id; the main thread when empty")
}

// addNew is add for a verb that records.
func (t *targetFlags) addNew(c *cobra.Command) {
	t.add(c)
	c.Flags().BoolVar(&t.begin, "new", false, "--session is a whole id, of a session that the journal may not know yet")
}

// again are the flags that name the same session once more.
func (t targetFlags) again() (flags string) {
	for _, f := range []struct{ name, value string }{{"session", t.session}, {"project", t.project}, {"lane", t.lane}} {
		if f.value != "" {
			flags += " --" + f.name + " " + f.value
		}
	}
	return flags
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
	project, _ := agents.Around(a.getenv)
	return agents.Root(project, cwd)
}

// sessionGiven is the session that a flag or the environment names.
func (a *app) sessionGiven(flag string) string {
	_, session := agents.Around(a.getenv)
	return cmp.Or(flag, a.getenv("JOURNAL_SESSION"), session)
}

// projectKey is the key of the project that a flag names, a directory or a key, in the log that is read.
func (a *app) projectKey(flag string) string {
	if flag == "" || strings.ContainsRune(flag, os.PathSeparator) || flag == "." {
		return a.at.key(client.ProjectKey(a.root(flag)))
	}
	return flag
}

// target finds the session that a verb is about; events.None is what the project has beside
// its sessions.
func (a *app) target(ctx context.Context, log *journal.Log, t targetFlags) (projections.Target, error) {
	var s journal.Session
	var err error
	if given := a.sessionGiven(t.session); given == events.None {
		s = journal.Session{Project: a.projectKey(t.project), ID: given}
	} else if given != "" {
		s, err = sessionNamed(ctx, a, log, given)
	} else if s, err = log.NewestSession(ctx, a.projectKey(t.project)); err == nil {
		a.note("newest session of " + s.Project + ": " + named(ctx, a, log, s))
	} else {
		err = withHint(err, "journal sessions")
	}
	if err != nil {
		return projections.Target{}, err
	}
	if err := a.reaches(ctx, log, s, "read"); err != nil {
		return projections.Target{}, err
	}
	return projections.Target{Project: s.Project, Session: s.ID, Lane: t.lane}, nil
}

// recordsIn gives the session that a verb records in, empty for the project alone. What a
// flag names has to be known, so that a slip of the keyboard begins no session; an agent
// knows its own before the log does.
func (a *app) recordsIn(c *cobra.Command, t targetFlags) (string, error) {
	given := a.sessionGiven(t.session)
	switch {
	case t.begin && t.session == "":
		return "", usage(c, errors.New("--new begins the session that --session names"))
	case given == "":
		return newestSession(a, c, t)
	case t.begin && !a.confined, given == events.None, a.saysItself(t) && isWhole(a, given):
		return given, nil
	}
	err := a.read(c.Context(), func(log *journal.Log) error {
		s, err := sessionNamed(c.Context(), a, log, given)
		switch {
		case err != nil:
			return err
		case t.begin && s.ID != given:
			return nil // what begins is another one
		}
		given = s.ID
		return a.reaches(c.Context(), log, s, "record in")
	})
	switch {
	case err == nil, t.begin && !errors.Is(err, errNotForAgents):
		return given, nil
	case a.saysItself(t) && !errors.As(err, new(*journal.AmbiguousError)):
		return given, nil // what cannot be looked up is spooled as it is
	case errors.Is(err, errNoJournal):
		err = fmt.Errorf("%w %s: %w", journal.ErrNoSession, given, err)
	}
	if errors.Is(err, journal.ErrNoSession) {
		err = withHint(err, "journal sessions, or --new to begin that session")
	}
	return given, err
}

// mayBegin says whether the log need not know the session of a verb.
func (a *app) mayBegin(t targetFlags) bool {
	return t.begin || a.saysItself(t)
}

// saysItself says whether the environment names the session, or nobody does.
func (a *app) saysItself(t targetFlags) bool { return a.sessionGiven(t.session) == a.sessionGiven("") }

// isWhole says whether an id that the environment names needs no looking up: it is the
// agent's own, has the form of one, or nobody may start an owner to look.
func isWhole(a *app, id string) bool {
	_, agents := agents.Around(a.getenv)
	uuid := len(id) == 36 && id[8] == '-' && id[13] == '-' && id[18] == '-' && id[23] == '-'
	return id == agents || uuid || hookrun.StartsNoOwner(a.getenv)
}
