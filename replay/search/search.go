// Package search finds events by what is said in them.
package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
	Whole   bool        `json:"whole"` // the words of the query are words of the text, not only parts of them
	Match   int         `json:"-"`     // byte of Text near which the first match begins
}

// Found is what a search found.
type Found struct {
	Hits  []Hit // the best
	Total int   // hits in all, of what was looked at
	More  bool  // there were enough, so that what is older was not looked at
}

// Options say what a search looks for.
type Options struct {
	Query Query
	Types []events.Type // any without
	Since time.Time     // by the reporters' clocks; zero: ever
	Limit int           // at most so many hits are given, from 1
	Count bool          // every hit is counted, also when there are enough
	// Meshes gives those of some stretches, counted from 0, from one up to another, as far as they are known; what they hold
	// back is not read. It is asked where more is looked at than the newest; nil: there are none.
	Meshes func(from, to uint64) []*Mesh
	// Looked is told after which sequence everything was looked at; nil: nobody.
	Looked func(after uint64)
}

// stretch is how many sequences are looked at first, the newest; each stretch before is twice as long, up to
// longest.
const (
	stretch = 4 << 10
	longest = 256 << 10
)

// In looks through the events of a span of a source that any of the selectors selects, without any
// through all, from the newest back. Hits on whole words come before those on parts of words, and the newest
// first, so it stops when it has enough of them. Echoes are left out. The error is the source's.
func (o Options) In(ctx context.Context, src replay.Source, span events.Span, sel ...events.Selector) (Found, error) {
	var whole, parts []Hit // newest first
	found := Found{}
	size := uint64(stretch)
	for until := span.Until; ; size = min(2*size, longest) {
		after := span.After
		if until > span.After+size {
			after = until - size
		}
		var here [2][]Hit // oldest first
		for h, err := range o.Each(ctx, src, events.Span{After: after, Until: until}, sel...) {
			if err != nil {
				return found, err
			}
			found.Total++
			to := &here[0]
			if h.Whole {
				to = &here[1]
			}
			if *to = append(*to, h); len(*to) > o.Limit {
				*to = (*to)[1:]
			}
		}
		slices.Reverse(here[0])
		slices.Reverse(here[1])
		whole, parts = append(whole, here[1]...), append(parts, here[0]...)
		parts = parts[:min(len(parts), o.Limit)]
		if o.Looked != nil {
			o.Looked(after)
		}
		found.More = len(whole) >= o.Limit && after > span.After && !o.Count
		if after == span.After || found.More {
			break
		}
		until = after
	}
	found.Hits = append(whole, parts...)
	found.Hits = found.Hits[:min(len(found.Hits), o.Limit)]
	return found, nil
}

// Each gives every hit among these events, in order of their sequence, however many there are.
func (o Options) Each(ctx context.Context, src replay.Source, span events.Span, sel ...events.Selector) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		for _, part := range o.parts(span) {
			for e, err := range src.Events(ctx, part, sel...) {
				if err != nil {
					yield(Hit{}, err)
					return
				}
				if h, ok := o.in(e); ok && !yield(h, nil) {
					return
				}
			}
		}
	}
}

// parts gives the parts of a span that may have a hit.
func (o Options) parts(span events.Span) (all []events.Span) {
	if o.Meshes == nil || span.Until <= span.After+stretch {
		return []events.Span{span}
	}
	first := span.After / Stretch
	meshes := o.Meshes(first, (span.Until-1)/Stretch+1)
	for after := span.After; after < span.Until; {
		i, until := after/Stretch-first, span.Until
		if known := i < uint64(len(meshes)); known {
			until = min(until, (first+i+1)*Stretch)
			if !meshes[i].lets(o.Query) {
				after = until
				continue
			}
		}
		if n := len(all); n > 0 && all[n-1].Until == after {
			all[n-1].Until = until
		} else {
			all = append(all, events.Span{After: after, Until: until})
		}
		after = until
	}
	return all
}

// in says whether an event is a hit.
func (o Options) in(e events.Envelope) (Hit, bool) {
	if e.EchoOf != 0 || len(o.Types) > 0 && !slices.Contains(o.Types, e.Type) || !o.Since.IsZero() && e.Time().Before(o.Since) {
		return Hit{}, false
	}
	if !o.Query.mayStand(e) {
		return Hit{}, false
	}
	return o.Query.In(e)
}

