package replay

import (
	"context"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// maxTitle bounds a title, in UTF-16 units.
const maxTitle = 160

// Title tells a person which session it is: what was asked in it first, on one line. It is
// empty for a session in which no person asked anything. The error is the source's.
func Title(ctx context.Context, src Source, t projections.Target) (string, error) {
	asked := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.PromptSubmitted]()}
	for e, err := range src.Events(ctx, events.Span{}, asked) {
		if err != nil {
			return "", err
		}
		if title := TitleIn(e); title != "" {
			return title, nil
		}
	}
	return "", nil
}

// TitleIn gives the title of a session whose first request an event is; it is empty where
// the event is no request of a person.
func TitleIn(e events.Envelope) string {
	if e.EchoOf != 0 || e.Lane != "" || e.Type != events.TypeOf[events.PromptSubmitted]() {
		return ""
	}
	ev, err := events.Open(e)
	p, ok := ev.(events.PromptSubmitted)
	if err != nil || !ok || p.Machine {
		return ""
	}
	if words, _, _ := text.Own(p.Text); strings.TrimSpace(words) != "" {
		return headline(words)
	}
	return "" // a recovery text alone: what is asked next tells
}

// headline puts a request on one line. Of a document that it only announces ("Implement
// the following plan:") that is the document's own heading.
func headline(request string) string {
	first, rest, _ := strings.Cut(text.Trimmed(request), "\n")
	if heading, _, _ := strings.Cut(text.Trimmed(rest), "\n"); strings.HasSuffix(first, ":") && strings.HasPrefix(heading, "#") {
		request = strings.TrimLeft(heading, "#")
	}
	return text.CutUnits(text.Line(request), maxTitle)
}
