package redact

import "strings"

// This file decides what is secret in the headers of requests: credentials, bearers, cookies.

// bearer reports whether v may be a bearer's token.
func bearer(v string) bool { return len(v) >= leastRandom && random(v) || chance(v) || chosenWord(v) }

// credentials returns the place of what follows the scheme of a header, or of the whole value if it has no scheme.
func (n namedValue) credentials() (from, to int) {
	s, below := n.text, false
	n.value, below = nextLine(s, n.value)
	n.value += constructor(s[n.value:])
	q, width := opening(s[n.value:])
	from = n.value + width
	scheme := schemeLen(s[from:])
	from += scheme
	if next, torn := nextLine(s, from); torn {
		from, below = next, true
	}
	switch {
	case q.close != "":
		to = from + q.value(s[from:])
	case n.whole():
		to = n.valueEnd(from)
	default:
		to = n.wordEnd(from)
	}
	v := strings.TrimRight(s[from:to], ",;")
	if scheme == 0 {
		return placeIf(!below && !isCode(v) && mayBeCredentials(v), from, to)
	}
	return placeIf(!(below && strings.ContainsAny(v, " \t")) && !isCode(v) && mayFollowScheme(v), from, to)
}

// mayFollowScheme reports whether a value after a scheme is more than a word.
func mayFollowScheme(v string) bool {
	return len(v) >= shortestKey && fields(v) == 1 && !harmless(v) && (len(v) >= longWord || !letters.only(v))
}

// mayBeCredentials reports whether the value of an Authorization header without a scheme is more than a word about it.
func mayBeCredentials(v string) bool {
	return len(v) >= shortestKey && fields(v) == 1 && !harmless(v) && (digit.in(v) > 0 || upper.in(v) > 0 && lower.in(v) > 0 && len(v) >= longWord) && !codeName(v)
}

// Cookies in headers and in the jars of curl. A rule finds one secret at a time; those of one header are found by cookiesIn.

// cookieHeader finds the cookies of a header "Cookie: …", also within quotes and in JSON.
func cookieHeader(s string, at, end int) []span {
	i := end + prefixOf(s[end:], "s")
	i += leading(clip(s[i:], 8), closing)
	i += blanks(s[i:])
	if i == len(s) || strings.IndexByte(":='\"", s[i]) < 0 && !(i > end && s[i] == ',') {
		return nil
	}
	i += 1 + blanks(s[i+1:])
	if line := s[i:lineEnd(s, i)]; strings.HasPrefix(line, "{") {
		return cookieMembers(line, i)
	}
	i += leading(clip(s[i:], 8), `\"'`+"`[")
	to := i + indexOr(s[i:], "\r\n\"'`")
	return cookiesIn(s[:to], i)
}

// cookieMembers returns the secrets among the cookies of a literal, which stands at a place: {"sid": "…"}.
func cookieMembers(literal string, at int) (found []span) {
	for _, m := range cookieMember().FindAllStringSubmatchIndex(literal, mostCells) {
		if cookieSense(literal[m[2]:m[3]]).isSecret(literal[m[4]:m[5]]) {
			found = append(found, span{from: at + m[4], to: at + m[5], rule: namedCookie})
		}
	}
	return found
}

var cookieMember = lazily(`["']([\w.-]+)["']: *["']([^"'\\]+)["']`)

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

// cookieSense returns the sense of a cookie's name. Those of sessions need not look random.
func cookieSense(name string) sense {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__Host-"), "__Secure-")
	if foldContains(name, parts("sessionParts")) && !strings.Contains(name, markOpen) {
		return sense{namedCookie, byCookie}
	}
	return sense{namedCookie, byChance}
}
