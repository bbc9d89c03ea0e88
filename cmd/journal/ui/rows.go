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
	Nouns    []string // before the dot of their types; none: any
	Failed   bool     // only what failed
	Internal bool     // also internal ones
}

func filterOf(r *http.Request) filter {
	nouns := strings.FieldsFunc(r.FormValue("kind"), func(c rune) bool { return c == ',' })
	return filter{Nouns: nouns, Failed: r.FormValue("failed") != "", Internal: r.FormValue("internal") != ""}
}

// internal are the types of events of no interest to a person, or that the chart and the state show.
var internal = []events.Type{
	"usage.sampled", "tokens.used", "context.restarted", "delivery.confirmed", "transcript.skipped", "project.seen", "session.linked", "session.gap", "session.titled",
	"git.observed", "symbols.observed", "uses.observed", "summary.drafted", "inflight.recorded", "compaction.mentioned", "hook.received", "tool.started", "audit.judged",
}

// everything lists every event.
var everything = filter{Internal: true}

func (f filter) matches(r timeline.Row) bool {
	return (f.Internal || !slices.Contains(internal, r.Type)) && (!f.Failed || r.Failed) && (len(f.Nouns) == 0 || slices.Contains(f.Nouns, noun(r.Type)))
}

func noun(t events.Type) string {
	n, _, _ := strings.Cut(string(t), ".")
	return n
}

// places returns the places of the listed events among all events of the session.
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
	N     int
	Shown bool // the filter names it
}

// kinds counts events by noun, the most frequent first.
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
	Place int  // among all events of the session, from 0
	N     int  // among the listed events, from 1
	Of    int  // how many are listed
	Back  bool // a person took it back
	Noun  string
	Gist  string   // of the event, in a line
	Rest  []string // details beside it
}

// rowsAtOnce bounds the events of one answer.
const rowsAtOnce = 200

// lines returns a part of the listed events.
func (s *Server) lines(ctx context.Context, t projections.Target, rows []timeline.Row, f filter, from, n int) ([]line, error) {
	places := f.places(rows)
	from = min(max(from, 0), len(places))
	chosen := places[from:min(from+min(n, rowsAtOnce), len(places))]
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
		all[i] = line{Row: r, Place: p, N: from + i + 1, Of: len(places), Noun: noun(r.Type), Back: rewinds.TakenBack(metaOf(r, t), t.Lane)}
		all[i].Gist, all[i].Rest = cli.Gist(data[r.Seq])
		all[i].Rest = plain(all[i].Rest)
		if all[i].Noun == "file" {
			all[i].Gist = shortPath(root, all[i].Gist)
		}
	}
	return all, nil
}

// plain drops from details about an event or an item what a person does not need, and names that go without saying.
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

// metaOf returns the meta data of a row, as far as it is known.
func metaOf(r timeline.Row, t projections.Target) events.Meta {
	return events.Meta{Project: t.Project, Session: t.Session, Lane: r.Lane, Type: r.Type, Seq: r.Seq}
}

// root is the directory that a session works in.
func (c *histories) root(ctx context.Context, t projections.Target) (string, error) {
	h, rows, err := c.rows(ctx, t)
	if err != nil {
		return "", err
	}
	f, err := h.At(ctx, rows[len(rows)-1].Seq)
	if err != nil {
		return "", err
	}
	return projections.SessionInfo.In(f).Root, nil
}

// pathColumns is the number of columns of a path in a list.
const pathColumns = 56

// shortPath returns a path relative to a directory above it. A long path loses its middle, because its ends distinguish it.
func shortPath(root, path string) string {
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if len(path) <= pathColumns {
		return path
	}
	return path[:text.Before(path, pathColumns/3)] + "…" + path[text.After(path, len(path)-2*pathColumns/3):]
}

// eventData returns the data of the events at some places, by event number.
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
		if v, err := events.ViewOf(e); err == nil { // otherwise nothing can be shown
			found[e.Seq] = v.Data
		}
	}
	return found, nil
}
