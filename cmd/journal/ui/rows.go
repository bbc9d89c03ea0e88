package ui

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/replay"
	"journal/replay/timeline"
)

// filter selects the events of a session that are listed.
type filter struct {
	Nouns    []string // nouns of their types; none: any noun
	Failed   bool     // only failures
	Internal bool     // also internal events
}

// filterOf returns the filter that a request names.
func filterOf(r *http.Request) filter {
	nouns := strings.FieldsFunc(r.FormValue("kind"), func(c rune) bool { return c == ',' })
	return filter{Nouns: nouns, Failed: r.FormValue("failed") != "", Internal: r.FormValue("internal") != ""}
}

// internal holds the types of events that are of no interest to a person, or that the chart and the state show.
var internal = []events.Type{
	"usage.sampled", "tokens.used", "context.restarted", "delivery.confirmed", "transcript.skipped", "project.seen", "session.linked", "session.gap", "session.titled",
	"git.observed", "symbols.observed", "uses.observed", "summary.drafted", "inflight.recorded", "compaction.mentioned", "hook.received", "tool.started", "audit.judged",
}

// matches reports whether the filter selects an event.
func (f filter) matches(r timeline.Row) bool {
	if !f.Internal && slices.Contains(internal, r.Type) || f.Failed && !r.Failed {
		return false
	}
	return len(f.Nouns) == 0 || slices.Contains(f.Nouns, noun(r.Type))
}

// noun returns the part of an event's type before the dot.
func noun(t events.Type) string {
	n, _, _ := strings.Cut(string(t), ".")
	return n
}

// places returns the indexes in rows of the events that the filter selects.
func (f filter) places(rows []timeline.Row) []int {
	places := make([]int, 0, len(rows))
	for i, r := range rows {
		if f.matches(r) {
			places = append(places, i)
		}
	}
	return places
}

// kind counts the events of one noun.
type kind struct {
	Noun  string
	N     int  // number of events
	Shown bool // the filter names the noun
}

// kinds counts events by noun, the most frequent first. Of the filter only Internal matters for the counts.
func kinds(rows []timeline.Row, f filter) []kind {
	by := map[string]int{}
	for _, r := range rows {
		if f.Internal || !slices.Contains(internal, r.Type) {
			by[noun(r.Type)]++
		}
	}
	var all []kind
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, kind{name, by[name], slices.Contains(f.Nouns, name)})
	}
	slices.SortStableFunc(all, func(a, b kind) int { return b.N - a.N })
	return all
}

// line is one event in a list.
type line struct {
	timeline.Row
	Place int  // index among all events of the session
	N     int  // number among the listed events, from 1
	Total int  // number of the listed events
	Back  bool // the person took it back
	Noun  string
	Gist  string   // main member of the event, on a line
	Rest  []string // other members
}

// lines returns a part of the events that a filter selects: at most n, without the first from of them.
func (s *Server) lines(ctx context.Context, t projections.Target, rows []timeline.Row, f filter, from, n int) ([]line, error) {
	places := f.places(rows)
	from = min(max(from, 0), len(places))
	chosen := places[from:min(from+n, len(places))]
	if len(chosen) == 0 {
		return nil, nil
	}
	data, err := s.log.eventData(ctx, t, rows, chosen)
	if err != nil {
		return nil, err
	}
	root, err := s.histories.root(ctx, t)
	if err != nil {
		return nil, err
	}
	rewinds, err := replay.Rewinds(ctx, s.log, t.Project, t.Session, 0)
	if err != nil {
		return nil, err
	}
	all := make([]line, len(chosen))
	for i, p := range chosen {
		r := rows[p]
		meta := events.Meta{Project: t.Project, Session: t.Session, Lane: r.Lane, Type: r.Type, Seq: r.Seq}
		gist, rest := cli.Gist(data[r.Seq])
		all[i] = line{Row: r, Place: p, N: from + i + 1, Total: len(places), Noun: noun(r.Type), Back: rewinds.TakenBack(meta, t.Lane), Gist: gist, Rest: plain(rest)}
		if all[i].Noun == "file" {
			all[i].Gist = shortPath(root, gist)
		}
	}
	return all, nil
}

// plain returns details about an event or an item, each a name and a value, for people. It drops details that a person does not
// need, and the names of those whose value is clear without one.
func plain(details []string) (all []string) {
	for _, d := range details {
		name, value, _ := strings.Cut(d, " ")
		switch name {
		case "op", "tool", "task", "mark", "asked", "id", "part":
		case "detail", "about", "trigger":
			all = append(all, value)
		default:
			all = append(all, d)
		}
	}
	return all
}

// root returns the directory in which a session works.
func (c *histories) root(ctx context.Context, t projections.Target) (string, error) {
	h, rows, err := c.history(ctx, t)
	if err != nil {
		return "", err
	}
	f, err := h.At(ctx, rows[len(rows)-1].Seq)
	if err != nil {
		return "", err
	}
	return projections.SessionInfo.In(f).Root, nil
}

// maxShortPath is the length in bytes up to which a list shows a path whole.
const maxShortPath = 56

// shortPath returns a path relative to root if it is below that directory. Of a path longer than maxShortPath it leaves out the
// middle, because its ends distinguish it.
func shortPath(root, path string) string {
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if len(path) <= maxShortPath {
		return path
	}
	return path[:text.Before(path, maxShortPath/3)] + "…" + path[text.After(path, len(path)-2*maxShortPath/3):]
}

// eventData returns the data of the events at some places in rows, at least one, by event number. An event that cannot be shown has
// nil.
func (r *reader) eventData(ctx context.Context, t projections.Target, rows []timeline.Row, places []int) (map[uint64]json.RawMessage, error) {
	var sel []events.Selector
	found := map[uint64]json.RawMessage{}
	for _, p := range places {
		found[rows[p].Seq] = nil
		if wanted := (events.Selector{Project: t.Project, Session: t.Session, Type: rows[p].Type}); !slices.Contains(sel, wanted) {
			sel = append(sel, wanted)
		}
	}
	span := events.Span{After: rows[places[0]].Seq - 1, Until: rows[places[len(places)-1]].Seq}
	for e, err := range r.Events(ctx, span, sel...) {
		if err != nil {
			return nil, err
		}
		if _, listed := found[e.Seq]; !listed {
			continue
		}
		if v, err := events.ViewOf(e); err == nil { // otherwise the event cannot be shown
			found[e.Seq] = v.Data
		}
	}
	return found, nil
}
