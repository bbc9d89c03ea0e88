// Package search finds events by their words.
package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

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
	Text    string      `json:"text"`  // part of the text around the first match, on one line
	Whole   bool        `json:"whole"` // the words of the query are whole words of the text; never set for a question
	Match   int         `json:"-"`     // byte offset in Text near which the first match begins; may be within a character
}

// Result is the result of a search.
type Result struct {
	Hits  []Hit // the best hits
	Total int   // number of all hits in the searched part
	More  bool  // the search stopped early: older events were not searched
}

// Options describe a search.
type Options struct {
	Query Query
	Types []events.Type // empty for any
	// Since and Until bound the times of events, by the reporters' clocks: from Since up to, but excluding, Until. Zero for
	// no bound.
	Since, Until time.Time

	Limit int  // greatest number of hits to return, at least 1
	Count bool // search everything, so that Result.Total counts every hit
	// Question ranks sessions if few events have every word of Query (see Find); empty for no ranking.
	Question Question
	// Sessions is the greatest number of sessions in a ranking; 0 for Limit.
	Sessions int
	// Index returns the index of the log. The function may be nil, and so may its result. Rank calls it, and a search for each span
	// of more than firstSpan.
	Index func() Index
	// Searched is called during a search: everything after the sequence was searched. It may be nil.
	Searched func(after uint64)
}

// OptionsFor returns the options of a search for a text: its query, and its question if nothing in it is in quotes.
func OptionsFor(s string) (o Options) {
	o.Query = Parse(s)
	if !strings.Contains(s, `"`) {
		o.Question = Ask(s)
	}
	return o
}

const (
	firstSpan = 4 << 10   // sequences that are searched first, the newest; each earlier span is twice as long, up to maxSpan
	maxSpan   = 256 << 10 // sequences of the longest span
)

// Search searches the events of a span that any of the selectors selects, or all without a selector, from the newest back. Hits on
// whole words come before other hits, and newer ones before older ones. Unless Count is set, the search stops when it has Limit hits
// on whole words. Echoes are skipped. Search returns the source's error.
func (o Options) Search(ctx context.Context, src replay.Source, span events.Span, sel ...events.Selector) (Result, error) {
	var whole, parts []Hit
	found := Result{}
	size := uint64(firstSpan)
	for until := span.Until; ; size = min(2*size, maxSpan) {
		after := span.After
		if until > span.After+size {
			after = until - size
		}
		var partsHere, wholeHere []Hit // the hits of this span
		for h, err := range o.Each(ctx, src, events.Span{After: after, Until: until}, sel...) {
			if err != nil {
				return found, err
			}
			found.Total++
			if h.Whole {
				wholeHere = o.add(wholeHere, h)
			} else {
				partsHere = o.add(partsHere, h)
			}
		}
		whole = append(whole, newestFirst(wholeHere, o.Limit)...)
		parts = newestFirst(append(parts, partsHere...), o.Limit)
		if o.Searched != nil {
			o.Searched(after)
		}
		found.More = len(whole) >= o.Limit && after > span.After && !o.Count
		if after == span.After || found.More {
			break
		}
		until = after
	}
	found.Hits = append(newestFirst(whole, o.Limit), newestFirst(parts, o.Limit)...)
	found.Hits = found.Hits[:min(len(found.Hits), o.Limit)]
	return found, nil
}

// A question of at least minTerms terms is ranked if fewer than minHits events have every word; a shorter one if none has.
const (
	minTerms = 4
	minHits  = 3
)

// Find returns the events of a log up to the sequence last that have every word of the query. If there are few, it also ranks
// the sessions by the question. It returns the errors of Search and Rank.
func (o Options) Find(ctx context.Context, src replay.Source, last uint64, sel ...events.Selector) (found Result, ranked Ranking, err error) {
	found, err = o.Search(ctx, src, events.Span{Until: last}, sel...)
	few := found.Total == 0 || len(o.Question) >= minTerms && found.Total < minHits
	if err != nil || !few || len(o.Question) == 0 {
		return found, ranked, err
	}
	ranked, err = o.Rank(ctx, src, last, sel...)
	return found, ranked, err
}

