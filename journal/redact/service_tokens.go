package redact

import "strings"

// This file finds secrets of services that are known by their place, not by their shape. formats.txt has tokens with a shape.

// isWebKeyPart reports whether v may be the value of a private member of a JSON web key.
func isWebKeyPart(v string) bool { return looksRandom(v) && !strings.HasPrefix(v, "0x") }

// webhookParts finds the random parts of a webhook's URL behind the keyword, which is in the URL. A UUID is one only in Microsoft's.
func webhookParts(s string, at, end int) (found []span) {
	const least, inURL = 16, word | dot | slash | percent | base64Sign
	begin := at - len(inURL.tail(s[max(0, at-usualWindow):at]))
	url := s[begin : end+indexOr(s[end:], "\"'`<>()?# \t\r\n\\")]
	if host, _, ok := strings.Cut(strings.TrimLeft(url, "/"), "/"); !ok || !strings.Contains(host, ".") {
		return nil
	}
	for i := end - begin; i < len(url); {
		n := (word | percent).run(url[i:])
		if v := url[i : i+n]; n >= least && (looksRandom(v) && !uuidLike(v) || uuidLike(v) && strings.Contains(url[:i], "IncomingWebhook")) {
			found = append(found, span{from: begin + i, to: begin + i + n})
		}
		i += max(n, 1)
	}
	return found
}
