package redact

import "strings"

// This file finds secrets in the headers of requests: credentials and cookies.

// isBearer reports whether v may be a bearer token.
func isBearer(v string) bool {
	return len(v) >= leastRandom && tokenLike(v) || looksRandom(v) || isChosenWord(v)
}

// credentials finds the credentials in the value of an Authorization header: behind the scheme, or the whole value if it has none.
func (n namedValue) credentials() (from, to int) {
	s := n.text
	var below bool // the credentials are on a line below the name
	n.value, below = nextLine(s, n.value)
	n.value += constructor(s[n.value:])
	q, width := opening(s[n.value:])
	from = n.value + width
	begin := from // of the secret
	scheme, joined := schemeLen(s[from:])
	from += scheme
	if next, onNextLine := nextLine(s, from); onNextLine {
		from, below = next, true
	}
	switch {
	case q.close != "":
		to = from + q.value(s[from:])
	case n.beginsLine():
		to = n.valueEnd(from)
	default:
		to = n.wordEnd(from)
	}
	v := strings.TrimRight(s[from:to], ",;")
	if scheme == 0 {
		return placeIf(!below && !isCode(v) && mayBeCredentials(v), from, to)
	}
	accepted := mayFollowScheme(v)
	if joined { // what follows may be too short alone
		accepted = accepted || mayBeCredentials(s[begin:from]+v)
		from = begin
	}
	return placeIf(!(below && strings.ContainsAny(v, " \t")) && !isCode(v) && accepted, from, to)
}

// mayFollowScheme reports whether a value after a scheme may be credentials, and not a word about them.
func mayFollowScheme(v string) bool {
	return len(v) >= shortestKey && wordCount(v) == 1 && !harmless(v) && (len(v) >= longWord || !letters.only(v))
}

// mayBeCredentials is mayFollowScheme for a value without a scheme.
func mayBeCredentials(v string) bool {
	return len(v) >= shortestKey && wordCount(v) == 1 && !harmless(v) && (digit.in(v) > 0 || upper.in(v) > 0 && lower.in(v) > 0 && len(v) >= longWord) && !isCodeName(v)
}

// cookieHeader finds the secrets of a header "Cookie: …", also within quotes and in JSON.
func cookieHeader(s string, at, end int) []span {
	i := end + prefixOf(s[end:], "s") // Cookies
	i += leading(clip(s[i:], 8), closing)
	i += blanks(s[i:])
	if i == len(s) || strings.IndexByte(":='\"", s[i]) < 0 && !(i > end && s[i] == ',') {
		return nil
	}
	i += 1 + leading(clip(s[i+1:], longestBlank), " \t\r\n")
	if strings.HasPrefix(s[i:], "{") {
		literal, _, _ := strings.Cut(s[i:i+indexOr(s[i:], "}")], "\n\n") // an empty line ends an object that is not closed
		return cookieMembers(literal, i)
	}
	i += leading(clip(s[i:], 8), `\"'`+"`[")
	to := i + indexOr(s[i:], "\r\n\"'`")
	return cookiesIn(s[:to], i)
}

// cookieMembers returns the secrets among the cookies of a literal such as {"sid": "…"}, which stands at an index of the text.
func cookieMembers(literal string, at int) (found []span) {
	for _, m := range cookieMember().FindAllStringSubmatchIndex(literal, mostCells) {
		if cookieSense(literal[m[2]:m[3]]).isSecret(literal[m[4]:m[5]]) {
			found = append(found, span{from: at + m[4], to: at + m[5], rule: namedCookie})
		}
	}
	return found
}

// cookieMember matches a name and its value.
var cookieMember = lazily(`["']([\w.-]+)["']: *["']([^"'\\\r\n]+)(?:["'\r\n]|$)`)

// cookiesIn returns the secrets among the cookies "NAME=VALUE; NAME=VALUE" at s[from:].
func cookiesIn(s string, from int) (found []span) {
	for from < len(s) {
		to := from + indexOr(s[from:], ";\n")
		name, value, ok := strings.Cut(s[from:to], "=")
		if ok && !inList("cookieAttributes", strings.TrimSpace(name)) {
			at := from + len(name) + 1
			lead, tail := trimmed(value)
			if v := strings.Trim(value[lead:tail], `"`); cookieSense(strings.TrimSpace(name)).isSecret(v) {
				found = append(found, span{from: at + lead, to: at + tail, rule: namedCookie})
			}
		}
		from = to + 1
	}
	return found
}

// cookieSense returns the sense of a cookie's name. The value of a session's cookie need not look random.
func cookieSense(name string) sense {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__Host-"), "__Secure-")
	if foldContains(name, parts("sessionParts")) && !strings.Contains(name, markOpen) {
		return sense{namedCookie, byCookie}
	}
	return sense{namedCookie, byRandom}
}
