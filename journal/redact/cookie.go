package redact

import "strings"

// Cookies in headers and in the jars of curl. A rule finds one secret at a time; those of one header are found by cookiesIn.
var _ = declare([]Rule{
	{Name: "cookie-header", Kind: "cookie", Finds: "the values of a Cookie or Set-Cookie header that name a session or look random", Keywords: []string{"cookie", " -b"}, Fold: true, each: cookieHeader, window: 2 << 10, generic: true},
	{Name: "cookie-jar", Kind: "cookie", Finds: "the value in a line of a Netscape cookie file", Keywords: []string{"\ttrue\t", "\tfalse\t"}, Fold: true, generic: true, window: 8 << 10, pattern: `\t(?i:true|false)\t/[^\t\n]*\t(?i:true|false)\t\d+\t[^\t\n]+\t([^\s"'\\]{8,})`, check: func(v string) bool { return sense{namedCookie, byCookie}.tells(v) }},
})

// cookieHeader finds the cookies of a header "Cookie: …", also within quotes and in JSON.
func cookieHeader(s string, at, end int) []span {
	i := end + leading(clip(s[end:], 8), closing)
	i += blanks(s[i:])
	if i == len(s) || strings.IndexByte(":='\"", s[i]) < 0 && !(i > end && s[i] == ',') {
		return nil
	}
	i += 1 + blanks(s[i+1:])
	i += leading(clip(s[i:], 8), `\"'`+"`[")
	to := i + indexOr(s[i:], "\r\n\"'`")
	return cookiesIn(s[:to], i)
}

// cookiesIn returns the secrets among the cookies "NAME=VALUE; NAME=VALUE" at s[from:].
func cookiesIn(s string, from int) (found []span) {
	for from < len(s) {
		to := from + indexOr(s[from:], ";\n")
		name, value, ok := strings.Cut(s[from:to], "=")
		if ok && !cookieAttributes().has(strings.TrimSpace(name)) {
			at := from + len(name) + 1
			lead, tail := trimmed(value)
			if v := strings.Trim(value[lead:tail], `"`); cookieSense(strings.TrimSpace(name)).tells(v) {
				found = append(found, span{from: at + lead, to: at + tail, rule: namedCookie})
			}
		}
		from = to + 1
	}
	return found
}

// cookieAttributes are names of none of a cookie, which say how it is kept.
var cookieAttributes = words("path domain expires max-age samesite secure httponly priority partitioned version")

// cookieSense says what the name of a cookie says. Those of sessions need not look random.
func cookieSense(name string) sense {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__Host-"), "__Secure-")
	if foldContains(name, sessionParts) && !strings.Contains(name, markOpen) {
		return sense{namedCookie, byCookie}
	}
	return sense{namedCookie, byChance}
}

var sessionParts = []string{"sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "identity", "ticket", "aspxauth"}
