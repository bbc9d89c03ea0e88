package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file finds the value of a name in a sentence, and in a paragraph that a line with the name announces.

// findInSentence finds the value behind the name on its line, or in a paragraph that the line announces: a literal that looks like a
// secret, or a word. Only signs, words such as "is", and letters of a script in which no passwords are written may stand between the
// name and a word that is the value.
func findInSentence(n namedValue) (from, to int) {
	const mostBetween, longest = 96, 32 // bytes between the name and the value, and bytes of a word there
	s, end := n.text, min(len(n.text), n.stop+mostBetween)
	mayFollow, words := true, 0 // whether the value may begin at i, and how many words stand between the name and i
	for i := n.stop; i < end; {
		q, width := opening(s[i:])
		if rest := s[i+width:]; width == 1 && uuidLike(clip(rest, 36)) && strings.HasPrefix(rest[36:], `":`) {
			i += width + 36 // a UUID that is the name of a member
			continue
		}
		if mayFollow && n.wordBegins(i) {
			if from, to = n.sentenceValue(i, words > 0); from >= 0 {
				return from, to
			}
		}
		switch c := s[i]; {
		case q.close != "" && i > n.stop:
			other, ok := strings.CutSuffix(strings.TrimRight(s[n.stop:i], " "), `":`)
			if ok && strings.Contains(other, ",") && !inList("valueNames", other[strings.LastIndexByte(other, '"')+1:]) {
				return -1, -1 // the value of another member
			}
			from = i + width
			if to = from + q.run(s[from:]); n.acceptsLiteral(i, from, to) {
				return from, to
			}
			i += width
		case word.has(c):
			w := s[i : i+word.run(s[i:])]
			rest := s[i+len(w):]
			words++
			nameBelow := lower.has(c) && strings.HasPrefix(rest, ": ") && !inList("valueNames", w) && strings.TrimSpace(s[lineBegin(s, i):i]) == ""
			if len(w) > longest || digestNamed(s[i:]) || nameBelow {
				return -1, -1
			}
			number := len(w) < 3 && (digit | hyphen).only(w)
			// In Spanish and Portuguese "a" stands before the new password: cambia la contraseña a …
			preposition := w == "a" && words == 1 && n.sense.rule == namedPassword && !namesSecret(n.nameText())
			mayFollow = n.leadsToValue(w, rest) || mayFollow && number || preposition
			i += len(w)
		case c == '\n':
			if line, ok := n.announces(i); ok {
				return n.valueBelow(i, line)
			}
			if between := s[n.stop:i]; strings.Trim(between, " ?") != "" && !strings.HasSuffix(between, "=>") && !strings.HasSuffix(between, "?") {
				return -1, -1
			}
			words++
			mayFollow = mayFollow && s[i-1] != ' ' && i > n.stop
			i++
		default:
			mayFollow = n.isJoint(i) || mayFollow && strings.IndexByte("|=&>/+,", c) < 0
			i++
		}
	}
	return -1, -1
}

// wordBegins reports whether a word that may be the value begins at i: behind a blank, a sign, or a letter of a script in which
// no passwords are written. i is behind the name.
func (n namedValue) wordBegins(i int) bool {
	s := n.text
	if i == n.stop || !utf8.RuneStart(s[i]) || strings.IndexByte(" \t\r\n(|{=", s[i]) >= 0 || escaped(s, i) || s[i-1] == '(' && alnum.has(s[i-2]) {
		return false
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:i]); before >= utf8.RuneSelf {
		return wide(before) || !unicode.IsLetter(before)
	}
	return !(alnum | underscore | dot | colon).has(s[i-1]) && strings.IndexByte("#]", s[i-1]) < 0
}

