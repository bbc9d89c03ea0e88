package redact

import (
	"cmp"
	"slices"
	"strings"
)

// This file decides what becomes of a text: it is looked at in rounds, and what rules find is replaced by marks.

// RuleSet is the version of the rules. It is stored with every event, so that texts are compared only when the same rules
// redacted them (ADR-0016 rule 5). It rises by one whenever some text would be redacted differently than before.
const RuleSet uint32 = 18

// rounds bounds how often the whole text is looked at again. A mark changes what stands beside it, so a text is done when a
// round finds nothing. That is the second round as a rule, and of 400,000 generated texts none needed more than three; the
// bound keeps the time linear if a hostile text finds a way to need many.
const rounds = 9

// Text returns s with every secret and every private passage replaced by a mark. It returns s itself when nothing
// was found, and then allocates nothing unless an expression matched something that is no secret on a second look.
// Redacting a redacted text changes nothing. The time is linear in len(s). Text is safe for concurrent use.
func Text(s string) string { return inRounds(s, func([]span) {}) }

// inRounds is Text. It calls show with the secrets of each round before they are replaced.
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
	weight   int // length of the keyword that led here
}

// secrets returns the secrets of s in order. They do not overlap: where two rules claim the same bytes, the secret covers
// both claims, so that nothing of it remains.
func secrets(s string) []span {
	found, seen := scan(s)
	look := func(asked bool, view rewrite, find func(view string) []span) {
		if asked {
			found = append(found, view.findIn(s, find)...)
		}
	}
	look(hasLinePrefix(s), dropping(linePrefixAt), scanPlain)
	look(seen&hidden != 0 || strings.Contains(s, softHyphen) || strings.Contains(s, "\r\n"), dropping(unseenAt), scanPlain)
	look(seen&framed != 0 && seen&headed != 0, plainFrames, scanPlain)
	look(seen&listed != 0, joinList, scanPlain)
	look(escapes(s), unescape, secrets)
	return merge(found)
}

// sights are features of a text that ask for another scan, of the text without them.
type sights uint8

const (
	hidden sights = 1 << iota // invisible characters
	framed                    // the frame of a table
	listed                    // a command written as a list
	headed                    // a heading that names secrets
)

// scan returns the secrets that rules find at their keywords, and the features of the text that ask for other views.
func scan(s string) (found []span, seen sights) {
	g := theGate()
	var last []span // by rule: its latest secret
	end := -1       // where the secret that reaches furthest ends
	marked := strings.Contains(s, markOpen)
	for at := g.next(s, 0); at >= 0; at = g.next(s, at+1) {
		if marked && insideMark(s, at) {
			continue
		}
		for w := g.word(s, at, nil); w != nil; w = g.word(s, at, w) {
			if last != nil && last[w.rule.index].from <= at && at < last[w.rule.index].to {
				continue // a rule does not look into its own secrets: "token=token=token=…" would cost quadratic time
			}
			seen |= w.rule.sees
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
		l := &out[len(out)-1]
		if next.from >= l.to {
			out = append(out, next)
			continue
		}
		if a, b := next.rule.generic, l.rule.generic; !a && b || a == b && next.weight > l.weight {
			l.rule, l.weight = next.rule, next.weight
		}
		l.to = max(l.to, next.to)
	}
	return out
}

// replace returns s with a mark in the place of each of the spans, which are in order and do not overlap.
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
