package client

import (
	"journal/events"
	"journal/journal/redact"
)

// ReportOf makes the envelopes of the events that a hook means, in their order. key is the
// occurrence key: what two reports of one fact have in common.
func ReportOf(h events.Hook, key string) ([]events.Envelope, error) {
	return Report(events.Meta{
		At: h.At, Agent: h.Agent, Session: h.Session, Lane: h.Lane, Project: ProjectKey(h.Root),
		Turn: h.Turn, PID: h.PID, Key: key, Rules: int(redact.RuleSet),
	}, h.Rest, events.Recognise(h)...)
}
