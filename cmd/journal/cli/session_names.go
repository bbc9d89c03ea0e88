package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// People do not know sessions by id, so they are named by a short id and the first
// request.

// TitleColumns bounds a title on a line with other content.
const TitleColumns = 60

// Title returns the first request of a session, empty if there is none or it cannot be read.
func Title(ctx context.Context, a *App, src replay.Source, project, session string) string {
	t := projections.Target{Project: project, Session: session}
	if title, ok := a.titles[t]; ok {
		return title
	}
	title := ""
	if r := a.row(ctx, src, t); r != nil {
		title = r.Title
	}
	if title == "" {
		title, _ = replay.Title(ctx, src, t) // reading the session itself reports the error
	}
	if a.titles == nil {
		a.titles = map[projections.Target]string{}
	}
	a.titles[t] = OneLine(title)
	return a.titles[t]
}

// row returns the row of a session in the cached table, nil if there is none.
func (a *App) row(ctx context.Context, src replay.Source, t projections.Target) *catalogue.Row {
	if log, ok := src.(*journal.Log); ok {
		if table := a.cachedTable(ctx, log); table != nil {
			return table.Row(t.Project, t.Session)
		}
	}
	return nil
}

// AgentOf returns the agent of a session, empty if it is not known: what is recorded by a verb
// does not name it.
func AgentOf(ctx context.Context, a *App, log *journal.Log, t projections.Target) (string, error) {
	if r := a.row(ctx, log, t); r != nil && !r.Bad {
		return r.Info.Agent, nil
	}
	t.Lane = ""
	info, err := replay.State(ctx, log, t, projections.Config{}, projections.SessionInfo, 0)
	return info.Agent, Damaged(err)
}

// newestOf returns the last active of a project's sessions with the best rank (catalogue.Row.Rank). The error is
// journal.ErrNoSession if the project has no session.
func newestOf(ctx context.Context, a *App, log *journal.Log, project string) (journal.Session, error) {
	table, err := Catalogue(ctx, a, log)
	if err != nil {
		return journal.Session{}, Damaged(err)
	}
	rows := slices.DeleteFunc(table.Rows(), func(r *catalogue.Row) bool { return r.Project != project })
	slices.SortStableFunc(rows, func(a, b *catalogue.Row) int { return cmp.Compare(a.Rank(), b.Rank()) })
	if len(rows) > 0 {
		return rows[0].Session, nil
	}
	return journal.Session{}, fmt.Errorf("%w of project %s", journal.ErrNoSession, project)
}

// Sessions lists the sessions of a log, each once for every project that it is in.
func Sessions(ctx context.Context, a *App, log *journal.Log) ([]journal.Session, error) {
	if table := a.cachedTable(ctx, log); table != nil {
		return table.Sessions(), nil
	}
	return log.Sessions(ctx)
}

// SessionsAtHome lists the sessions of a log, each once, in its home project.
func SessionsAtHome(ctx context.Context, a *App, log *journal.Log) ([]journal.Session, error) {
	all, err := Sessions(ctx, a, log)
	return journal.InMainProjects(all), err
}

// SessionName names a session within a sentence.
func SessionName(ctx context.Context, a *App, src replay.Source, s journal.Session) string {
	name := Flat(journal.ShortID(s.ID))
	if title := Title(ctx, a, src, s.Project, s.ID); title != "" {
		name += " (" + text.CutColumns(title, TitleColumns) + ")"
	}
	return name
}

// SessionLine returns a heading that names a session, or one lane of it.
func SessionLine(ctx context.Context, a *App, src replay.Source, t projections.Target) string {
	line := "session " + journal.ShortID(t.Session)
	if t.Lane != "" {
		line += ", subagent " + t.Lane
	}
	line += " of " + t.Project
	if title := Title(ctx, a, src, t.Project, t.Session); title != "" {
		line += ": " + title
	}
	return text.CutColumns(Flat(line), a.Width())
}

// maxNoted bounds the sessions that are named with a list of events.
const maxNoted = 5

// NoteSessions names the sessions of some events, the newest ones.
func NoteSessions(ctx context.Context, a *App, src replay.Source, all []events.Envelope) {
	seen := map[string]bool{}
	for _, e := range slices.Backward(all) {
		if e.Session == events.None || seen[e.Session] || len(seen) == maxNoted {
			continue
		}
		seen[e.Session] = true
		if title := Title(ctx, a, src, e.Project, e.Session); title != "" {
			a.Note(text.CutColumns("session "+journal.ShortID(e.Session)+": "+title, cmp.Or(a.Width(), LineColumns)-len("note: ")))
		}
	}
}

// SessionNamed finds a session by its id or a prefix of it. If none or several match, the error lists candidates.
func SessionNamed(ctx context.Context, a *App, log *journal.Log, given string) (journal.Session, error) {
	if table := a.cachedTable(ctx, log); table != nil {
		if s, err := table.Named(given); err == nil {
			return s, nil
		}
	}
	all, err := SessionsAtHome(ctx, a, log)
	if err != nil {
		return journal.Session{}, err
	}
	s, err := journal.FindSession(all, given)
	ambiguous := (*journal.AmbiguousError)(nil)
	switch {
	case errors.As(err, &ambiguous):
		err = WithHint(fmt.Errorf("%w:%s", err, candidates(ctx, a, log, all, ambiguous.Sessions)), "more of the id")
	case err != nil:
		near := slices.DeleteFunc(slices.Clone(all), func(s journal.Session) bool { return !alikeID(s.ID, given) })
		if len(near) > 0 {
			err = fmt.Errorf("%w; did you mean:%s", err, candidates(ctx, a, log, all, near))
		}
		err = WithHint(err, "journal sessions")
	}
	return s, err
}

// maxSlips bounds the mistyped bytes of an id.
const maxSlips = 2

// alikeID reports whether given may be a mistyped prefix of id.
func alikeID(id, given string) bool {
	return len(given) > 2*maxSlips && edits(given, id[:min(len(id), len(given))]) <= maxSlips
}

// MaxCandidates bounds the sessions that are named in an error.
const MaxCandidates = 8

// candidates lists the found sessions for an error, one per line, the newest first. Their ids are as short as is unique among them.
func candidates(ctx context.Context, a *App, log *journal.Log, all, found []journal.Session) string {
	table, err := Catalogue(ctx, a, log)
	if err != nil {
		return " " + err.Error()
	}
	active := slices.DeleteFunc(table.Rows(), func(r *catalogue.Row) bool {
		return !slices.ContainsFunc(found, func(s journal.Session) bool { return s.ID == r.ID && s.Project == r.Project })
	})
	var b strings.Builder
	ids := journal.ShortIDs(all)
	for _, r := range active[:min(len(active), MaxCandidates)] {
		fmt.Fprintf(&b, "\n  %s  %-6s  %s", ids[r.ID], Age(time.Since(time.Unix(0, r.Newest().At))), text.CutColumns(OneLine(r.Title), TitleColumns))
	}
	if more := len(active) - MaxCandidates; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// Age formats a time since something, briefly.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		size, least time.Duration
		name        string
	}{{365 * day, 730 * day, "y"}, {30 * day, 90 * day, "mo"}, {day, 2 * day, "d"}, {time.Hour, time.Hour, "h"}, {time.Minute, time.Minute, "min"}} {
		if d >= unit.least {
			return fmt.Sprintf("%d %s", d/unit.size, unit.name)
		}
	}
	return "now"
}

// ShownSessions bounds a list of sessions without --all.
const ShownSessions = 20
