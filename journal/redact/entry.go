package redact

import "strings"

// parameters reports whether before is where the name of a parameter begins, of a URL, a form or a connection string.
func parameters(before string) bool {
	switch before[len(before)-1] {
	case '?', '&':
		return true
	case ';':
		// Database=x;Password=y, and not code on one line.
		pair := before[strings.LastIndexAny(before[:len(before)-1], ";\"'")+1:]
		return !strings.ContainsAny(pair, "(){}[]+") && strings.IndexByte(pair, '=') > 0 || len(pair) == longestWord
	}
	return false
}

// Values whose name stands in another member: - name: DB_PASSWORD, value: …, and the same in JSON and XML.
var _ = declare([]Rule{
	{Name: "named-beside", Kind: "secret", Finds: "the value of an entry whose name stands before it: name: DB_PASSWORD, value: …", Keywords: []string{"alue"}, Fold: true, find: namedBeside, generic: true},
})

func namedBeside(s string, at, end int) (int, int) {
	if at--; at < 1 || end == len(s) || s[at]|0x20 != 'v' {
		return -1, -1
	}
	at -= trailing(s[:at], lower|upper) // ParameterValue
	value, ok := assignment{}.separator(s, end, name{})
	if !ok {
		return -1, -1
	}
	if was := literalArrow().FindStringIndex(s[value:]); was != nil {
		value += was[1] // what it was and what it becomes
	}
	const around = 3 * longestName
	label := ""
	before := lastMembers().FindString(s[max(0, at-around):at])
	for _, m := range memberPairs().FindAllStringSubmatch(before, -1) {
		if labelNames().has(m[1]) && (m[1] != "Type" || label == "") {
			label = m[2]
		}
	}
	if m := labelBehind().FindStringSubmatch(clip(s[value:], around)); label == "" && m != nil && labelNames().has(m[1]) {
		label = m[2]
	}
	n := site{text: s, start: at, stop: end, value: value, sense: senseOf(label)}
	if n.sense.how == byScheme {
		return n.credentials()
	}
	return n.find()
}

// memberPair is the name of a member and its value: name: DB_PASSWORD. Another may stand behind a value.
const memberPair = `([A-Za-z]+)[ \t"'\\]*[:=][ \t"'\\]*(?:https?://)?([\w./-]+)`

var lastMembers = lazily(`(?:` + memberPair + `(?:\\n|[ \t\r\n,;"'\\])*)+$`)
var memberPairs = lazily(memberPair)
var labelBehind = lazily(`^(?:\\*"[^"\n]*"|'[^'\n]*'|[^\s,]+)[ \t\r\n,;"'\\]*` + memberPair)
var literalArrow = lazily(`^"[^"\n]*" -> `)
