package redact

import (
	"iter"
	"slices"
	"strings"
)

// This file finds secrets in structured values: by the names of and above a string, and by the elements beside it in an array,
// such as an option before its argument, or the lines of a key.

// Place is the position of a string in a structured value: its name and the names above. The zero Place is that of the root, or of a
// text alone. Object, Member and Array return the places below.
type Place struct {
	own   sense // of the string's own name
	above sense // of the name of the nearest object or array with a sense
	// manifest is set if an object is a Secret of Kubernetes, whose data are secret whatever they are called.
	manifest   bool
	sealed     bool   // the place is below the data of a manifest
	webKey     bool   // an object is a JSON web key
	label      sense  // of an object: the sense of the label in another member, as in {"name": "password", "value": …}
	isValue    bool   // the member is called value or the like, below a name with a sense: above counts as its own name
	afterLabel bool   // own is the sense of the previous element of the array, which is no option
	arraySpans []span // secrets of this element that show only in the joined array
}

// Object returns the place of the object at p. texts are the names and texts of its members that are strings or numbers; the text of
// a number may be "". A member that labels a value beside it counts as the value's name, as in {"name": "password", "value": …}.
func (p Place) Object(texts iter.Seq2[string, string]) Place {
	hasValue := false
	cookie := p.own.rule == namedCookie
	for name, label := range texts {
		hasValue = hasValue || inList("valueNames", name)
		switch name {
		case "domain", "sameSite", "httpOnly":
			cookie = true
		case "kind", "kty":
			p.manifest, p.webKey = p.manifest || label == "Secret", p.webKey || name == "kty"
		}
	}
	if !hasValue {
		return p
	}
	for name, label := range texts {
		if !inList("labelNames", name) {
			continue
		}
		if s := senseOf(controlLabel(label)); s.how > p.label.how {
			p.label = s
		}
		if cookie && (strings.EqualFold(name, "name") || strings.EqualFold(name, "key")) {
			p.label = cookieSense(label)
		}
	}
	return p
}

// controlLabel returns the label of a control without the word for the control's kind: "Password" for "Password field". For a selector
// such as input[name=password] it returns the words.
func controlLabel(label string) string {
	if strings.ContainsAny(label, "#[") && len(label) < longestSense && !strings.Contains(label, markOpen) {
		label = strings.NewReplacer("#", " ", "[", " ", "]", " ", "=", " ", `"`, " ", "'", " ").Replace(label)
		return strings.TrimSpace(label)
	}
	if name, kind, _ := strings.Cut(label, " "); slices.Contains(parts("controls"), strings.ToLower(kind)) {
		return name
	}
	return label
}

// longName is the length from which the name of a member may contain a secret, in bytes.
const longName = 20

// Member returns the place of a member of the object whose place is p. Secrets in the member's name do not count as words of it.
func (p Place) Member(name string) Place {
	if len(name) >= longName {
		name = Text(name)
	}
	member := Place{own: senseOf(name), above: p.above, sealed: p.sealed, isValue: inList("valueNames", name) && p.own.rule != nil && p.own.how != meta}
	if p.own.holds() {
		member.above = p.own
	}
	switch {
	case p.manifest && (name == "data" || name == "stringData"):
		member.above, member.sealed = sense{namedSecret, byName}, true
	case p.webKey && inList("privateMembers", name):
		member.own = sense{namedKey, byRandom}
	case p.label.rule != nil && inList("valueNames", name):
		member.own = p.label
	case p.own.how == byCookies && member.own.how != meta:
		member.own = cookieSense(name)
	}
	return member
}

// IsSecretNumber reports whether a number at p is a secret. text is its spelling.
func (p Place) IsSecretNumber(text string) bool {
	return p.sense().how == byName && len(text) >= shortestEntry && digit.only(text)
}

// sense returns the sense that decides about the value at p: that of its own name or, if that promises nothing, that of the name above.
// A name above, or a label in the same array, is a weaker sign.
func (p Place) sense() sense {
	s := p.own
	switch {
	case s.rule == nil && s.how != meta && p.above.rule != nil && p.above.how != byCookies:
		if s = p.above; !p.isValue && !p.sealed && s.how != byRandom {
			s.how = byShape
		}
	case p.afterLabel && s.how == byName:
		s.how = byShape
	}
	return s
}

// TextAt is Text for a string at p of a structured value: it also replaces the secrets that the names at p show.
func TextAt(p Place, s string) string {
	found, plain := p.spans(s), Text(s)
	if len(found) == 0 || isMark(plain) { // the mark of the plain text names the kind more exactly
		return plain
	}
	return Text(replace(s, found))
}

