package redact

import (
	"iter"
	"slices"
	"strings"
)

// This file decides what the elements of an array say about each other: an option about its argument, lines about a key.

// Array is the place of an array whose elements are asked for one after the other.
type Array struct {
	at    Place
	texts []string // nil when no element tells anything of another
	found [][]span
	next  int
	login bool // a user and a password
}

// Bounds of the arrays that are looked at as a whole: those of commands, of headers, and of the lines of a file.
const mostElements, mostJoined = 256, 16 << 10

// Array gives the place of an array with these texts, "" for what is no string.
func (p Place) Array(texts iter.Seq[string]) Array {
	all := slices.Collect(texts)
	if len(all) < 2 || len(all) > mostElements {
		return Array{at: p}
	}
	a := Array{at: p, login: len(all) == 2 && p.own.rule == namedAuth}
	if slices.ContainsFunc(all, func(t string) bool { return strings.HasPrefix(t, "-") }) {
		a.texts, a.found = all, together(all)
	} else if a.login || slices.ContainsFunc(all, func(t string) bool { return senseOf(t).rule != nil }) {
		a.texts = all
	}
	return a
}

// Next gives the place of the next element.
func (a *Array) Next() Place {
	i, p := a.next, a.at
	a.next++
	if a.found != nil {
		p.found = a.found[i]
	}
	if a.texts == nil || i == 0 || len(p.found) > 0 {
		return p
	}
	before := a.texts[i-1]
	named := !strings.ContainsAny(strings.TrimSuffix(before, ":"), " \t\n=:\"'{}[](),;\\")
	if a.login && len(a.texts[i]) >= shortestKey && !schemes().has(before) {
		p.own = passSense
	} else if s := senseOf(before); named && s.rule != nil && p.own.rule == nil && p.above.rule == nil {
		p.own, p.pair = s, before[0] != '-'
	}
	return p
}

// together returns the secrets that show when the elements of an array stand beside each other: the arguments of a command,
// or the lines of a key.
func together(texts []string) [][]span {
	found := make([][]span, len(texts))
	for _, glue := range [...]string{" ", "\n"} {
		joined := strings.Join(texts, glue)
		if len(joined) > mostJoined || glue == "\n" && !strings.Contains(joined, fence) {
			break
		}
		all, _ := scan(joined)
		at := 0
		for i, t := range texts {
			for _, f := range all {
				if from, to := max(f.from-at, 0), min(f.to-at, len(t)); from < to {
					found[i] = append(found[i], span{from: from, to: to, rule: f.rule, weight: f.weight})
				}
			}
			at += len(t) + len(glue)
		}
	}
	for i := range found {
		found[i] = merge(found[i])
	}
	return found
}
