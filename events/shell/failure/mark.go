package failure

import (
	"slices"
	"strings"
)

// mark declares a line that shows a failure.
type mark struct {
	name string // of the tool that prints it
	// hint is a text in every such line: a line without it costs only this search.
	hint    string
	matches func(line string) bool
	// yes and no are examples of lines that are and are not marks; the tests check them.
	yes, no []string
}

var declared []mark

// declare adds a mark. It initialises a package variable: adding a mark adds a file, or a line to one.
func declare(m mark) struct{} {
	declared = append(declared, m)
	return struct{}{}
}

// begins matches lines that begin with the hint.
func begins(hint string) func(string) bool {
	return func(line string) bool { return strings.HasPrefix(line, hint) }
}

// marked reports whether any of marks matches a line, which is trimmed and has no escape sequences.
func marked(line string, marks []mark) bool {
	return slices.ContainsFunc(marks, func(m mark) bool {
		return strings.Contains(line, m.hint) && m.matches(line)
	})
}

// position reads "file.ext:12:5: " at the beginning of a line and returns the rest.
func position(line string) (message string, ok bool) {
	name, rest, found := strings.Cut(line, ":")
	if !found || strings.ContainsAny(name, " \t\"'`") || !strings.Contains(name, ".") {
		return "", false
	}
	for range 2 {
		digits, more, found := strings.Cut(rest, ":")
		if !found || digits == "" || strings.Trim(digits, "0123456789") != "" {
			return "", false
		}
		rest = more
	}
	return strings.CutPrefix(rest, " ")
}
