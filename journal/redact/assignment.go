package redact

import "strings"

// This file finds the names of assigned values: "password: …", API_KEY=…, "clientSecret":"…", --token ….

// The rules of assignments know a secret only by its name. Names are the most frequent keywords in ordinary text, so they are
// parsed by hand, without an expression.

// assigned finds the value of the name that the keyword s[at:end] belongs to.
func assigned(s string, at, end int) (from, to int) { return assignedTo(s, at, end, false) }

// assignedInCJK is assigned for names behind which a particle of Chinese, Japanese or Korean may stand in place of a colon.
func assignedInCJK(s string, at, end int) (from, to int) { return assignedTo(s, at, end, true) }

// Bounds in bytes, with which the window of a rule holds all that decides about an assignment.
const (
	longestName  = 64  // a name
	longestWord  = 16  // a word beside a name
	longestTail  = 40  // the part of a name behind the keyword
	longestBlank = 64  // a run of blanks
	judged       = 128 // the part of a value that is judged
)

// name is the name s[start:stop] in a text, with its spelling, which decides where its value stands.
type name struct {
	start, stop int
	flag        bool // --password
	tag         bool // <password>
	query       bool // ?token=
	cell        bool // | API_TOKEN | … |
	call        bool // define("API_TOKEN", …), fill('#password', …)
	particle    bool // a word such as 是 or は may stand for a colon
}

// assignedTo implements assigned and assignedInCJK. particle is the member of name.
func assignedTo(s string, at, end int, particle bool) (from, to int) {
	if end < len(s) && continuesWord(s[end-1], s[end]) {
		return -1, -1 // the keyword is only the beginning of a word
	}
	n := nameAt(s, at, end)
	n.particle = particle
	if isNoName(s, n.start, n.stop) {
		return -1, -1
	}
	value, ok := valueStart(s, n)
	if !ok {
		return findUnjoined(s, n.start, n.stop)
	}
	if d := digit.run(s[value:]); d > 0 && value+d < len(s) && strings.IndexByte(",})] ", s[value+d]) >= 0 && strings.EqualFold(s[at:end], "token") {
		return -1, -1 // a count of tokens
	}
	return namedValue{text: s, name: n, value: value, sense: assignedSense(s, n.start, n.stop)}.find()
}

// continuesWord reports whether the letter next belongs to the word that ends with the letter before. The s of a plural does not count.
func continuesWord(before, next byte) bool {
	switch {
	case lower.has(next):
		return next != 's' && lower.has(before|0x20)
	case upper.has(next):
		return next != 'S' && upper.has(before)
	}
	return false
}

// nameBegin returns the index at which the name begins that s[at] belongs to.
func nameBegin(s string, at int) int { return at - len(word.tail(s[max(0, at-longestName):at])) }

// nameAt returns the name that the keyword s[at:end] belongs to.
func nameAt(s string, at, end int) name {
	start, stop := nameBegin(s, at), end+word.run(clip(s[end:], longestTail))
	if stop < len(s) && s[stop] == '.' {
		if n := 1 + word.run(clip(s[stop+1:], longestTail)); stop+n < len(s) && strings.IndexByte("=: ", s[stop+n]) >= 0 && inList("instances", s[stop+1:stop+n]) {
			stop += n // admin.password.prod=…
		}
	}
	n := name{start: start, stop: stop, flag: s[start] == '-'}
	if start == 0 {
		return n
	}
	near, head, last := s[max(0, start-longestWord):start], s[max(0, start-longestName):start], s[start-1]
	if strings.IndexByte("<.:", last) >= 0 {
		before := strings.TrimSuffix(strings.TrimSuffix(head, dotted.tail(head)), ":") // <db.password>, <ns:password>
		n.tag = strings.HasSuffix(strings.TrimSuffix(before, word.tail(before)), "<")
	}
	if strings.IndexByte("\"'\\", s[min(stop, len(s)-1)]) >= 0 { // <property name="password">
		quotes := leading(clip(s[stop:], 2), `\"'`)
		n.tag = strings.HasPrefix(s[stop+quotes:], ">") && strings.IndexByte("/#-", last) < 0 && strings.Contains(head, "<")
	}
	n.query = strings.HasPrefix(s[stop:], "=") && endsBeforeParameter(near)
	if mark := strings.TrimRight(strings.TrimSuffix(near, (lower|upper|gap).tail(near)), " `*"); strings.HasSuffix(mark, "|") || strings.HasSuffix(mark, "\n") {
		line, above := strings.TrimLeft(s[lineBegin(s, start):start], " \t#+-"), s[max(0, start-usualWindow):start]
		n.cell = strings.HasPrefix(line, "|") || contains(above, "-+-", "-[ RECORD")
	}
	n.call = strings.IndexByte("\"'`\\#.]@=", last) >= 0 && !strings.HasPrefix(s[stop:], "=") && isCallArgument(s[max(0, start-longestTail):start])
	return n
}

