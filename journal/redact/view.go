package redact

import (
	"strings"
	"unicode/utf8"
)

// This file makes views of a text, in which hidden secrets show: without invisible characters, with the escapes of JSON or HTML decoded.
// Findings in a view are mapped back to positions in the text. line_prefix.go and literal.go have the views for lines with a prefix
// and for literals.

// rewrite makes a view of s: it returns the number of bytes at s[i] that the view replaces, and their replacement, which has at most
// one byte. n is 0 if s[i] stays.
type rewrite func(s string, i int) (n int, replacement string)

// findIn returns the secrets that find returns for the view of s, at their positions in s.
func (r rewrite) findIn(s string, find func(view string) []span) []span {
	var b strings.Builder
	at := make([]int, 0, len(s)) // position in s of each byte of the view
	for i := 0; i < len(s); {
		n, replacement := r(s, i)
		if n == 0 {
			n, replacement = 1, s[i:i+1]
		}
		if replacement != "" {
			b.WriteString(replacement)
			at = append(at, i)
		}
		i += n
	}
	found := find(b.String())
	for i, f := range found {
		last := at[f.to-1]
		n, _ := r(s, last)
		found[i].from, found[i].to = at[f.from], last+max(n, 1)
	}
	return found
}

// dropping returns the rewrite that removes width(s, i) bytes at s[i].
func dropping(width func(s string, i int) int) rewrite {
	return func(s string, i int) (int, string) { return width(s, i), "" }
}

// scanPlain is scan without the features.
func scanPlain(s string) []span {
	found, _ := scan(s)
	return found
}

// replacing returns the rewrite that replaces the first string of each pair by the second.
func replacing(pairs ...string) rewrite {
	var firstBytes string
	for j := 0; j < len(pairs); j += 2 {
		if b := pairs[j][:1]; !strings.Contains(firstBytes, b) {
			firstBytes += b
		}
	}
	return func(s string, i int) (n int, replacement string) {
		if strings.IndexByte(firstBytes, s[i]) < 0 {
			return 0, ""
		}
		for j := 0; j < len(pairs); j += 2 {
			if strings.HasPrefix(s[i:], pairs[j]) {
				return len(pairs[j]), pairs[j+1]
			}
		}
		return 0, ""
	}
}

// joinList replaces the separators between the arguments of a command in a list by blanks.
var joinList = replacing(`", "`, " ", `","`, " ", "', '", " ")

// plainFrames replaces the lines of a drawn table by ASCII characters.
func plainFrames(s string, i int) (n int, replacement string) {
	switch r, n := utf8.DecodeRuneInString(s[i:]); {
	case strings.ContainsRune("│┃║┆┊▏▕｜╎¦", r):
		return n, "|"
	case strings.ContainsRune("─━═┄┈╌", r):
		return n, "-"
	case r >= '┌' && r <= '╿':
		return n, "+"
	}
	return 0, ""
}

// hasEscapes reports whether s begins like JSON, or like the view of JSON, and has an escape that unescape decodes. Such an escape makes
// the view shorter than s, so views of views come to an end.
func hasEscapes(s string) bool {
	s = strings.TrimLeft(s, "\n")
	if prefixOf(s, "{", "[", `"`) == 0 || !contains(s, `\n`, `\"`, `\u0026`, `\u003c`, `\u003e`) {
		return false
	}
	return s[0] == '"' || s[1] == '\n' || prefixOf(strings.TrimLeft(clip(s[1:], longestBlank), " \t\r\n"), `"`, `\`, "{", "[") > 0
}

// unescape decodes the usual escapes of JSON. Quotes without a backslash become line breaks.
var unescape = replacing(`"`, "\n", `\n`, "\n", `\t`, "\t", `\r`, "", `\"`, `"`, `\\`, `\`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">", `\u001b`, "\x1b")

// unescapeHTML decodes the references of HTML to signs.
var unescapeHTML = replacing("&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&#x27;", "'", "&apos;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&")

// matchNothing finds nothing. It is for rules whose keywords only show a feature of the text.
func matchNothing(string, int, int) (from, to int) { return -1, -1 }

// softHyphen is no keyword: it has two bytes, and the gate finds keywords of three or more.
const softHyphen = "\u00ad"

// unseen reports whether a character has no width.
func unseen(r rune) bool {
	return r >= 0xad && (strings.ContainsRune("\u00ad\u034f\u180e\ufeff", r) || r >= 0x2060 && r <= 0x2064 || r >= 0x200b && r <= 0x200f)
}

// hasNonASCII reports whether s has bytes that are not ASCII.
func hasNonASCII(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// visible returns s without the characters that have no width.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s)
}

// unseenAt returns the length of the character or terminal sequence at s[i] if it takes no space, else 0.
func unseenAt(s string, i int) int {
	if strings.HasPrefix(s[i:], "\x1b[") {
		return min(len(s)-i, 3+strings.IndexFunc(clip(s[i+2:], longestBlank), func(r rune) bool { return r >= '@' }))
	}
	if strings.HasPrefix(s[i:], "\r\n") {
		return 1 // the carriage return
	}
	if s[i] < utf8.RuneSelf {
		return 0
	}
	if r, n := utf8.DecodeRuneInString(s[i:]); unseen(r) {
		return n
	}
	return 0
}
