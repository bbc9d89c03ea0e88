package client

import (
	"journal/events"
	"journal/journal/redact"
)

// Redacted returns an event without the secrets that this program's rules find (ADR-0016): in the texts of its fields, and in More,
// the other members of the hook's payload, where the names of members count too. The error is that of events.MapEnvelope. The field
// Rules stays as it is.
func Redacted(e events.Envelope) (events.Envelope, error) {
	if more, err := redact.JSON(e.More); err == nil {
		e.More = more
	}
	return events.MapEnvelope(e, redact.Text)
}

// Secrets lists the secrets that Redacted removes from an event. The places are JSON pointers into its events.View, such as
// /data/text and /more/tool_input/pw.
func Secrets(e events.Envelope) ([]redact.Finding, error) {
	v, err := events.ViewOf(e)
	if err != nil {
		return nil, err
	}
	found := redact.FindInTexts(v.Data)
	for i := range found {
		found[i].Place = "/data" + found[i].Place
	}
	if v.More != nil {
		for _, f := range redact.FindIn(v.More) {
			f.Place = "/more" + f.Place
			found = append(found, f)
		}
	}
	return found, nil
}
