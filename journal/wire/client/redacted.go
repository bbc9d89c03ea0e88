package client

import (
	"journal/events"
	"journal/journal/redact"
)

// Redacted gives an event that is encoded already without the secrets that the rules of this program find in it (ADR-0016):
// in the texts of its own fields, and in what the hook said beyond them, where the names of members decide too. Errors are
// those of events.MapEnvelope. It leaves the version of the rules as it is.
func Redacted(e events.Envelope) (events.Envelope, error) {
	if more, err := redact.JSON(e.More); err == nil {
		e.More = more
	}
	return events.MapEnvelope(e, redact.Text)
}

// Secrets lists what Redacted would remove from an event. The places are JSON pointers into its events.View: /data/text,
// /more/tool_input/pw.
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