// add appends a hit. It drops the oldest hits when there are twice as many as Limit.
func (o Options) add(all []Hit, h Hit) []Hit {
	if all = append(all, h); len(all) >= 2*o.Limit {
		all = newestFirst(all, o.Limit)
	}
	return all
}

// newestFirst sorts hits by time, not by sequence, because imports append older events. It returns the first limit.
func newestFirst(all []Hit, limit int) []Hit {
	at := func(h Hit) string { return strings.TrimSuffix(h.At, "Z") } // a time without a fraction is before one with it
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Or(strings.Compare(at(b), at(a)), cmp.Compare(b.Seq, a.Seq)) })
	return all[:min(len(all), limit)]
}

// Each yields the hits among the events of a span that any of the selectors selects, in order of sequence.
func (o Options) Each(ctx context.Context, src replay.Source, span events.Span, sel ...events.Selector) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		for _, part := range o.parts(span) {
			for e, err := range src.Events(ctx, part, sel...) {
				if err != nil {
					yield(Hit{}, err)
					return
				}
				if !o.selects(e) || !o.Query.mayMatch(e) {
					continue
				}
				if h, ok := o.Query.FindIn(e); ok && !yield(h, nil) {
					return
				}
			}
		}
	}
}

// parts returns the parts of a span that may have a hit, according to the index.
func (o Options) parts(span events.Span) (all []events.Span) {
	var index Index
	if o.Index != nil && span.Until > span.After+firstSpan {
		index = o.Index()
	}
	if index == nil {
		return []events.Span{span}
	}
	firstFilter := span.After / FilterSpan
	filters := index.Filters(firstFilter, (span.Until-1)/FilterSpan+1)
	for after := span.After; after < span.Until; {
		n, until := after/FilterSpan, span.Until
		if i := n - firstFilter; i < uint64(len(filters)) {
			until = min(until, (n+1)*FilterSpan)
			if !filters[i].mayContain(o.Query) {
				after = until
				continue
			}
		}
		if last := len(all) - 1; last >= 0 && all[last].Until == after {
			all[last].Until = until
		} else {
			all = append(all, events.Span{After: after, Until: until})
		}
		after = until
	}
	return all
}

// selects reports whether the options select an event that is no echo, whatever its texts.
func (o Options) selects(e events.Envelope) bool {
	if e.EchoOf != 0 || len(o.Types) > 0 && !slices.Contains(o.Types, e.Type) {
		return false
	}
	return !e.Time().Before(o.Since) && (o.Until.IsZero() || e.Time().Before(o.Until))
}

// mayMatch reports whether the query may be in the texts of an event. It only looks at the stored bytes, which costs less than
// FindIn. It is true if these bytes cannot be compared. If it is false, FindIn finds nothing.
func (q Query) mayMatch(e events.Envelope) bool {
	if !byBytes(e) {
		return true
	}
	for _, w := range q {
		for part := range strings.FieldsSeq(w) {
			if !containsFolded(e.Body, part) {
				return false
			}
		}
	}
	return true
}

// byBytes reports whether an event's stored bytes can be compared with folded words: it is of the current version, so that the bytes
// hold its texts, and has no multibyte characters, which folding might turn into ASCII.
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

// containsFolded reports whether bytes contain a folded word, in either case. The word is not empty.
func containsFolded(b []byte, w string) bool {
	for at := 0; at+len(w) <= len(b); at++ {
		i := indexFolded(b[at:len(b)-len(w)+1], w[0])
		if i < 0 {
			return false
		}
		if at += i; strings.EqualFold(string(b[at:at+len(w)]), w) {
			return true
		}
	}
	return false
}

// indexFolded returns the first index of a folded byte in either case, -1 for none.
func indexFolded(b []byte, c byte) int {
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

// Query lists the folded words and phrases that an event must have in one text.
type Query []string

// Parse splits a text into words, and phrases in double quotes. The query is empty if there are none.
func Parse(s string) Query {
	var q Query
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			if p := folded(strings.Join(strings.Fields(part), " ")); p != "" {
				q = append(q, p)
			}
			continue
		}
		for w := range strings.FieldsSeq(part) {
			q = append(q, folded(w))
		}
	}
	return q
}

