package redact

import "strings"

// This file finds values whose names are in another member: - name: DB_PASSWORD, value: …, and the same in JSON and XML.

// namedBeside finds the value of an entry if the entry's label makes it a secret, or the cookies in the value.
func namedBeside(s string, at, end int) []span {
	if at--; at < 1 || end == len(s) || s[at]|0x20 != 'v' {
		return nil
	}
	at -= len((lower | upper).tail(s[:at])) // ParameterValue
	value, ok := valueStart(s, name{stop: end})
	if !ok {
		return nil
	}
	value += len(literalArrow().FindString(s[value:]))
	label := labelBefore(s[max(0, at-longestName-judged):at])
	if label == "" {
		if m := labelBehind().FindStringSubmatch(s[value:]); m != nil && inList("labelNames", m[1]) {
			label = m[2]
		}
	}
	labelSense := senseOf(label)
	if labelSense.how == byCookies {
		value += leading(clip(s[value:], 8), `\"'`)
		return cookiesIn(s[:value+indexOr(s[value:], "\r\n\"'\\")], value)
	}
	if labelSense.rule == nil && foldContains(label, parts("sessionParts")) {
		labelSense = sense{namedCookie, byRandom}
	}
	from, to := namedValue{text: s, name: name{start: at, stop: end}, value: value, sense: labelSense}.find()
	return []span{{from: from, to: to}}
}

// labelBehind matches a value and the label behind it.
var labelBehind = lazily(`^(?:\\*"[^"\n]*"|'[^'\n]*'|[^\s,]+)[ \t\r\n,;"'\\]*(?:(?i:where) +)?(?:\w+_)?([A-Za-z]+)[ \t"'\\]*[:=][ \t"'\\]*([\w./-]+)`)

// literalArrow matches the earlier value of a change: "x" -> "y".
var literalArrow = lazily(`^"[^"\n]*" -> `)

// labelBefore returns the value of the last member of s that is called name, key or the like, "" if there is no such member. Only
// quotes, commas and line breaks may stand between the members.
func labelBefore(s string) string {
	const around = " \t\r\n,;\"'\\"
	s = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s, around), `\n`), around)
	n := len((dotted | slash).tail(s))
	label := s[len(s)-n:]
	s = s[:len(s)-n]
	if strings.HasPrefix(label, "//") {
		s = strings.TrimRight(s, ":htps") // the scheme of a URL
	}
	s = strings.TrimRight(s, " \t\"'\\")
	if s == "" || label == "" || s[len(s)-1] != ':' && s[len(s)-1] != '=' {
		return ""
	}
	s = strings.TrimRight(s[:len(s)-1], " \t\"'\\")
	if n = len((lower | upper).tail(s)); !inList("labelNames", s[len(s)-n:]) {
		return labelBefore(s[:len(s)-n]) // another member
	}
	if kind := s[len(s)-n:]; strings.EqualFold(kind, "type") && labelBefore(s[:len(s)-n]) != "" {
		return labelBefore(s[:len(s)-n]) // a member Type stands between the label and the value
	}
	return label
}
