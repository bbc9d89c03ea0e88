package redact

import "strings"

// This file recognises marks, which replace secrets.

// A mark is markOpen, a kind and markClose.
const markOpen, markClose = "[redacted:", "]"

// maxKind is the longest kind in bytes. It bounds how many bytes before a keyword insideMark examines.
const maxKind = 32

// Count returns the number of marks in s, whether Text or somebody else wrote them.
func Count(s string) (marks int) {
	for _, rest, ok := strings.Cut(s, markOpen); ok; _, rest, ok = strings.Cut(rest, markOpen) {
		if n := kindLen(rest); n > 0 && strings.HasPrefix(rest[n:], markClose) {
			marks++
		}
	}
	return marks
}

// kindLen returns how many bytes at the start of s can be a kind: at most maxKind.
func kindLen(s string) int { return (lower | digit | hyphen).run(clip(s, maxKind)) }

// insideMark reports whether s[at] belongs to the kind of a mark.
func insideMark(s string, at int) bool {
	near := s[max(0, at-maxKind-len(markOpen)):at]
	i := strings.LastIndexByte(near, markOpen[0])
	if i < 0 || !strings.HasPrefix(near[i:], markOpen) {
		return false
	}
	kind := near[i+len(markOpen):]
	return kindLen(kind) == len(kind)
}

// touchesMark reports whether a mark begins in s[from:to] or directly after it.
func touchesMark(s string, from, to int) bool {
	return strings.Contains(clip(s, to+len(markOpen))[from:], markOpen)
}

// Comparable returns a form of s for comparing it with a text that another version of the rules redacted: s redacted by these rules,
// with each line cut at its first mark, because versions differ in where a secret ends.
func Comparable(s string) string {
	s = Text(s)
	if !strings.Contains(s, markOpen) {
		return s
	}
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		before, _, _ := strings.Cut(line, markOpen)
		b.WriteString(before + "\n")
	}
	return b.String()
}

// isMark reports whether s is one mark and nothing else.
func isMark(s string) bool {
	rest, ok := strings.CutPrefix(s, markOpen)
	return ok && kindLen(rest) > 0 && rest[kindLen(rest):] == markClose
}