// folded returns a text in the form in which texts are compared: lower case and NFKC, so that widths and compositions
// do not matter.
func folded(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// matches reports whether a text contains every word and phrase of the query.
func (q Query) matches(s string) bool {
	s = folded(s)
	for _, w := range q {
		if !strings.Contains(s, w) && !strings.Contains(strings.Join(strings.Fields(s), " "), w) {
			return false
		}
	}
	return true
}

// tags removes a client's tags around the parts of a summary.
var tags = strings.NewReplacer("<analysis>", "", "</analysis>", "", "<summary>", "", "</summary>", "")

// FindIn returns the event as a hit, if one of its texts contains the query. An event that cannot be read is no hit.
func (q Query) FindIn(e events.Envelope) (Hit, bool) {
	ev, err := events.Open(e)
	if err != nil {
		return Hit{}, false // verify reports it
	}
	if _, unknown := ev.(events.Unknown); !unknown { // this costs less than the JSON of hitOf
		found := false
		events.MapText(ev, func(s string) string {
			found = found || q.matches(s)
			return s
		})
		if !found {
			return Hit{}, false
		}
	}
	h := hitOf(e, func(h *Hit, path, text string) bool {
		if !q.matches(text) {
			return true
		}
		if whole := q.whole(text); h.Field == "" || whole {
			h.Field, h.Whole = path, whole
			h.Text, h.Match = q.excerpt(text)
		}
		return !h.Whole
	})
	if h.Field == "summary" {
		before := tags.Replace(h.Text[:h.Match])
		h.Text, h.Match = before+tags.Replace(h.Text[h.Match:]), len(before)
	}
	return h, h.Field != ""
}

// hitOf returns an event as a hit. It calls do with the hit and each text of the event, until do returns false. do sets the fields
// about the text.
func hitOf(e events.Envelope, do func(h *Hit, path, text string) bool) Hit {
	h := Hit{Seq: e.Seq, Project: e.Project, Session: e.Session, Type: e.Type}
	v, err := events.ViewOf(e)
	if err != nil {
		return h
	}
	h.At = v.At
	var data any
	if json.Unmarshal(v.Data, &data) == nil {
		eachText("", data, func(path, text string) bool { return do(&h, path, text) })
	}
	return h
}

// eachText calls do with every text in a JSON value and its path, in the order of the names of members, until do returns false.
// It returns false if do did.
func eachText(path string, v any, do func(path, text string) bool) bool {
	switch v := v.(type) {
	case string:
		return do(path, v)
	case []any:
		for i, item := range v {
			if !eachText(fmt.Sprintf("%s[%d]", path, i), item, do) {
				return false
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !eachText(strings.TrimPrefix(path+"."+name, "."), v[name], do) {
				return false
			}
		}
	}
	return true
}

// whole reports whether a text has every word and phrase of the query as whole words.
func (q Query) whole(s string) bool {
	s = strings.Join(strings.Fields(folded(s)), " ")
	return !slices.ContainsFunc(q, func(w string) bool { return !text.HasWords(s, w) })
}

// aroundBytes is the number of bytes kept on each side of a match.
const aroundBytes = 160

// excerpt returns the part of a text around its first match of the query's first word, on one line, and an offset in it near which the
// match begins.
func (q Query) excerpt(s string) (near string, at int) {
	s = strings.Join(strings.Fields(s), " ")
	// Folding can change lengths: a binary search finds the shortest prefix of s that contains the first word.
	low, high := 0, len(s)
	for low < high {
		if mid := (low + high) / 2; strings.Contains(folded(s[:mid]), q[0]) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return cutExcerpt(s, max(0, low-len(q[0])))
}

// cutExcerpt returns the part of a line around the byte at, cut at whole characters, and the offset of the byte in it.
func cutExcerpt(s string, at int) (near string, match int) {
	if len(s) <= 2*aroundBytes {
		return s, at
	}
	from, to := text.Before(s, max(0, at-aroundBytes)), text.After(s, min(len(s), at+aroundBytes))
	cut := s[from:to]
	at -= from
	if from > 0 {
		cut, at = "…"+cut, at+len("…")
	}
	if to < len(s) {
		cut += "…"
	}
	return cut, at
}
