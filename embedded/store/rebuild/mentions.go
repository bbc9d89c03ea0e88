package rebuild

import (
	"bytes"
	"strings"

	"journal/events"
)

// Mentions says whether an event holds a text, letter by letter, wherever it
// keeps texts: also escaped in what is stored of a hook's JSON.
func Mentions(e events.Envelope, text string) bool {
	if bytes.Contains(e.Body, []byte(text)) || bytes.Contains(e.More, []byte(text)) ||
		strings.Contains(e.Session, text) || strings.Contains(e.Lane, text) || strings.Contains(e.Project, text) {
		return true
	}
	found := false
	_, err := events.MapEnvelope(e, func(s string) string {
		found = found || strings.Contains(s, text)
		return s
	})
	return err == nil && found
}