// acceptsLiteral reports whether the literal text[from:to], whose quote stands at i, is a secret: it looks like one, it is the name's
// default value in code, or a phrase directly behind the name of a password.
func (n namedValue) acceptsLiteral(i, from, to int) bool {
	s, v := n.text, clip(n.text[from:to], judged)
	if v == "" || to == len(s) || s[to] == '\n' || pathlike(v) {
		return false
	}
	if n.sense.rule == namedSecret && digit.in(v) > 0 && isResource("secret", v) {
		return false
	}
	before := s[:i]
	isDefault := strings.HasSuffix(before, "default=") || strings.HasSuffix(before, "?? ") || strings.HasSuffix(before, "|| ") || strings.HasSuffix(before, ") or ")
	if isDefault && n.sense.isSecret(v) && (digit.in(v) > 1 && !isCodeName(v) || isChosenWord(v)) {
		return true
	}
	if i <= n.stop+len(" to ") && wordCount(v) > 2 && isPhrase(v) && n.sense == (sense{namedPassword, byName}) {
		return !harmless(v) // PASSWORD '…', password to "…"
	}
	if i == n.stop+1 {
		return false // a single word there is one that sentenceValue did not accept
	}
	random := mingled(v) && wordCount(v) == 1 && !letters.only(v) || looksRandom(v) || isChosenWord(v)
	opensBlock := strings.HasPrefix(s[min(len(s), to+from-i):], " {") // behind the closing quote, which is as wide as the opening one
	return random && !opensBlock && (n.sense.isSecretAnywhere(v) || n.sense.strong() && n.acceptsInSentence(v, true))
}

// leadsToValue reports whether the value can follow the word w, as in "password is …". rest is the text behind w.
func (n namedValue) leadsToValue(w, rest string) bool {
	switch {
	case !inList("tellers", w), w == "string" && !strings.HasPrefix(rest, "("):
		return false
	case w == "with", w == "to" && n.sense.rule != namedPassword:
		return foldContains(n.text[lineBegin(n.text, n.start):n.start], parts("changing"))
	}
	return true
}

// isJoint reports whether the value can follow the sign at i: a colon, an arrow, a letter of another script.
func (n namedValue) isJoint(i int) bool {
	s := n.text
	switch s[i] {
	case '(':
		return s[i-1] == ' ' && n.sense.rule == namedPassword && strings.IndexByte("\"'`", s[min(i+1, len(s)-1)]) >= 0
	case '=':
		return strings.HasPrefix(s[i-1:], " = ")
	case '>':
		return strings.IndexByte("-=", s[i-1]) >= 0
	}
	return s[i] == ':' || s[i] >= utf8.RuneSelf
}

// announcement is a line that announces the value below it.
type announcement struct {
	field  bool // the line is the field of a form that a request sends: name="password"
	colon  bool // the line ends with a colon
	listed bool // the line is one word of small letters, and may be an item of a list of names
}

// announces returns the line of the name, which ends at i. ok reports whether the line announces the value below it: it ends with a
// colon, is the field of a form, or is a title that ends with the name.
func (n namedValue) announces(i int) (line announcement, ok bool) {
	text, between := strings.TrimLeft(n.text[lineBegin(n.text, n.start):i], "#* "), n.text[n.stop:i]
	several := strings.Contains(text, " ")
	// A title has only letters, and little before the name. If it is one word, it is no name of code.
	endsWithName := strings.Trim(between, "*") == "" && i-n.start+longestWord > len(text)
	title := endsWithName && (letters | gap).only(strings.TrimRight(text, "*")) && (several || caseChanges(text) < 3)
	line = announcement{
		field:  strings.HasSuffix(n.text[:n.start], `name="`) && strings.TrimSpace(between) == `"`,
		colon:  strings.HasSuffix(between, ":"),
		listed: title && !several && lower.has(text[0]),
	}
	return line, title || line.field || line.colon
}

