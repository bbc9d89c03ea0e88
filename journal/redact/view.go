package redact

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// This file makes views of a text, in which hidden secrets show: without invisible characters, without the prefixes of lines that
// tools add, with the escapes of JSON decoded. Findings in a view are mapped back to positions in the text.

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
	return func(s string, i int) (n int, replacement string) {
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

// hasEscapes reports whether s begins like JSON, or like the view of JSON, and has an escape that unescape decodes: the view of
// that is shorter, so views of views come to an end.
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
func unescapeHTML(s string, i int) (n int, replacement string) {
	if s[i] != '&' {
		return 0, ""
	}
	return htmlSigns(s, i)
}

// htmlSigns is unescapeHTML for an ampersand.
var htmlSigns = replacing("&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&#x27;", "'", "&apos;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&")

// inLiterals returns the secrets that show in literals with escapes, as programs print texts: got "user: bob\npassword: …".
func inLiterals(s string) (found []span) {
	for i := 0; ; {
		escape := strings.IndexByte(s[i:], '\\')
		if escape < 0 {
			return found
		}
		i += strings.LastIndexByte(s[i:i+escape], '\n') + 1
		line := s[i : i+indexOr(s[i:], "\n")]
		for l := range literals(line) {
			if !contains(line[l.from:l.to], `\n`, `\"`) {
				continue
			}
			for _, f := range unescapeLiteral.findIn(line[l.from:l.to], secrets) {
				f.from, f.to = i+l.from+f.from, i+l.from+f.to
				found = append(found, f)
			}
		}
		i += len(line)
	}
}

// literals yields the bounds of the texts in the literals of a line. The last may lack its closing quote if that is a double quote.
func literals(line string) iter.Seq[bounds] {
	return func(yield func(bounds) bool) {
		for i := indexOr(line, "\"'"); i < len(line); i += indexOr(line[i:], "\"'") {
			from, single := i+1, line[i] == '\''
			if i > 0 && line[i-1] == '\\' || single && isApostrophe(line, i) {
				i = from
				continue
			}
			to := from + quote{close: line[i:from]}.run(line[from:])
			if single && to == len(line) {
				i = from
				continue
			}
			if !yield(bounds{from, to}) {
				return
			}
			i = min(to+1, len(line))
		}
	}
}

// isApostrophe reports whether the sign at i is one in a word, and not the quote of a literal such as b'…'.
func isApostrophe(s string, i int) bool {
	before := alnum.tail(s[max(0, i-2):i])
	return before != "" && before != "b"
}

// unescapeLiteral decodes the usual escapes of literals.
var unescapeLiteral = replacing(`\n`, "\n", `\t`, "\t", `\r`, "", `\"`, `"`, `\'`, "'", `\\`, `\`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">", `\u001b`, "\x1b", `\x1b`, "\x1b")

// hasLinePrefix reports whether one of the first two lines of s has a prefix that a tool added, or s contains a diff.
func hasLinePrefix(s string) bool {
	next := strings.IndexByte(s, '\n') + 1
	return linePrefixAt(s, 0) > 0 && !strings.HasPrefix(s, "- ") || next > 0 && linePrefixAt(s, next) > 0 && !strings.HasPrefix(s[next:], "- ") || strings.Contains(s, "@@ -")
}

// linePrefixAt returns the width of the prefix that a tool added to the line that begins at i: a number, the sign of a diff or of a
// quotation. It returns 0 without such a prefix, or if no line begins at i.
func linePrefixAt(s string, i int) int {
	const maxPrefix = 12
	if i == len(s) || (lower | upper).has(s[i]) || i > 0 && s[i-1] != '\n' {
		return 0
	}
	line := clip(s[i:], maxPrefix)
	n := gap.run(line)
	if d := digit.run(line[n:]); d > 0 {
		if end := prefixOf(s[i+n+d:], "\u2192", "\t", "|", ":"); end > 0 {
			return n + d + end
		}
	}
	if line[0] == '>' {
		return 1 + leading(clip(line[1:], 1), " ")
	}
	if (line[0] == '+' || line[0] == '-') && !(len(line) > 1 && line[1] == line[0]) {
		return 1 // a single sign of a diff
	}
	return 0
}

// sharedPrefix returns the shortest prefix that two of the first lines of s share, in all but numbers: the time of a log, the name of a
// container, the sign of a comment. Blanks at its end count as one. It returns "" if no lines share a prefix that a tool may have added.
func sharedPrefix(s string) (shortest string) {
	const mostLines = 4
	line, rest, more := strings.Cut(clip(s, 2*usualWindow), "\n")
	for n := 1; n < mostLines && more; n++ {
		var next string
		next, rest, more = strings.Cut(rest, "\n")
		if prefix := line[:alike(line, next)]; len(prefix) > 1 && isToolPrefix(prefix) && (shortest == "" || len(prefix) < len(shortest)) {
			shortest = prefix
		}
		line = next
	}
	return shortest
}

// alike returns the width of the prefix that a line shares with another line in all but numbers. The prefix ends with a sign, a tab or
// one blank.
func alike(line, other string) int {
	i, j := 0, 0
	for i < len(line) && j < len(other) {
		number := digit.run(line[i:])
		if line[i] != other[j] && (number == 0 || !digit.has(other[j])) {
			break
		}
		i, j = i+max(number, 1), j+max(digit.run(other[j:]), 1)
	}
	for ; i > 0 && strings.IndexByte(" \t|:]>", line[i-1]) < 0; i-- {
	}
	bare := strings.TrimRight(line[:i], " ")
	return min(i, len(bare)+1)
}

// isToolPrefix reports whether a tool may have added the prefix to lines: it has a number or a sign, or is the E of pytest, and has
// nothing of code or data.
func isToolPrefix(prefix string) bool {
	return (prefix == "E " || strings.ContainsAny(prefix, "0123456789|:[]#*>/+@│┃")) && !strings.ContainsAny(prefix, "\"'`={}()<,;")
}

// prefixAt returns the function that returns the width of a prefix that is like the given one in all but numbers, at s[i], or 0 if no
// line begins there.
func prefixAt(prefix string) func(s string, i int) int {
	return func(s string, i int) int {
		if i > 0 && s[i-1] != '\n' {
			return 0
		}
		return likePrefix(s[i:], prefix)
	}
}

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
