package redact

import (
	"iter"
	"strings"
)

// This file decides what the names in a structured value say about each string in it.

// Place is where a string stands in a structured value: what its name and the names above say. The zero Place is that of a
// text alone. Places are made from the root on, with Object, Member and Array.
type Place struct {
	own   sense // of its name
	above sense // of what holds it
	// manifest says that an object is a Secret of Kubernetes, whose data are secret whatever they are called.
	manifest bool
	webKey   bool   // an object is a JSON web key
	sealed   bool   // below the data of one
	label    sense  // of an object: what another member says that its value is called
	value    bool   // what the value of what holds it is called: above tells as if it were its own name
	pair     bool   // own is the sense of what stands before it in an array
	found    []span // what an array as a whole tells of this element
}

// valueNames say nothing of a member but that it is the value that another names, and labelNames may name one beside them.
var valueNames = words("value val content contents text data string plaintext default defaultvalue stringvalue secretvalue v raw input current currentvalue plain parametervalue")
var labelNames = words("name key header field variable var param parameter property attribute id env option flag setting label headername parameterkey parametername fieldname variablename keyname k n element selector locator placeholder title type kind")

// privateMembers are those of a JSON web key that are secret.
var privateMembers = words("d k p q dp dq qi")

// Object gives the place of an object as a whole, which has these members that are strings: those that name a value beside
// them are heeded, as in {"name": "password", "value": …}.
func (p Place) Object(texts iter.Seq2[string, string]) Place {
	value := false
	cookie := p.own.rule == namedCookie
	for name, label := range texts {
		value = value || valueNames().has(name)
		switch name {
		case "domain", "sameSite", "httpOnly":
			cookie = true
		case "kind", "kty":
			p.manifest, p.webKey = p.manifest || label == "Secret", p.webKey || name == "kty"
		}
	}
	if !value {
		return p
	}
	for name, label := range texts {
		if !labelNames().has(name) {
			continue
		}
		if s := senseOf(control(label)); s.how > p.label.how {
			p.label = s
		}
		if cookie && (strings.EqualFold(name, "name") || strings.EqualFold(name, "key")) {
			p.label = cookieSense(label)
		}
	}
	return p
}

// control returns the label of a control without the word for what it is: Password field.
func control(label string) string {
	if strings.ContainsAny(label, "#[") && len(label) < longestSense && !strings.Contains(label, markOpen) {
		label = strings.NewReplacer("#", " ", "[", " ", "]", " ", "=", " ", `"`, " ", "'", " ").Replace(label)
		return strings.TrimSpace(label)
	}
	name, what, _ := strings.Cut(label, " ")
	switch strings.ToLower(what) {
	case "field", "input", "box", "textbox", "text field", "input field", "entry":
		return name
	}
	return label
}

// longName is from which length on the name of a member may hold a secret.
const longName = 20

// Member gives the place of a member of the object at p. A name tells what it does without the secrets in it.
func (p Place) Member(name string) Place {
	if len(name) >= longName {
		name = Text(name)
	}
	in := Place{own: senseOf(name), above: p.above, sealed: p.sealed, value: valueNames().has(name) && p.own.rule != nil && p.own.how != meta}
	if p.own.holds() {
		in.above = p.own
	}
	switch {
	case p.manifest && (name == "data" || name == "stringData"):
		in.above, in.sealed = sense{namedSecret, byName}, true
	case p.webKey && privateMembers().has(name):
		in.own = sense{namedKey, byChance}
	case p.label.rule != nil && valueNames().has(name):
		in.own = p.label
	case p.own.how == byCookies && in.own.how != meta:
		in.own = cookieSense(name)
	}
	return in
}

// Number reports whether a number, as it is written, is a secret at p.
func (p Place) Number(text string) bool {
	return p.own.how == byName && !p.pair && len(text) >= shortestEntry && digit.only(text)
}

// Named is Text for a string that stands somewhere in a structured value: the names there decide with it. Strings that no
// name tells anything of are judged as texts.
func Named(p Place, s string) string {
	found, plain := p.spans(s), Text(s)
	if len(found) == 0 || isMark(plain) { // which says more
		return plain
	}
	return Text(replace(s, found))
}

// spans returns what the names of a place say is secret of the string there.
func (p Place) spans(s string) []span {
	if p.own.rule == nil && p.above.rule == nil && p.found == nil || len(s) < shortestNamed || strings.Contains(s, markOpen) {
		return nil
	}
	if len(p.found) > 0 {
		return p.found
	}
	own := p.own
	switch {
	case own.rule == nil && own.how != meta && p.above.rule != nil && p.above.how != byCookies:
		if own = p.above; !p.value && !p.sealed && own.how != byChance {
			own.how = byShape
		}
	case p.pair && own.how == byName:
		own.how = byShape
	}
	from, to := trimmed(s)
	v := s[from:to]
	switch own.how {
	case byCookies:
		return cookiesIn(s, from)
	case byScheme:
		n := schemeLen(v)
		from, v = from+n, v[n:]
		if n == 0 && !credentials(v) || n > 0 && (len(v) < shortestPassword || filler(v)) {
			return nil
		}
	default:
		if !own.tells(v) {
			return nil
		}
	}
	return []span{{from: from, to: to, rule: own.rule}}
}

// trimmed returns where s begins and ends without the white space around it.
func trimmed(s string) (from, to int) {
	from = len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	return from, max(from, len(strings.TrimRight(s, " \t\r\n")))
}

// schemeLen returns the width of the scheme before credentials: "Bearer ".
func schemeLen(v string) int {
	name := v[:indexOr(clip(v, 16), " \r\n")]
	if len(name) == len(v) {
		return 0
	}
	_, kind, _ := strings.Cut(name, "-")
	rest := v[len(name)+1:]
	if schemes().has(name) || schemes().has(kind) || letters.only(name) && unmistakablePassword(clip(rest[:indexOr(rest, " \r\n\"'")], judged)) {
		return len(v) - len(strings.TrimLeft(v[len(name):], " "))
	}
	return 0
}

var schemes = words("aws4-hmac-sha256 bearer basic token digest apikey api-key key negotiate bot ssws")
