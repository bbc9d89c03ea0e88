package redact

import "strings"

// This file decides about values whose name stands in another member: - name: DB_PASSWORD, value: …, and the same in JSON
// and XML.

// namedBeside finds the value of an entry, or the cookies in it.
func namedBeside(s string, at, end int) []span {
	if at--; at < 1 || end == len(s) || s[at]|0x20 != 'v' {
		return nil
	}
	at -= len((lower | upper).tail(s[:at])) // ParameterValue
	value, ok := valueStart(s, name{stop: end})
	if !ok {
		return nil
	}
	value += len(literalArrow().FindString(s[value:])) // what it was and what it becomes
	label := labelBefore(s[max(0, at-longestName-128):at])
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
		labelSense = sense{namedCookie, byChance}
	}
	from, to := namedValue{text: s, name: name{start: at, stop: end}, value: value, sense: labelSense}.find()
	return []span{{from: from, to: to}}
}

// labelBehind matches the label that labelBefore looks for, behind the value.
var labelBehind = lazily(`^(?:\\*"[^"\n]*"|'[^'\n]*'|[^\s,]+)[ \t\r\n,;"'\\]*(?:(?i:where) +)?(?:\w+_)?([A-Za-z]+)[ \t"'\\]*[:=][ \t"'\\]*([\w./-]+)`)
var literalArrow = lazily(`^"[^"\n]*" -> `)

// labelBefore returns the value of a member such as name or key at the end of s, where nothing but what parts members stands
// behind it: quotes, a comma, a line break.
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
		return labelBefore(s[:len(s)-n]) // of the member before
	}
	if kind := s[len(s)-n:]; kind == "Type" && labelBefore(s[:len(s)-n]) != "" {
		return labelBefore(s[:len(s)-n]) // of an entry whose name stands before it
	}
	return label
}
