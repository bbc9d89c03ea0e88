package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"journal/events"
)

// subjectRoot begins the subject of every stored event:
// journal.<project>.<session>.<type>. The type keeps its own dots.
const subjectRoot = "journal"

// maxToken bounds one escaped token, and maxSubject a whole subject, in bytes. A
// protocol line has 4,096: the server hangs up on whoever sends a longer one.
const (
	maxToken   = 240
	maxSubject = 1024
)

// Subject gives the subject that an event is stored under. Turn and tool ids
// stay out of it: below 100,000 subjects everything stays fast (DESIGN 5).
func Subject(m events.Meta) string {
	return subjectRoot + "." + Token(m.Project) + "." + Token(m.Session) + "." + typeTokens(m.Type)
}

// subject gives the filter for a selector, wildcards where it names nothing.
func subject(s events.Selector) string {
	part := func(v string) string {
		if v == "" {
			return "*"
		}
		return Token(v)
	}
	tail := ">"
	if s.Type != "" {
		tail = typeTokens(s.Type)
	}
	return subjectRoot + "." + part(s.Project) + "." + part(s.Session) + "." + tail
}

func typeTokens(t events.Type) string {
	tokens := strings.Split(string(t), ".")
	for i, t := range tokens {
		tokens[i] = Token(t)
	}
	return strings.Join(tokens, ".")
}

// Token makes any text one subject token. Letters, digits, '-' and '_' stand
// for themselves, every other byte is '=' and two hex digits; TextOf undoes it.
// The empty text is "none". A token over 240 bytes is cut and ends in "=~" and a
// digest; then only the envelope holds the text.
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
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	t := b.String()
	if len(t) <= maxToken {
		return t
	}
	sum := sha256.Sum256([]byte(s))
	return t[:maxToken-34] + "=~" + hex.EncodeToString(sum[:16])
}

// TextOf undoes Token. ok is false for what is no token of ours, and for cut
// ones.
func TextOf(token string) (text string, ok bool) {
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
	text = b.String()
	return text, Token(text) == token
}

// names says whether a selector names the events of a subject.
func names(s events.Selector, subj string) bool {
	parts := strings.SplitN(subj, ".", 4)
	if len(parts) != 4 || parts[0] != subjectRoot {
		return false
	}
	return (s.Project == "" || Token(s.Project) == parts[1]) &&
		(s.Session == "" || Token(s.Session) == parts[2]) &&
		(s.Type == "" || typeTokens(s.Type) == parts[3])
}
