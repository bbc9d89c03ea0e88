package text

import "strings"

// Line puts a text on one line: every run of white space is one blank.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Trimmed gives a text one kind of line end and no white space around it.
func Trimmed(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}