// isNoName reports whether s[start:stop] only looks like the name of a value.
func isNoName(s string, start, stop int) bool {
	switch before, after := s[:start], s[stop:]; {
	case strings.HasSuffix(before, ":") && strings.HasPrefix(after, ":") && !strings.HasPrefix(after, ": "):
		// arn:aws:secretsmanager:…:secret:…, and not 12:password:
		n := len(digit.tail(before[max(0, len(before)-longestWord) : len(before)-1]))
		return n == 0 || n > 5
	case strings.HasSuffix(before, `\`) && (s[start] == '-' || s[start] == 'f'):
		return true // the source of a manual page
	case strings.HasSuffix(before, "://"):
		return true // the user in a URL, whose password has its own rule
	case strings.HasPrefix(after, "=") && !strings.HasSuffix(before, "checksum/"):
		// The end of random base64, before its padding.
		digest := (base64 | underscore | hyphen).tail(s[max(0, stop-longestName):stop])
		return len(digest) >= leastRandom+leastRandom/2 && looksRandom(digest)
	default:
		return strings.HasSuffix(before, "::") && strings.HasPrefix(after, `"`) || strings.HasSuffix(before, "checksum/")
	}
}

// senseAt returns the sense of the name s[start:stop]. If the name is only key, token or pass, the word before it may change the
// sense: "api key", "access.token", "tests pass".
func senseAt(s string, start, stop int) sense {
	found := senseOf(s[start:stop])
	if start == 0 || found.rule != namedKey && found.rule != namedToken && found != passSense {
		return found
	}
	before, joint := (lower | upper).tail(s[max(0, start-1-longestWord):start-1]), s[start-1]
	switch {
	case joint != '.' && joint != ' ' || before == "" || s[start] == '-': // no word before it
	case found == passSense && joint == ' ' && inList("passes", before):
		return sense{}
	case found.how == byKey && inList("besideKey", before) && !isDirective(s[lineBegin(s, start):start]):
		return sense{}
	case found.rule == namedKey && (found.how == byKey || found.how == byRandom) && inList("sealedKeys", before), found.rule == namedToken && inList("qualifiers", before):
		found.how = byName // api.key, Api Key, access token
	}
	return found
}

// assignedSense is senseAt for a name to which a value is assigned. If the name is only key, three other things count too: the name of
// the block around it, the comment above it, and the text near it.
func assignedSense(s string, start, stop int) sense {
	found := senseAt(s, start, stop)
	if found.rule != namedKey || found.how > byRandom {
		return found
	}
	above := heading(s, start)
	block, remark := senseOf(above), strings.TrimLeft(lineAbove(s, start), " \t")
	inBlock := block.strong() || block.rule == namedToken || senseOf(above+"_key").how == byName // encryption: key: …
	belowRemark := above == "" && prefixOf(remark, "#", "//", ";") > 0 && namesSecret(remark)    // # the secret shared with …
	if inBlock || belowRemark {
		found.how = byName
	}
	if found.how == byKey && foldContains(s[max(0, start-2*far):min(len(s), start+2*far)], parts("accounts")) {
		found.how = byShape
	}
	return found
}

// endsBeforeParameter reports whether a parameter's name begins behind before, in a URL, a form or a connection string. before has at most
// longestWord bytes.
func endsBeforeParameter(before string) bool {
	switch before[len(before)-1] {
	case '?', '&':
		return true
	case ';':
		// Database=x;Password=y, and not code on one line.
		pair := before[strings.LastIndexAny(before[:len(before)-1], ";\"'")+1:]
		long := len(pair) == longestWord // its beginning stands before the text that is given
		return long || !strings.ContainsAny(pair, "(){}[]+") && strings.IndexByte(pair, '=') > 0
	}
	return false
}
