package redact

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file finds the sense of a name.

// sense describes the value that a name promises.
type sense struct {
	rule *Rule // whose kind the mark shows; nil: the name promises no secret
	how  test
}

// test selects the test that decides whether a value is a secret.
type test uint8

const (
	unnamed   test = iota
	meta           // a name with the word for a secret that promises none: token_url, page_token, primary_key
	byDigits       // a short number: one-time codes
	byKey          // random or scrambled, but without words and no UUID, which are keys of caches, stores and tables
	byRandom       // random; an API key also if it is unmistakable, an authorization also if it is a chosen word
	byToken        // no number, short word, or name in code
	byShape        // no word, name in code, or prose
	byPass         // no word, except for a long one, and no prose, except for a phrase: tests also pass
	byCookies      // NAME=VALUE; …, each by its own name
	byCookie       // one cookie's value
	byScheme       // the value of an Authorization header
	byName         // the name alone decides
)

// holds reports whether values below a name of this sense may be secret whatever their own names are.
func (s sense) holds() bool {
	return s.how == byName || s.how == byShape || s.how == byCookies || s.how == byRandom || s.how == byToken
}

// passSense is the sense of the word pass, which is also a verb.
var passSense = sense{namedPassword, byPass}

// Rules for the kinds of values that a name marks as secret. They have no keywords: other rules and places use them.
var (
	namedPassword   = &Rule{Kind: "password", generic: true}
	namedSecret     = &Rule{Kind: "secret", generic: true}
	namedCredential = &Rule{Kind: "credential", generic: true}
	namedToken      = &Rule{Kind: "token", generic: true}
	namedKey        = &Rule{Kind: "api-key", generic: true}
	namedAuth       = &Rule{Kind: "authorization", generic: true}
	namedCookie     = &Rule{Kind: "cookie", generic: true}
	namedCode       = &Rule{Kind: "one-time-code", generic: true}
)

// senseNamed returns the sense for a kind and the name of a test, as in words.txt.
func senseNamed(text string) (s sense) {
	kind, how, _ := strings.Cut(text, " ")
	rules := [...]*Rule{namedPassword, namedSecret, namedCredential, namedToken, namedKey, namedAuth, namedCookie, namedCode}
	s.rule = rules[slices.IndexFunc(rules[:], func(r *Rule) bool { return r.Kind == kind })]
	tests := [...]string{byDigits: "byDigits", byKey: "byKey", byRandom: "byRandom", byToken: "byToken", byShape: "byShape", byPass: "byPass",
		byCookies: "byCookies", byScheme: "byScheme", byName: "byName"}
	s.how = test(slices.Index(tests[:], how))
	return s
}

// longestSense bounds names that can have a sense, in bytes: a longer one is a text.
const longestSense = 96

// senseOf returns the sense of a name, the zero value for none. Names consist of words in any usual spelling: dbPassword,
// DB_PASSWORD, db.password, X-Api-Key, "API key".
func senseOf(name string) sense {
	name = visible(name)
	if len(name) < 2 || len(name) > longestSense || strings.Contains(name, markOpen) {
		return sense{} // too short, or a text
	}
	var found sense
	before, last := "", ""      // the word before the word with the sense, and the last word
	after, ascii := false, true // whether words follow the word with the sense, and whether all of name is ASCII
	for i := 0; i < len(name); i++ {
		if c := name[i]; !(lower | upper).has(c) {
			if strings.IndexByte("\n=,\"{", c) >= 0 {
				return sense{} // no name
			}
			ascii = ascii && c < utf8.RuneSelf
			continue
		}
		w := name[i : i+wordRun(name[i:])]
		s := wordSense(w)
		// A word counts unless it directly follows one with a stronger test.
		if s.rule != nil && (found.how <= s.how || after || s.rule == namedKey && found.rule == namedAuth) {
			found, before = s, last
		} else if found.rule == nil {
			before = last
		}
		last, after = w, s.rule == nil
		i += len(w) - 1
	}
	if !ascii {
		if s := foreignSense(name); s.rule != nil {
			return s
		}
	}
	if found.rule != nil && foldContains(clip(name, len("hide_")), []string{"show_", "has_", "hide_", "use_", "is_", "exist", "publi"}) {
		return sense{how: meta}
	}
	return found.inName(before, last, after)
}

// inName returns the sense of a name from the sense s of one of its words. before is the word before that word, last the last word of
// the name, and after is true if words follow the word.
func (s sense) inName(before, last string, after bool) sense {
	switch {
	case s.rule == nil && strings.EqualFold(strings.TrimRight(last, "sS"), "code") && inList("recovery", before):
		return sense{namedCode, byShape}
	case s.rule == nil: // no word promises a secret
	case after && inList("about", last), // token_url
		s.rule == namedToken && inList("beside", before),                                                        // page_token
		s.rule == namedKey && s.how == byKey && !strings.EqualFold(last, "salt") && inList("besideKey", before): // primary_key
		return sense{how: meta}
	case s.rule == namedToken && s.how == byToken && before != "", // access_token
		s.how == byPass && (before != "" || after),                                           // db_pass
		s.how == byKey && (after && inList("sealing", last) || inList("sealedKeys", before)): // private_key
		s.how = byName
	case s.how == byKey && before != "":
		s.how = byRandom
	}
	return s
}

// wordRun returns the length of the first word of s, which begins with a letter. A word ends before a capital that follows a small
// letter, and before the last of several capitals that a small letter follows.
func wordRun(s string) int {
	n := 1
	for ; n < len(s) && (lower | upper).has(s[n]); n++ {
		switch before := s[:n]; {
		case lower.has(s[n]) && len(upper.tail(before)) > 1 && !(n+1 == len(s) && s[n] == 's'):
			return n - 1
		case upper.has(s[n]) && lower.has(s[n-1]):
			return n
		}
	}
	return n
}

// wordSense returns the sense of one word.
func wordSense(word string) sense {
	var buf [longestSense]byte
	w := fold(buf[:0], word)
	if s := vocab().senses[string(w)]; s.rule != nil {
		return s
	}
	const shortest = 6
	for _, e := range parts("endings") {
		if len(w) >= max(shortest, len(e)) && string(w[len(w)-len(e):]) == e {
			if e == "pass" && (inList("passing", string(w)) || bytes.HasSuffix(w, []byte("compass"))) {
				return sense{}
			}
			return vocab().senses[e]
		}
	}
	return sense{}
}

// foreignSense returns the sense of a name with characters outside of ASCII.
func foreignSense(name string) sense {
	name = strings.ToLower(name)
	for _, w := range vocab().written {
		if strings.Contains(name, w.part) {
			return w.sense
		}
	}
	return sense{}
}

// foreignPart is a part of a name with characters outside of ASCII, and its sense.
type foreignPart struct {
	part string
	sense
}
