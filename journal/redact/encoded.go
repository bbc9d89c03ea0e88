package redact

import (
	base64std "encoding/base64"
	"strings"
	"unicode"
)

// This file finds secrets in base64.

// encodedText finds the run of base64 around the keyword, if its decoded text has a secret.
func encodedText(s string, at, _ int) (int, int) {
	const most = 8 << 10
	from := at - len(base64.tail(s[max(0, at-most):at]))
	from += strings.LastIndexByte(s[from:at], '=') + 1
	to := at + base64.run(s[at:])
	text, ok := decoded(s[from:to])
	return placeIf(ok && Text(text) != text, from, to)
}

// decoded returns the text of base64. ok is false for bytes that are no text of ASCII, or fewer than shortestKey.
func decoded(v string) (plain string, ok bool) {
	text, err := base64std.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	binary := strings.ContainsFunc(string(text), func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) || c >= 0x7f })
	return string(text), err == nil && len(text) >= shortestKey && !binary
}

// decodedArgument finds the base64 on the line of the command that decodes it, unless the decoded text is prose.
func decodedArgument(s string, at, end int) (int, int) {
	const least = 12
	begin := lineBegin(s, at)
	line := s[begin:lineEnd(s, end)]
	for i := 0; i < len(line); {
		n := base64.run(line[i:])
		v := line[i : i+n]
		isWord := n >= least && (i == 0 || strings.IndexByte(" \"'`", line[i-1]) >= 0) && !strings.HasPrefix(v, "/")
		if isWord && (looksRandom(v) || digit.in(v) > 0 && upper.in(v) > 0) {
			if text, ok := decoded(v); ok && !strings.Contains(text, " ") && (!isFiller(text) || Text(text) != text) {
				return begin + i, begin + i + n
			}
		}
		i += max(n, 1)
	}
	return -1, -1
}
