// Package search finds events by what is said in them.
package search

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"journal/events"
	"journal/events/text"
	"journal/replay"
)

// Hit is an event that a search found. Its JSON form is that of `journal search --json`.
type Hit struct {
	Seq     uint64      `json:"seq"`
	At      string      `json:"at"`
	Project string      `json:"project"`
	Session string      `json:"session"`
	Type    events.Type `json:"type"`
	Field   string      `json:"field"` // path of the text in the event's data
	Text    string      `json:"text"`  // around the first match
}

// Newest finds the newest events of a source that hold everything of a query, at most limit of them,
// newest first: of the given types, of every one without any. Echoes are left out. The error is the
// source's.
func Newest(ctx context.Context, src replay.Source, q Query, limit int, span events.Span, types []events.Type, sel ...events.Selector) ([]Hit, error) {
	var hits []Hit // oldest first
	for e, err := range src.Events(ctx, span, sel...) {
		if err != nil {
			return nil, err
		}
		if e.EchoOf != 0 || len(types) > 0 && !slices.Contains(types, e.Type) {
			continue
		}
		if h, ok := q.In(e); ok {
			if hits = append(hits, h); len(hits) > limit {
				hits = hits[1:]
			}
		}
	}
	slices.Reverse(hits)
	return hits, nil
}

// Query is the words and phrases that a text has to hold, folded.
type Query []string

// Parse splits a text into words, and phrases between double quotes. It is empty for a text without
// any.
func Parse(s string) Query {
	var q Query
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			if p := folded(strings.Join(strings.Fields(part), " ")); p != "" {
				q = append(q, p)
			}
			continue
		}
		for _, w := range strings.Fields(part) {
			q = append(q, folded(w))
		}
	}
	return q
}

// folded gives a text in the form in which texts are compared: lower case and
// compatible characters, so that widths and compositions do not matter.
func folded(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.ToLower(norm.NFKC.String(s))
		}
	}
	return strings.ToLower(s)
}

// matches says whether a text holds everything of the query.
func (q Query) matches(s string) bool {
	s = folded(s)
	for _, w := range q {
		if !strings.Contains(s, w) && !strings.Contains(strings.Join(strings.Fields(s), " "), w) {
			return false
		}
	}
	return true
}

// In looks through the texts of an event. What cannot be read holds nothing.
func (q Query) In(e events.Envelope) (Hit, bool) {
	ev, err := events.Open(e)
	if err != nil {
		return Hit{}, false // verify tells of it
	}
	if _, unknown := ev.(events.Unknown); !unknown {
		found := false
		events.MapText(ev, func(s string) string {
			found = found || q.matches(s)
			return s
		})
		if !found {
			return Hit{}, false
		}
	}
	v, err := events.ViewOf(e)
	if err != nil {
		return Hit{}, false
	}
	var data any
	if json.Unmarshal(v.Data, &data) != nil {
		return Hit{}, false
	}
	field, said, ok := q.field("", data)
	if !ok {
		return Hit{}, false
	}
	return Hit{Seq: e.Seq, At: v.At, Project: e.Project, Session: e.Session, Type: e.Type, Field: field, Text: q.around(said)}, true
}

// field finds the first text of a value that matches, and its path.
func (q Query) field(path string, v any) (string, string, bool) {
	switch v := v.(type) {
	case string:
		return path, v, q.matches(v)
	case []any:
		for i, one := range v {
			if p, s, ok := q.field(fmt.Sprintf("%s[%d]", path, i), one); ok {
				return p, s, true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if p, s, ok := q.field(strings.TrimPrefix(path+"."+name, "."), v[name]); ok {
				return p, s, true
			}
		}
	}
	return "", "", false
}

// aroundBytes is how much of a text is given on each side of a match.
const aroundBytes = 160

// around gives the text near its first match, cut at whole characters.
func (q Query) around(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= 2*aroundBytes {
		return s
	}
	// Folding can change lengths, so the place is found by halving: the shortest
	// beginning of s that holds the first word.
	low, high := 0, len(s)
	for low < high {
		if mid := (low + high) / 2; strings.Contains(folded(s[:mid]), q[0]) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	from, to := text.Before(s, max(0, low-aroundBytes)), text.After(s, min(len(s), low+aroundBytes))
	cut := s[from:to]
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(s) {
		cut += "…"
	}
	return cut
}
