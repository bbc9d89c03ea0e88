package client

import (
	"journal/events"
	"journal/journal/redact"
)

// Redacted returns an encoded event without the secrets that this program's rules find (ADR-0016): in the texts of its fields, and
// in the other members of the hook's payload, where their names count too. It returns the errors of events.MapEnvelope. It does not
// change the event's version of the rules.
func Redacted(e events.Envelope) (events.Envelope, error) {
	if more, err := redact.JSON(e.More); err == nil {
		e.More = more
	}
	return events.MapEnvelope(e, redact.Text)
}

// Secrets returns the secrets that Redacted would remove from an event. The places are JSON pointers into its events.View, such as
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
