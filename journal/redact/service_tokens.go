package redact

import "strings"

// This file finds the secrets of services that stand in a place of their own. Tokens with a shape of their own are in formats.txt.

// webKeyPart reports whether the member of a JSON web key is private.
func webKeyPart(v string) bool { return chance(v) && !strings.HasPrefix(v, "0x") }

// webhookParts finds what looks random in the path of a URL with the word hook in it.
func webhookParts(s string, at, end int) (found []span) {
	const least, parts = 16, word | dot | slash | percent | base64Sign
	begin := at - len(parts.tail(s[max(0, at-usualWindow):at]))
	url := s[begin : end+indexOr(s[end:], "\"'`<>()?# \t\r\n\\")]
	if host, _, ok := strings.Cut(strings.TrimLeft(url, "/"), "/"); !ok || !strings.Contains(host, ".") {
		return nil
	}
	for i := end - begin; i < len(url); {
		n := (word | percent).run(url[i:])
		if v := url[i : i+n]; n >= least && (chance(v) && !uuidLike(v) || uuidLike(v) && strings.Contains(url[:i], "IncomingWebhook")) {
			found = append(found, span{from: begin + i, to: begin + i + n})
		}
		i += max(n, 1)
	}
	return found
}
