package client

import (
	"journal/events"
	"journal/journal/redact"
)

// ReportOf makes the envelopes of the events that a hook means, in their order. key is the
// occurrence key: what two reports of one fact have in common. id is that of the first
// event, and the others' follow from it; empty makes a new one.
func ReportOf(id string, h events.Hook, key string) ([]events.Envelope, error) {
	about := MetaOf(h, key, ProjectKey(h.Root))
	about.ID = id
	return Report(about, h.Rest, events.Recognise(h)...)
}

// MetaOf says what the events of a hook belong to. project is the key of the project at the
// hook's root.
func MetaOf(h events.Hook, key, project string) events.Meta {
	return events.Meta{
		At: h.At, Agent: h.Agent, Session: h.Session, Lane: h.Lane, Project: project,
		Turn: h.Turn, PID: h.PID, Key: key, Rules: int(redact.RuleSet),
	}
}
