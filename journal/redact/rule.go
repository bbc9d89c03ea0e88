package redact

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// This file declares rules, and finds the secret at a keyword.

// usualWindow is the window of a rule that declares none, in bytes. It holds a name, its separator, and enough of a value to
// judge the value.
const usualWindow = 512

// commandWindow is the window of rules for commands.
const commandWindow = 1 << 10

// Rule finds secrets of one kind.
type Rule struct {
	// Name identifies the rule and is unique.
	Name string
	// Kind is the name in the mark: lower case letters, digits and hyphens, at most 32 bytes. Several rules may share a kind.
	Kind string
	// Keywords are the literals that lead to the rule, at least 3 bytes each. When Fold is set they are in lower case.
	Keywords []string
	// Fold makes the ASCII letters of the keywords match in either case.
	Fold bool

	// A rule has one of four ways to find its secret: format, pattern, find, or each.

	// format is the shape of a token that formats.txt describes.
	format format
	// leads is the number of bytes of the token before its keyword.
	leads int

	// pattern is a regular expression that begins at the keyword. The secret is the first group, or the whole match when the
	// pattern has no group.
	pattern string

	// needs are sets of bytes, "" for none. The pattern, which costs far more, is tried only if a byte of each set stands behind the
	// beginning of the keyword.
	needs [2]string

	// find returns the secret s[from:to] to which the keyword s[at:end] leads, or -1, -1. It is first called for a text that ends with
	// the window. If the secret ends there too, it is called for the whole text, and must find the same beginning.
	find func(s string, at, end int) (from, to int)

	// each is find for rules whose keyword leads to several secrets. Its text always ends with the window. Secrets that touch marks
	// are dropped. Rules with each have neither apart nor check.
	each func(s string, at, end int) []span

	// head is the number of the keyword's first bytes that find gets as the keyword. The zero value means all.
	head int
	// apart holds the bytes that must not stand directly before the keyword, or before a token. The zero value allows every
	// byte.
	apart charset
	// check, if set, can reject a secret. It gets at most the window.
	check func(secret string) bool
	// generic marks a rule that knows only what stands before a secret, such as a name, and not the secret's shape.
	generic bool
	// window is the number of bytes, from the keyword's beginning on, that decide. The zero value means usualWindow. A secret may be
	// longer.
	window int

	features features              // of a text in which one of the keywords occurs
	index    int                   // in the list of all rules
	compiled func() *regexp.Regexp // of pattern
}

// matchAll appends the secrets to which the keyword s[at:end] leads. lastEnd is as for match.
func (r *Rule) matchAll(found []span, s string, at, end, lastEnd int) []span {
	if r.each == nil {
		if from, to := r.match(s, at, end, lastEnd); from >= 0 {
			found = append(found, span{from: from, to: to, rule: r, weight: end - at})
		}
		return found
	}
	near := clip(s, max(end, at+cmp.Or(r.window, usualWindow)))
	for _, f := range r.each(near, at, end) {
		if f.to == len(near) {
			f.to += indexOr(s[f.to:], argumentEnds) // the window cut the secret
		}
		if f.from < f.to && !touchesMark(s, f.from, f.to) && !insideMark(s, f.from) {
			f.rule, f.weight = cmp.Or(f.rule, r), end-at
			found = append(found, f)
		}
	}
	return found
}

// match returns the secret s[from:to] to which the keyword s[at:end] leads, or -1, -1. lastEnd is the end of the furthest secret found
// so far, -1 for none. A mark will stand before a token that begins at lastEnd, so apart is not checked for it.
func (r *Rule) match(s string, at, end, lastEnd int) (from, to int) {
	first := at - r.leads
	if first < 0 {
		return -1, -1
	}
	if first > 0 && first != lastEnd && r.apart.has(s[first-1]) && !escaped(s, first-1) {
		return -1, -1
	}
	near := s[:min(len(s), max(end, at+cmp.Or(r.window, usualWindow)))]
	from, to = r.locate(near, at, end)
	if from < 0 || from == to || touchesMark(s, from, to) || insideMark(s, from) || r.check != nil && !r.check(near[from:to]) {
		return -1, -1
	}
	if to < len(near) || to == len(s) {
		return from, to
	}
	// The window decided that this is a secret. It ends behind the window, and at the latest at the next mark.
	if _, end := r.locate(s, at, end); end > to {
		rest, _, _ := strings.Cut(s[to:end], markOpen)
		to += len(rest)
	}
	return from, to
}

// locate returns the secret s[from:to] to which the keyword s[at:end] leads, or -1, -1, without the checks of match.
func (r *Rule) locate(s string, at, end int) (from, to int) {
	switch {
	case r.find != nil && r.head > 0:
		return r.find(s, at, at+r.head)
	case r.find != nil:
		return r.find(s, at, end)
	case r.pattern != "":
		return r.locatePattern(s, at)
	}
	return r.format.find(s, at, end)
}

// locatePattern implements locate for a rule with a pattern. A secret that ends the match of a generic rule reaches up to the closing
// quote, if a quote stands before it.
func (r *Rule) locatePattern(s string, at int) (from, to int) {
	for _, set := range r.needs {
		if set != "" && !strings.ContainsAny(s[at:], set) {
			return -1, -1
		}
	}
	m := r.compiled().FindStringSubmatchIndex(s[at:])
	if m == nil {
		return -1, -1
	}
	whole := at + m[1]
	m = m[len(m)-2:] // the group, or the whole match
	from, to = at+m[0], at+m[1]
	begin := at + strings.LastIndexAny(s[at:from], " \t=(,") + 1 // index of the quote before the secret, if there is one
	if q, _ := opening(s[begin:from]); q.close == "" {
		begin = max(at, from-1)
	}
	if q, width := opening(s[begin:from]); q.close != "" && r.generic && whole == to {
		to = max(to, begin+width+q.value(s[begin+width:]))
	} else if r.window == commandWindow && to < len(s) && s[to] == '\\' {
		to += argumentRun(s[to:]) // patterns end at a backslash, which may belong to the argument
	}
	return from, to
}

// placeIf returns from and to if secret is true, else -1, -1.
func placeIf(secret bool, from, to int) (int, int) {
	if !secret {
		return -1, -1
	}
	return from, to
}

// lazily returns a function that compiles a pattern at its first call.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
