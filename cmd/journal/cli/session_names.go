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

// People do not know sessions by their ids, so a session is named by a short id and its title, the first request.

// TitleColumns bounds a title on a line with other content.
const TitleColumns = 60

// Title returns the title of a session, its first request, on one line. It is empty if there is none or it cannot be read.
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
		title, _ = replay.Title(ctx, src, t) // a verb that reads the session itself reports the error
	}
	if a.titles == nil {
		a.titles = map[projections.Target]string{}
	}
	a.titles[t] = OneLine(title)
	return a.titles[t]
}

// row returns the row of a session in the table of its log. It is nil without a table (cachedTable), and for a session that the
// table does not have.
func (a *App) row(ctx context.Context, src replay.Source, t projections.Target) *catalogue.Row {
	if log, ok := src.(*journal.Log); ok {
		if table := a.cachedTable(ctx, log); table != nil {
			return table.Row(t.Project, t.Session)
		}
	}
	return nil
}

// AgentOf returns the agent of a session; empty if no event names it, as in a session with only events that verbs recorded.
func AgentOf(ctx context.Context, a *App, log *journal.Log, t projections.Target) (string, error) {
	if r := a.row(ctx, log, t); r != nil && !r.Bad {
		return r.Info.Agent, nil
	}
	t.Lane = ""
	info, err := replay.State(ctx, log, t, projections.Config{}, projections.SessionInfo, 0)
	return info.Agent, Damaged(err)
}

// newestOf returns the session of a project that was active last, among those with the lowest rank (catalogue.Row.Rank). The
// error is journal.ErrNoSession if the project has no session.
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

// Sessions lists the sessions of a log, each once, in its main project (journal.InMainProjects).
func Sessions(ctx context.Context, a *App, log *journal.Log) ([]journal.Session, error) {
	if table := a.cachedTable(ctx, log); table != nil {
		return journal.InMainProjects(table.Sessions()), nil
	}
	all, err := log.Sessions(ctx)
	return journal.InMainProjects(all), err
}

// SessionName returns a session's short id and title, for a sentence.
func SessionName(ctx context.Context, a *App, src replay.Source, project, session string) string {
	name := Flat(journal.ShortID(session))
	if title := Title(ctx, a, src, project, session); title != "" {
		name += " (" + text.CutColumns(title, TitleColumns) + ")"
	}
	return name
}

// SessionLine returns a heading with a session, or one of its lanes, and with the project and title.
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

// maxNoted bounds the sessions that are named below a list of events.
const maxNoted = 5

// NoteSessions prints notes with the titles of the sessions of some events. If there are more than maxNoted sessions, it takes
// those of the last events.
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

// SessionNamed finds a session by its id or a unique prefix of it. If several match, or none does, the error lists candidates.
func SessionNamed(ctx context.Context, a *App, log *journal.Log, given string) (journal.Session, error) {
	if table := a.cachedTable(ctx, log); table != nil {
		if s, err := table.Named(given); err == nil {
			return s, nil
		}
	}
	all, err := Sessions(ctx, a, log)
	if err != nil {
		return journal.Session{}, err
	}
	s, err := journal.FindSession(all, given)
	if ambiguous, ok := errors.AsType[*journal.AmbiguousError](err); ok {
		err = WithHint(fmt.Errorf("%w:%s", err, candidates(ctx, a, log, all, ambiguous.Sessions)), "more of the id")
	} else if err != nil {
		near := slices.DeleteFunc(slices.Clone(all), func(s journal.Session) bool { return !alikeID(s.ID, given) })
		if len(near) > 0 {
			err = fmt.Errorf("%w; did you mean:%s", err, candidates(ctx, a, log, all, near))
		}
		err = WithHint(err, "journal sessions")
	}
	return s, err
}

// maxSlips bounds the edit distance between a mistyped id and the right one.
const maxSlips = 2

// alikeID reports whether given may be a mistyped prefix of id. Of a shorter one half could be slips, and most ids would be alike.
func alikeID(id, given string) bool {
	return len(given) > 2*maxSlips && edits(given, id[:min(len(id), len(given))]) <= maxSlips
}

// maxCandidates bounds the sessions that are named in an error.
const maxCandidates = 8

// candidates lists the found sessions for an error, one per line, the last active first. It shortens their ids so that each is
// unique among all sessions.
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
	for _, r := range active[:min(len(active), maxCandidates)] {
		fmt.Fprintf(&b, "\n  %s  %-6s  %s", ids[r.ID], Age(time.Since(time.Unix(0, r.Newest().At))), text.CutColumns(OneLine(r.Title), TitleColumns))
	}
	if more := len(active) - maxCandidates; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// Age returns how old something is, in one unit: "36 h", "2 d"; "now" below a minute.
func Age(d time.Duration) string {
	for _, unit := range []struct {
		size, from time.Duration // the unit is used from this age on
		name       string
	}{{365 * Day, 730 * Day, "y"}, {30 * Day, 90 * Day, "mo"}, {Day, 2 * Day, "d"}, {time.Hour, time.Hour, "h"}, {time.Minute, time.Minute, "min"}} {
		if d >= unit.from {
			return fmt.Sprintf("%d %s", d/unit.size, unit.name)
		}
	}
	return "now"
}

// ShownSessions bounds a list of sessions by default.
const ShownSessions = 20
