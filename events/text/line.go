package text

import (
	"regexp"
	"strings"
	"sync"
)

// Line puts a text on one line: every run of white space is one blank.
func Line(s string) string {
	if isLine(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// isLine says for sure that a text is on one line already, as most are; texts with
// spaces of other kinds have to be looked at.
func isLine(s string) bool {
	blank := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == ' ' && blank || c == 0xc2 || c >= 0xe1 && c <= 0xe3 {
			return false // a control, two blanks, or the first byte of a space that Unicode has
		}
		blank = c == ' '
	}
	return !blank || s == ""
}

// Trimmed gives a text one kind of line end and no white space around it.
func Trimmed(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

// name is a word of a program: it is in camelCase or has an underscore, or is called. A path is one by its extension.
var name = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:[A-Za-z_][a-z0-9]*(?:[A-Z_]|[A-Z][a-z0-9])\w*|[A-Za-z_]\w{3,}\b(?:\(\)|\x60))`)
})

// Names lists the words of a text that stand for something in a program, each once, most of them at most, as they come.
func Names(s string, most int) (all []string) {
	seen := map[string]bool{}
	for _, w := range name().FindAllString(s, -1) {
		for len(w) > 0 && !isName(w[len(w)-1]) {
			w = w[:len(w)-1]
		}
		if len(w) < 4 || seen[w] {
			continue
		}
		if seen[w] = true; len(all) == most {
			break
		}
		all = append(all, w)
	}
	return all
}

func isName(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
