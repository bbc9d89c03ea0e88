package redact

import "strings"

// This file finds the secrets of URLs.

// dsnPassword finds the password of user:password@tcp(host), the form of MySQL's drivers.
func dsnPassword(s string, at, _ int) (int, int) {
	near := s[max(0, at-usualWindow/2):at]
	user, v, ok := strings.Cut(near[strings.LastIndexAny(near, "\"'` \t\r\n=")+1:], ":")
	return placeIf(ok && dotted.only(user) && mayBePassword(v), at-len(v), at)
}

// userPassword finds the password of a URL. The user may be empty, as with Redis. The password goes up to the last at sign of
// the authority, because people write passwords with one without escaping it.
func userPassword(s string, _, end int) (int, int) {
	const longestUser = 128
	colon := end + indexOr(clip(s[end:], longestUser), ":/?#@ \t\r\n\"'`<>\\,;()[]{}|")
	if colon < len(s) && s[colon] == '@' && looksRandom(s[end:colon]) {
		return end, colon // a token instead of a user
	}
	if colon == len(s) || s[colon] != ':' {
		return -1, -1
	}
	from := colon + 1
	rest := clip(s[from:], usualWindow/2)
	at := strings.LastIndexByte(rest[:indexOr(rest, "/ \t\r\n\"'`<>\\|")], '@')
	if at <= 0 {
		// A slash in a password, and not the path behind a port.
		rest = rest[:indexOr(rest, "? \t\r\n\"'`<>\\|")]
		if at = strings.IndexByte(rest, '@'); at <= 0 || digit.only(rest[:indexOr(rest, "/")]) || !looksRandom(rest[:at]) {
			return -1, -1
		}
	}
	v := rest[:at]
	initial := lower.only(v) && v == s[end:colon] // the first account of an image: postgres:postgres, guest:guest
	variable := v[0] == '$' && (isVariable(v[1:]) || hasTemplate(v)) || v[0] == '%' && isFormatted(v[1:])
	placeholder := variable || prefixOf(v, "{", "[", "#{") > 0
	return placeIf(len(v) >= shortestEntry && strings.Trim(v, mask) != "" && !isFieldLabel(v) && !placeholder && !initial, from, from+at)
}

// parameter finds the value of the parameter whose name ends with the keyword, as in X-Amz-Signature=, if the name is that of a
// signature, a session or a grant.
func parameter(s string, at, end int) (int, int) {
	start := nameBegin(s, at)
	name := strings.TrimRight(s[start:end-1], "0123456789_-")
	if start == 0 || strings.IndexByte("?&;#", s[start-1]) < 0 {
		return -1, -1
	}
	signs := inList("signing", name[strings.LastIndexAny(name, "_-")+1:])
	if !signs && !foldContains(s[start:end-1], parts("sessionParts")) {
		return -1, -1
	}
	to := end + indexOr(s[end:], "&#;\"'`<> \t\r\n\\)],")
	return end, to
}

// looksIssued reports whether the value of a parameter is more than a word or a number.
func looksIssued(v string) bool {
	return len(v) >= shortestKey && genuine(v) && !numeric(v) && (digit.in(v) > 0 || caseChanges(v) > 1)
}
