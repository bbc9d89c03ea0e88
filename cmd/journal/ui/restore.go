package ui

import (
	"errors"
	"fmt"
	"net/http"

	"journal/journal/redact"
	"journal/replay/audit"
)

// errNoItem means that an audit has no item of that name.
var errNoItem = errors.New("no such item")

// serveItems serves items as markdown, like journal restore.
func (s *Server) serveItems(w http.ResponseWriter, r *http.Request) error {
	items, err := s.desk.chosen(r.Context(), targetOf(r), r.FormValue("items"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	fmt.Fprint(w, audit.Text(items))
	return nil
}

// noted is the result of writing a note.
type noted struct {
	Seq      uint64 // 0: it waits in the spool
	Redacted int    // how many parts were redacted when they were recorded, and are not restored
}

// serveNote writes items into a note, so that the agent gets them back with its next
// recovery text. It is the only request that changes something.
func (s *Server) serveNote(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	t := targetOf(r)
	items, err := s.desk.chosen(r.Context(), t, r.FormValue("items"))
	if err != nil {
		return err
	}
	said := audit.Text(items)
	seq, err := s.config.Note(r.Context(), Note{Target: t, Heading: s.say(r)("note-heading", len(items)), Text: said})
	if err != nil {
		return err
	}
	return s.write(w, r, "noted", noted{seq, redact.Count(said)})
}
