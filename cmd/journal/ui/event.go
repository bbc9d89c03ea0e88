package ui

import (
	"bytes"
	"encoding/json"
	"net/http"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
)

// wholeBytes bounds each text of a whole event on a page. journal show prints the rest, too.
const wholeBytes = 20 << 10

// eventView is one whole event.
type eventView struct {
	events.View
	Fields []textView
}

// textView is one member of an event as text.
type textView struct {
	Name, Text string
	Long       bool // it is shown in a block of its own
}

// serveEvent serves one whole event of a session.
func (s *Server) serveEvent(w http.ResponseWriter, r *http.Request) error {
	t, seq := targetOf(r), number(r, "seq")
	e, found, err := s.log.event(r.Context(), t, seq)
	if err != nil {
		return err
	}
	if !found {
		return missingError("no such event")
	}
	v, err := events.ViewOf(e)
	if err != nil {
		return err
	}
	shown := eventView{View: v}
	for _, m := range cli.StateMembers(v.Data) {
		shown.Fields = append(shown.Fields, textOf(m))
	}
	return s.write(w, r, "event", shown)
}

// shortText is the longest text that is shown beside its name, in bytes.
const shortText = 80

// textOf returns a member as text, cut after wholeBytes. A value that is no string becomes indented JSON.
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
