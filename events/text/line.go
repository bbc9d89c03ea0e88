package text

import "strings"

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
