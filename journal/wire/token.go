package wire

import (
	"encoding/hex"
	"strings"

	"journal/events"
	"journal/events/text"
)

// maxToken bounds a token, in bytes: subjects must fit into a line of the server's protocol. A token that was cut ends with cutDigest
// digits of the text's digest.
const (
	maxToken  = 240
	cutDigest = 32
)

// CutMark stands before the digest in a token that Token cut. No other token has it: there two hex digits follow each '='.
const CutMark = "=~"

// digits are the hexadecimal digits of an escaped byte.
const digits = "0123456789ABCDEF"

// Token encodes any text as one subject token: ASCII letters, digits, '-' and '_' as they are, and every other byte as '=' and two
// hex digits. For the empty text it returns events.None. It cuts a token over maxToken, and ends it with CutMark and a digest: then only
// the envelope has the text.
func Token(s string) string {
	if s == "" {
		return events.None
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'=', digits[c>>4], digits[c&15]})
		}
	}
	t := b.String()
	if len(t) <= maxToken {
		return t
	}
	return t[:maxToken-len(CutMark)-cutDigest] + CutMark + text.Digest(s)[:cutDigest]
}

// TokenText decodes a token. ok is false for a cut token, and for a text that Token did not return.
func TokenText(token string) (decoded string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '=' {
			b.WriteByte(token[i])
			continue
		}
		if i+2 >= len(token) {
			return "", false
		}
		c, err := hex.DecodeString(token[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.WriteByte(c[0])
		i += 2
	}
	decoded = b.String()
	return decoded, Token(decoded) == token
}