// sentenceValue returns the bounds of the word at i if it is a secret as the value of the name in a sentence, else -1, -1. If the name
// is that of credentials, the word may have the form user/password or user:password. announced is true if words such as "is" stand
// between the name and i.
func (n namedValue) sentenceValue(i int, announced bool) (from, to int) {
	if announced && n.sense.rule == namedPassword && inList("tellers", strings.Trim(n.text[n.stop:i], " :`*")) {
		from, to = wordAt(n.text, i)
		if v := strings.TrimRight(n.text[from:to], ".,"); isWordWithNumber(v) {
			return from, from + len(v)
		}
	}
	if from, to = sentenceWord(n.text, i); from < 0 {
		user := word.run(n.text[i:])
		if n.sense.rule != namedCredential || user == 0 || strings.IndexByte("/:", n.text[min(i+user, len(n.text)-1)]) < 0 {
			return -1, -1
		}
		return sentenceWord(n.text, i+user+1)
	}
	checksum := hex.only(n.text[from:to]) && to-from <= leastRandom && strings.HasPrefix(n.text[to:], "  ") // a file's name follows
	quoted := from > i
	announced = announced || quoted && !isResource(n.nameText(), n.text[from:to])
	return placeIf(!checksum && !inColumn(n.text, from, to) && n.acceptsInSentence(clip(n.text[from:to], judged), announced), from, to)
}

// acceptsInSentence reports whether v is a secret as the value of the name in a sentence. announced is as in sentenceValue.
func (n namedValue) acceptsInSentence(v string, announced bool) bool {
	if n.sense.how == byKey {
		return n.sense.isSecretAnywhere(v) || announced && len(v) >= 10 && unmistakable(v) && !hex.only(v) && !uuidLike(v)
	}
	if uuidLike(v) && !n.sense.strong() && !(announced && n.sense.rule == namedToken) {
		return false
	}
	if looksRandom(v) {
		return true
	}
	rule, chosen := n.sense.rule, isChosenWord(v)
	resource := (!announced || rule == namedSecret) && digit.in(v) > 0 && isResource("secret", v)
	acronym := lower.in(v) == 0 && len(v) < longWord
	if resource || acronym || harmless(v) || numeric(v) || strings.Contains(v, `\`) {
		return false
	}
	switch {
	case mingled(v) && !isPhrase(v) && (announced || digit.in(v) > 1), announced && chosen && n.sense.how != byRandom:
		return true
	case !n.sense.strong() || !passwordLike(v) && !chosen:
		return false
	}
	// The name of a password is enough for such a value. Others must be announced, or look like a passphrase.
	return rule == namedPassword || announced && rule != namedToken && rule != namedKey || rule != namedSecret && chosen && !strings.ContainsAny(v, "-_")
}

// valueBelow finds the value below the line that ends at i and announces it. The value is alone on its line.
func (n namedValue) valueBelow(i int, line announcement) (from, to int) {
	rule := n.sense.rule
	for range 2 {
		from = textBelow(n.text, i+leading(clip(n.text[i:], longestBlank), " \t\r\n"))
		to = lineEnd(n.text, from)
		if f, t := literalAt(n.text, from); f >= 0 {
			from, to = f, t
		}
		v := clip(n.text[from:to], judged)
		if wordCount(v) != 1 {
			break
		}
		random := looksRandom(v) || mingled(v) || uuidLike(v) && rule == namedToken
		sent := line.field && n.sense.isSecret(v) && !strings.Contains(v, `="`)
		chosen := (rule == namedPassword || rule == namedCredential) && unmistakablePassword(v) || isChosenWord(v)
		chosen = chosen && !line.listed || line.colon && rule == namedPassword && digit.in(v) > 1 && isPassword(v)
		hasNames := prefixOf(v, `{"`, `["`, "[{") > 0 || namesSecret(v[:max(strings.IndexByte(v, '='), 0)])
		if !hasNames && v[len(v)-1] != ':' && (random || sent || chosen) {
			return from, to
		}
		if rule != namedCredential {
			break
		}
		i = to // the first line below credentials may be the user, and the second the password
	}
	return -1, -1
}
