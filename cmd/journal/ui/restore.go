package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"journal/journal/redact"
	"journal/projections"
	"journal/replay/audit"
)

// errNoItem says that an audit has no item of a name.
var errNoItem = errors.New("no such item")

// chosen gives the items of a session that a request names.
func (s *Server) chosen(r *http.Request, t projections.Target) (all []audit.Item, err error) {
	_, rows, err := s.desk.rows(r.Context(), t)
	if err != nil {
		return nil, err
	}
	report, err := s.desk.audit(r.Context(), t, rows[len(rows)-1].Seq)
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(r.FormValue("items")) {
		it, ok := report.Find(name)
		if !ok {
			return nil, fmt.Errorf("%w: %s", errNoItem, name)
		}
		all = append(all, it)
	}
	if len(all) == 0 {
		return nil, errNoItem
	}
	return all, nil
}

// serveItems gives items as markdown, as journal restore does.
func (s *Server) serveItems(w http.ResponseWriter, r *http.Request) {
	items, err := s.chosen(r, targetOf(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	fmt.Fprint(w, audit.Text(items))
}

// noted is what became of a note.
type noted struct {
	Seq      uint64 // 0: it waits in the spool
	Redacted int    // parts that were removed before they were recorded, and are not restored
}

// serveNote writes items into a note, so that the agent gets them back with its next
// recovery. It is the one request that changes something.
func (s *Server) serveNote(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	t := targetOf(r)
	items, err := s.chosen(r, t)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	said := audit.Text(items)
	seq, err := s.config.Note(r.Context(), Note{Target: t, Heading: s.say(r)("note-heading", len(items)), Text: said})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.write(w, r, "noted", noted{seq, redact.Count(said)})
}