// mayStand says whether the query can stand in the texts of an event, by its stored bytes; false is certain. What is
// folded is not compared, nor what an older shape is brought up from.
func (q Query) mayStand(e events.Envelope) bool {
	if !byBytes(e) {
		return true
	}
	for _, w := range q {
		for part := range strings.FieldsSeq(w) {
			if !holds(e.Body, part) {
				return false
			}
		}
	}
	return true
}

// byBytes says whether what an event stores can be compared byte by byte: it is of the present shape, and no
// character may be folded into one that is ASCII.
func byBytes(e events.Envelope) bool {
	if !events.IsCurrent(e) {
		return false
	}
	for i, b := range e.Body {
		if b >= 0xC2 && i+1 < len(e.Body) && e.Body[i+1]&0xC0 == 0x80 {
			return false
		}
	}
	return true
}

// holds says whether bytes hold a folded word, in whatever case.
func holds(b []byte, w string) bool {
	for at := 0; at+len(w) <= len(b); at++ {
		i := next(b[at:len(b)-len(w)+1], w[0])
		if i < 0 {
			return false
		}
		if at += i; strings.EqualFold(string(b[at:at+len(w)]), w) {
			return true
		}
	}
	return false
}

// next finds a folded byte, in whatever case, -1 for nowhere.
func next(b []byte, c byte) int {
	i := bytes.IndexByte(b, c)
	if c < 'a' || c > 'z' {
		return i
	}
	if i >= 0 {
		b = b[:i]
	}
	if upper := bytes.IndexByte(b, c-'a'+'A'); upper >= 0 {
		return upper
	}
	return i
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
	best := q.field("", data)
	if best.text == "" {
		return Hit{}, false
	}
	h := Hit{Seq: e.Seq, At: v.At, Project: e.Project, Session: e.Session, Type: e.Type, Field: best.path, Whole: best.whole}
	h.Text, h.Match = q.around(best.text)
	return h, true
}

// match is a text that matches, none when it is empty.
type match struct {
	path, text string
	whole      bool
}

// field finds the first text of a value that matches, best with whole words.
func (q Query) field(path string, v any) (best match) {
	consider := func(m match) (enough bool) {
		if m.text != "" && (best.text == "" || m.whole && !best.whole) {
			best = m
		}
		return best.whole
	}
	switch v := v.(type) {
	case string:
		if q.matches(v) {
			best = match{path, v, q.whole(v)}
		}
	case []any:
		for i, one := range v {
			if consider(q.field(fmt.Sprintf("%s[%d]", path, i), one)) {
				break
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if consider(q.field(strings.TrimPrefix(path+"."+name, "."), v[name])) {
				break
			}
		}
	}
	return best
}

// whole says whether everything of the query stands in a text as words of its own.
func (q Query) whole(s string) bool {
	s = strings.Join(strings.Fields(folded(s)), " ")
	for _, w := range q {
		if !hasWord(s, w) {
			return false
		}
	}
	return true
}

func hasWord(s, w string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		first, n := utf8.DecodeRuneInString(s[at:])
		last, _ := utf8.DecodeLastRuneInString(s[:at+len(w)])
		after, _ := utf8.DecodeRuneInString(s[at+len(w):])
		if !joined(before, first) && !joined(last, after) {
			return true
		}
		from = at + n
	}
}

// joined says whether two characters stand in one word. Where words are not parted by blanks, or take
// particles at their ends, nobody can tell: there any place counts as an end.
func joined(a, b rune) bool { return inWord(a) && inWord(b) }

func inWord(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// aroundBytes is how much of a text is given on each side of a match.
const aroundBytes = 160

// around gives the text near its first match, cut at whole characters, and where in it that is.
func (q Query) around(s string) (near string, at int) {
	s = strings.Join(strings.Fields(s), " ")
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
	at = max(0, low-len(q[0]))
	if len(s) <= 2*aroundBytes {
		return s, at
	}
	from, to := text.Before(s, max(0, low-aroundBytes)), text.After(s, min(len(s), low+aroundBytes))
	cut := s[from:to]
	if at = max(0, at-from); from > 0 {
		cut, at = "…"+cut, at+len("…")
	}
	if to < len(s) {
		cut += "…"
	}
	return cut, at
}
