package markers

import (
	"time"

	"journal/events"
	"journal/journal/redact"
)

// Wrap makes the event of a marker that was read for a project's key, redacted. The id follows from
// the marker's content, so that the same content is imported once.
func Wrap(m events.MarkerImported, project string) (events.Envelope, error) {
	return events.Wrap(events.MapText(m, redact.Text), events.Meta{
		ID: events.DerivedID("marker.imported", project, m.Marker, m.Digest),
		At: time.Now().UnixNano(), Session: events.None, Project: project, Rules: int(redact.RuleSet),
	})
}
