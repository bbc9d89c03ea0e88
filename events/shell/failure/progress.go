package failure

import (
	"strconv"
	"strings"
	"unicode"

	"journal/events/text"
)

// progressCount matches how far something came: 12%, 12/340, 1.2/34.5 MB.
var progressCount = text.Pattern(`(\d+(?:\.\d+)?)(?:\s?%|\s?(?:[kKMGT]?i?[bB])?/(\d+(?:\.\d+)?))`)

// numberWithUnit matches a number with its unit.
var numberWithUnit = text.Pattern(`[-\d:.,]*\d[-\d:.,]*\s?(?:[kKMGT]?i?[bB]?(?:/s|it/s)?\b|%)?`)

// CleanOutput returns a command's output as Plain does, without outdated progress. It keeps only the last of the lines that
// carriage returns overwrote, and of three or more lines that differ only in a rising count.
func CleanOutput(s string) string {
	if strings.IndexByte(s, '\r') < 0 && strings.Count(s, "\n") < 2 {
		return Plain(s)
	}
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.IndexByte(line, '\r') >= 0 {
			lines[i] = lastState(line)
		}
	}
	return strings.Join(withoutProgress(strings.Split(Plain(strings.Join(lines, "\n")), "\n")), "\n")
}

// lastState leaves out the parts of a line that a later part of the same form replaced.
func lastState(line string) string {
	parts := strings.Split(line, "\r")
	rest := parts[:0]
	for _, part := range parts {
		if n := len(rest); n > 0 && leadingWords(rest[n-1]) == leadingWords(part) {
			rest[n-1] = part
			continue
		}
		rest = append(rest, part)
	}
	return strings.Join(rest, "\r")
}

// leadingWords returns the words with which a state of progress begins, up to the first number or drawing.
func leadingWords(part string) string {
	part = strings.TrimLeftFunc(Plain(part), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if i := strings.IndexFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != ':' }); i >= 0 {
		part = part[:i]
	}
	return strings.TrimSpace(part)
}

// withoutProgress leaves out lines of progress that a later line continues.
func withoutProgress(lines []string) []string {
	kept := lines[:0:0]
	for i := 0; i < len(lines); {
		end := i + 1
		if form, done, total, ok := parseProgress(lines[i]); ok {
			first := done
			for end < len(lines) {
				next, n, t, ok := parseProgress(lines[end])
				if !ok || next != form || t != total || n < done {
					break
				}
				done = n
				end++
			}
			if end-i < 3 || done == first {
				end = i + 1
			}
		}
		kept = append(kept, lines[end-1])
		i = end
	}
	return kept
}

// parseProgress reads a line of progress: its constant part, the progress so far, and the total.
func parseProgress(line string) (form string, done, total float64, ok bool) {
	if len(line) > 500 || !strings.ContainsAny(line, "%/") {
		return "", 0, 0, false
	}
	m := progressCount().FindStringSubmatch(line)
	if m == nil {
		return "", 0, 0, false
	}
	done, _ = strconv.ParseFloat(m[1], 64)  // the pattern has digits alone
	total, _ = strconv.ParseFloat(m[2], 64) // 0 for a percentage
	form = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, numberWithUnit().ReplaceAllString(line, ""))
	return form, done, total, true
}