// spans returns the parts of the string s at p that are secrets according to the names at p.
func (p Place) spans(s string) []span {
	if p.own.rule == nil && p.above.rule == nil && p.arraySpans == nil || len(s) < shortestNamed || strings.Contains(s, markOpen) {
		return nil
	}
	if len(p.arraySpans) > 0 {
		return p.arraySpans
	}
	from, to := trimmed(s)
	v, nameSense := s[from:to], p.sense()
	switch nameSense.how {
	case byCookies:
		return cookiesIn(s, from)
	case byScheme:
		n, joined := schemeLen(v)
		v = v[n:]
		if n == 0 && !mayBeCredentials(v) || n > 0 && (len(v) < shortestPassword || isFiller(v)) {
			return nil
		}
		if !joined {
			from += n
		}
	default:
		if !nameSense.isSecret(v) {
			return nil
		}
	}
	return []span{{from: from, to: to, rule: nameSense.rule}}
}

// trimmed returns the bounds of s without the white space at its ends.
func trimmed(s string) (from, to int) {
	from = len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	return from, max(from, len(strings.TrimRight(s, " \t\r\n")))
}

// longestScheme is the length of the longest scheme: aws4-hmac-sha256.
const longestScheme = 16

// schemeLen returns the width of the scheme before credentials with its blanks, such as "Bearer ", or 0. joined is true if the scheme is
// only the first bytes of a longer word, and so a part of the credentials.
func schemeLen(v string) (n int, joined bool) {
	name := v[:indexOr(clip(v, longestScheme), " \r\n")]
	if len(name) == len(v) {
		return 0, false
	}
	_, kind, _ := strings.Cut(name, "-")
	rest := v[len(name)+1:]
	if inList("schemes", name) || inList("schemes", kind) || letters.only(name) && unmistakablePassword(clip(rest[:indexOr(rest, " \r\n\"'")], judged)) {
		return len(v) - len(strings.TrimLeft(v[len(name):], " ")), strings.IndexByte(" \r\n", v[len(name)]) < 0
	}
	return 0, false
}

// Array is an array whose elements' places Next returns, in order.
type Array struct {
	place Place
	texts []string // the elements; nil if no element can be the name of another
	found [][]span // secrets of each element that show in the joined array; nil for an array without options
	next  int      // index of the next element
	login bool     // the elements may be a user and a password
}

// Bounds of an array that is examined as a whole: the number of its elements, and the bytes of all together.
const maxElements, maxJoined = 256, 16 << 10

// Array returns the array at p. all are its elements, "" for one that is no string.
func (p Place) Array(all []string) Array {
	if len(all) < 2 || len(all) > maxElements {
		return Array{place: p}
	}
	a := Array{place: p, login: len(all) == 2 && p.own.rule == namedAuth}
	if slices.ContainsFunc(all, func(t string) bool { return strings.HasPrefix(t, "-") }) {
		a.texts, a.found = all, joinedSpans(all)
	} else if a.login || slices.ContainsFunc(all, func(t string) bool { return senseOf(t).rule != nil }) {
		a.texts = all
	}
	return a
}

// Next returns the place of the next element.
func (a *Array) Next() Place {
	i, p := a.next, a.place
	a.next++
	if a.found != nil {
		p.arraySpans = a.found[i]
	}
	if a.texts == nil || i == 0 || len(p.arraySpans) > 0 {
		return p
	}
	before := a.texts[i-1]
	named := !strings.ContainsAny(strings.TrimSuffix(before, ":"), " \t\n=:\"'{}[](),;\\")
	if a.login && len(a.texts[i]) >= shortestKey && !inList("schemes", before) {
		p.own = passSense
	} else if s := senseOf(before); named && s.rule != nil && p.own.rule == nil && p.above.rule == nil {
		p.own, p.afterLabel = s, before[0] != '-'
	}
	return p
}

// joinedSpans returns, for each element of an array, its secrets in the text of all elements: joined by blanks, as the arguments
// of a command, or by line breaks, as the lines of a key.
func joinedSpans(texts []string) [][]span {
	found := make([][]span, len(texts))
	for _, glue := range [...]string{" ", "\n"} {
		joined := strings.Join(texts, glue)
		if len(joined) > maxJoined || glue == "\n" && !strings.Contains(joined, fence) {
			break
		}
		all, _ := scan(joined)
		offset := 0
		for i, t := range texts {
			for _, f := range all {
				if from, to := max(f.from-offset, 0), min(f.to-offset, len(t)); from < to {
					found[i] = append(found[i], span{from: from, to: to, rule: f.rule, weight: f.weight})
				}
			}
			offset += len(t) + len(glue)
		}
	}
	for i := range found {
		found[i] = merge(found[i])
	}
	return found
}
