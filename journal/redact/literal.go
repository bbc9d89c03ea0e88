package redact

import (
	"iter"
	"strings"
)

// This file finds the secrets of texts that a program prints as literals.

// inLiterals returns the secrets that show if the escapes in the literals of s are decoded: got "user: bob\npassword: …".
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

// literals yields the bounds of the texts in the literals of a line. A literal in double quotes may lack the closing one, at the end of
// a text that was cut.
func literals(line string) iter.Seq[bounds] {
	return func(yield func(bounds) bool) {
		for i := indexOr(line, "\"'"); i < len(line); i += indexOr(line[i:], "\"'") {
			from := i + 1
			to := from + quote{close: line[i:from]}.run(line[from:])
			if !yield(bounds{from, to}) {
				return
			}
			i = min(to+1, len(line))
		}
	}
}

// unescapeLiteral decodes the usual escapes of literals.
var unescapeLiteral = replacing(`\n`, "\n", `\t`, "\t", `\r`, "", `\"`, `"`, `\'`, "'", `\\`, `\`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">", `\u001b`, "\x1b", `\x1b`, "\x1b")
