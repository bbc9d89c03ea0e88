package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/replay/search"
	"journal/replay/timeline"
)

// wholeBytes is the part of a text that a page shows; the rest is in a file.
const wholeBytes = 20 << 10

// eventView is one whole event.
type eventView struct {
	events.View
	Path   string // of its session
	Fields []textView
}

// textView is one member of an event.
type textView struct {
	Name, Text string
	Long       bool // it is shown in a block of its own
}

// serveEvent serves one event of a session, as a page or as a JSON file.
func (s *Server) serveEvent(w http.ResponseWriter, r *http.Request) error {
	t, seq := targetOf(r), number(r, "seq")
	for e, err := range s.log.Events(r.Context(), events.Span{After: seq - 1, Until: seq}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return err
		}
		v, err := events.ViewOf(e)
		if err != nil {
			return err
		}
		if r.FormValue("file") != "" {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="event-%d.json"`, seq))
			_ = json.NewEncoder(w).Encode(v) // the client may be gone
			return nil
		}
		shown := eventView{View: v, Path: s.path(t)}
		for _, m := range cli.StateMembers(v.Data) {
			shown.Fields = append(shown.Fields, textOf(m))
		}
		return s.write(w, r, "event", shown)
	}
	s.missing(w, r)
	return nil
}

// shortText is the longest text that is shown beside its name, in bytes.
const shortText = 80

func textOf(m cli.StateMember) textView {
	v := textView{Name: m.Words()}
	if json.Unmarshal(m.Value, &v.Text) != nil {
		var indented bytes.Buffer
		_ = json.Indent(&indented, m.Value, "", "  ") // it came from JSON
		v.Text = indented.String()
	}
	if len(v.Text) > wholeBytes {
		v.Text = v.Text[:text.Before(v.Text, wholeBytes)] + "…"
	}
	v.Long = len(v.Text) > shortText
	return v
}

// hits is the result of a search.
type hits struct {
	Words string
	Total int
	Hits  []hit
}

// More returns how many hits are not shown.
func (h hits) More() int { return h.Total - len(h.Hits) }

// maxHits bounds the hits of a search.
const maxHits = 100

// serveFind searches the texts of a session.
func (s *Server) serveFind(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	found := hits{Words: r.FormValue("q")}
	o := search.Options{Query: search.Parse(found.Words), Limit: maxHits, Count: true}
	h, err := s.desk.history(r.Context(), t)
	if err != nil {
		return err
	}
	rows := h.Rows()
	if len(o.Query) > 0 && len(rows) > 0 {
		all, err := o.In(r.Context(), s.log, events.Span{Until: rows[len(rows)-1].Seq}, events.Selector{Project: t.Project, Session: t.Session})
		if err != nil {
			return err
		}
		found.Total = all.Total
		for _, h := range all.Hits {
			shown := s.marked(h, o.Query)
			shown.Place = max(timeline.RowPlace(rows, h.Seq)-1, 0)
			found.Hits = append(found.Hits, shown)
		}
	}
	return s.write(w, r, "hits", found)
}
