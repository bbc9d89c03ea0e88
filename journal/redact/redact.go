package redact

import (
	"cmp"
	"slices"
	"strings"
)

// This file redacts a text in rounds. Each round replaces the secrets that the rules find by marks.

// RuleSet is the version of the rules. It is stored with every event, so that texts are compared only when the same rules
// redacted them (ADR-0016 rule 5). It rises by one whenever some text would be redacted differently than before.
const RuleSet uint32 = 45

// rounds bounds the rounds over a text. A mark can change what the rules find near it, so a text is done when a round finds
// nothing. That is usually the second round, and of 400,000 generated texts none needed more than three. The bound keeps the
// time linear for a hostile text that would need many.
const rounds = 9

// Text returns s with every secret and every private passage replaced by a mark. It returns s itself if it finds nothing. It then
// allocates only for views, which few texts need, and for a match of an expression that was rejected.
// Redacting a redacted text changes nothing. The time is linear in len(s). Text is safe for concurrent use.
func Text(s string) string { return inRounds(s, func([]span) {}) }

// inRounds implements Text. It calls show with the secrets of each round, perhaps none, before it replaces them.
func inRounds(s string, show func(found []span)) string {
	found := private(s)
	for range rounds {
		show(found)
		s = replace(s, found)
		if found = secrets(s); len(found) == 0 {
			break
		}
	}
	return s
}

// span is a secret: the bytes s[from:to].
type span struct {
	from, to int
	rule     *Rule
	weight   int // length of the keyword that led to the secret, in bytes
}

// secrets returns the secrets of s in order, also those that show only in a view. They do not overlap: secrets of two rules that
// overlap become one secret, which covers both.
func secrets(s string) []span {
	found, seen := scan(s)
	scanView := func(needed bool, view rewrite) {
		if needed {
			found = append(found, view.findIn(s, scanPlain)...)
		}
	}
	scanView(hasLinePrefix(s), dropping(linePrefixAt))
	prefix := sharedPrefix(s)
	scanView(prefix != "", dropping(prefixAt(prefix)))
	scanView(seen&hidden != 0 || strings.Contains(s, softHyphen) || strings.Contains(s, "\r\n"), dropping(unseenAt))
	scanView(seen&framed != 0 && seen&headed != 0, plainFrames)
	scanView(seen&listed != 0, joinList)
	scanView(seen&escapedHTML != 0, unescapeHTML)
	if hasEscapes(s) {
		found = append(found, unescape.findIn(s, secrets)...)
	} else {
		found = append(found, inLiterals(s)...)
	}
	return merge(found)
}

// features is a set of features of a text, each of which makes a view of the text necessary.
type features uint8

const (
	hidden      features = 1 << iota // invisible characters
	framed                           // the frame of a table
	listed                           // a command written as a list
	headed                           // a heading that names secrets
	escapedHTML                      // signs that HTML escapes
)

// scan returns the secrets that rules find at their keywords, and the features of the text that the keywords show.
func scan(s string) (found []span, seen features) {
	g := theGate()
	var last []span // by rule: its latest secrets, as one span
	end := -1       // the end of the secret that reaches furthest, -1 for none
	marked := strings.Contains(s, markOpen)
	for at := g.next(s, 0); at >= 0; at = g.next(s, at+1) {
		if marked && insideMark(s, at) {
			continue
		}
		for w := g.keywordAt(s, at, nil); w != nil; w = g.keywordAt(s, at, w) {
			if last != nil && last[w.rule.index].from <= at && at < last[w.rule.index].to {
				continue // a rule does not scan its own secrets: "token=token=token=…" would cost quadratic time
			}
			seen |= w.rule.features
			before := len(found)
			found = w.rule.matchAll(found, s, at-w.rare, at-w.rare+len(w.text), end)
			if len(found) == before {
				continue
			}
			if last == nil {
				last = make([]span, len(allRules))
			}
			to := found[len(found)-1].to
			last[w.rule.index], end = span{from: found[before].from, to: to}, max(end, to)
		}
	}
	return found, seen
}

// merge sorts the spans and joins those that overlap. The joined span gets the most specific rule: one that knows the
// shape of the secret before one that knows its place, then the longer keyword.
func merge(spans []span) []span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := spans[:1]
	for _, next := range spans[1:] {
		previous := &out[len(out)-1]
		if next.from >= previous.to {
			out = append(out, next)
			continue
		}
		moreSpecific := next.weight > previous.weight
		if next.rule.generic != previous.rule.generic {
			moreSpecific = previous.rule.generic
		}
		if moreSpecific {
			previous.rule, previous.weight = next.rule, next.weight
		}
		previous.to = max(previous.to, next.to)
	}
	return out
}

// replace returns s with a mark in place of each span. The spans are in order and do not overlap.
func replace(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, p := range spans {
		b.WriteString(s[done:p.from])
		b.WriteString(markOpen + p.rule.Kind + markClose)
		done = p.to
	}
	b.WriteString(s[done:])
	return b.String()
}
