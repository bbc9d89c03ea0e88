package failure

import (
	"strconv"
	"strings"
	"unicode"

	"journal/events/text"
)

// progressCount matches a state of progress: 12%, 12/340, 1.2/34.5 MB.
var progressCount = text.Pattern(`(\d+(?:\.\d+)?)(?:\s?%|\s?(?:[kKMGT]?i?[bB])?/(\d+(?:\.\d+)?))`)

// numberWithUnit matches a number with its unit.
var numberWithUnit = text.Pattern(`[-\d:.,]*\d[-\d:.,]*\s?(?:[kKMGT]?i?[bB]?(?:/s|it/s)?\b|%)?`)

// CleanOutput returns a command's output as Plain does, without outdated states of progress. Of states that a carriage return
// overwrote it keeps only the last. Of three or more lines that differ only in a rising count it keeps only the last.
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

// lastState keeps, of successive states of a line with the same leading words, only the last. Carriage returns separate states.
func lastState(line string) string {
	var states []string
	for state := range strings.SplitSeq(line, "\r") {
		if n := len(states); n > 0 && leadingWords(states[n-1]) == leadingWords(state) {
			states = states[:n-1]
		}
		states = append(states, state)
	}
	return strings.Join(states, "\r")
}

// leadingWords returns the words at the beginning of a state of progress, up to the first number or drawn bar.
func leadingWords(part string) string {
	part = strings.TrimLeftFunc(Plain(part), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if i := strings.IndexFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != ':' }); i >= 0 {
		part = part[:i]
	}
	return strings.TrimSpace(part)
}

// minProgress is the fewest lines of progress of which only the last is kept.
const minProgress = 3

// withoutProgress keeps, of three or more successive lines of progress that differ only in a rising count, only the last.
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
			if rising := done > first; !rising || end-i < minProgress {
				kept = append(kept, lines[i:end-1]...)
			}
		}
		kept = append(kept, lines[end-1])
		i = end
	}
	return kept
}

// parseProgress reads a line of progress: the letters outside of numbers and units, the count so far, and the total, 0 for a
// percentage. ok is false for any other line.
func parseProgress(line string) (form string, done, total float64, ok bool) {
	const longest = 500 // bytes; a longer line is data
	if len(line) > longest || !strings.ContainsAny(line, "%/") {
		return "", 0, 0, false
	}
	m := progressCount().FindStringSubmatch(line)
	if m == nil {
		return "", 0, 0, false
	}
	done, _ = strconv.ParseFloat(m[1], 64) // the pattern matches only numbers
	total, _ = strconv.ParseFloat(m[2], 64)
	form = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, numberWithUnit().ReplaceAllString(line, ""))
	return form, done, total, true
}
