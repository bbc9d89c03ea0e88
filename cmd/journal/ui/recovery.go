package ui

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"journal/events"
	"journal/journal/redact"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/recovery"
	"journal/replay/timeline"
)

// recoveryView holds two recovery texts at a point of a session: the one that its agent would get, and the last one that it was
// given.
type recoveryView struct {
	Past    bool   // only the text that was given is shown
	Would   string // the text that the agent would get
	Units   int    // length of that text, in UTF-16 units
	Given   uint64 // the event that records that a text was given, 0 none
	GivenAt int64  // time of that event, ns since 1970
	Was     string // the text that was given, rendered again
	// Same is set if Was has the digest of the text that was given. Otherwise the text differed: it had another template, another
	// path of the program, or was rendered by another version.
	Same bool
}

// serveRecovery serves the recovery texts at a point of a session. With the form value plain it serves only the text that the
// agent would get, as Markdown.
func (s *Server) serveRecovery(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	h, rows, err := s.histories.history(r.Context(), t)
	if err != nil {
		return err
	}
	seq := rows[placeOf(r, rows)].Seq
	would, err := s.recovery(r.Context(), h, seq, s.config.Lang)
	if err != nil {
		return err
	}
	if r.FormValue("plain") != "" {
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		io.WriteString(w, would.Text)
		return nil
	}
	v := recoveryView{Would: would.Text, Units: would.Units, Past: r.FormValue("was") != ""}
	if err := s.lastGiven(r.Context(), h, t, seq, &v); err != nil {
		return err
	}
	return s.write(w, r, "recovery", v)
}

// recovery renders the recovery text of a lane as of a sequence.
func (s *Server) recovery(ctx context.Context, h *timeline.History, seq uint64, lang string) (recovery.Text, error) {
	f, err := h.At(ctx, seq)
	if err != nil {
		return recovery.Text{}, err
	}
	return s.config.Recovery(recovery.Of(f), projections.SessionInfo.In(f).Agent, lang)
}

// lastGiven fills in the last text that was given to a lane up to a sequence. The log holds only the text's digest, language
// and the sequence up to which it was rendered, so it is rendered again.
func (s *Server) lastGiven(ctx context.Context, h *timeline.History, t projections.Target, seq uint64, v *recoveryView) error {
	var given events.RecoveryGiven
	only := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.RecoveryGiven]()}
	for e, err := range s.log.Events(ctx, events.Span{Until: seq}, only) {
		if err != nil {
			return err
		}
		if g, ok := events.As[events.RecoveryGiven](e); ok && e.Lane == t.Lane && e.EchoOf == 0 {
			given, v.Given, v.GivenAt = g, e.Seq, e.At
		}
	}
	if v.Given == 0 {
		return nil
	}
	again, err := s.recovery(ctx, h, given.AsOf, given.Lang)
	if err != nil {
		return err
	}
	v.Was, v.Same = again.Text, again.Digest == given.Digest
	return nil
}

// chosen returns the items of a session's audit with some ids. names holds the ids, separated by spaces. Without an id, and for
// an unknown one, the error is errNoItem.
func (c *histories) chosen(ctx context.Context, t projections.Target, names string) (all []audit.Item, err error) {
	report, err := c.audit(ctx, t)
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(names) {
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

// errNoItem means that an audit has no item with that id.
const errNoItem = missingError("no such item")

// serveItems serves items as markdown, like journal restore.
func (s *Server) serveItems(w http.ResponseWriter, r *http.Request) error {
	items, err := s.histories.chosen(r.Context(), targetOf(r), r.FormValue("items"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	fmt.Fprint(w, audit.Text(items))
	return nil
}

// noted is the result of writing a note, for the template "noted".
type noted struct {
	Path     string // of the session
	Seq      uint64 // 0: it waits in the spool
	Redacted int    // number of parts that were redacted when they were recorded, so that the note lacks them
}

// serveNote writes items into a note, so that the agent gets them with its next recovery text. With no other request can a
// person write to the log.
func (s *Server) serveNote(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	t := targetOf(r)
	items, err := s.histories.chosen(r.Context(), t, r.FormValue("items"))
	if err != nil {
		return err
	}
	text := audit.Text(items)
	seq, err := s.config.Note(r.Context(), Note{Target: t, Heading: s.say(r)("note-heading", len(items)), Text: text})
	if err != nil {
		return err
	}
	return s.write(w, r, "noted", noted{s.path(t), seq, redact.Count(text)})
}
