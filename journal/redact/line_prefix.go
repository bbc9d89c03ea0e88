package redact

import "strings"

// This file finds the prefixes that tools put before lines.

// hasLinePrefix reports whether one of the first two lines of s has a prefix that a tool added, or s contains a diff.
func hasLinePrefix(s string) bool {
	next := strings.IndexByte(s, '\n') + 1
	prefixed := func(i int) bool { return linePrefixAt(s, i) > 0 && !strings.HasPrefix(s[i:], "- ") } // such a line is an item of a list
	return prefixed(0) || next > 0 && prefixed(next) || strings.Contains(s, "@@ -")
}

// linePrefixAt returns the width of the prefix that a tool added to the line that begins at i: a number, the sign of a quotation, or that of a
// diff. It returns 0 without such a prefix, or if no line begins at i.
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
	for i > 0 && strings.IndexByte(" \t|:]>", line[i-1]) < 0 {
		i--
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

// likePrefix returns the width of the prefix of a line if it differs from the prefix of another line in numbers at most, such as the
// time of a log or the number of the line, else 0.
func likePrefix(line, prefix string) int {
	i := 0
	for j := 0; j < len(prefix); {
		if number := digit.run(prefix[j:]); number > 0 {
			i += digit.run(line[i:])
			j += number
			continue
		}
		if i == len(line) || line[i] != prefix[j] {
			return 0
		}
		i++
		j++
	}
	return i
}
