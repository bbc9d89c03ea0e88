package failure

import (
	"slices"
	"strings"
	"unicode"

	"journal/events/text"
)

const (
	maxErrors = 40 // lines
	// maxBelow bounds the indented lines below an error that belong to it.
	maxBelow = 6
)

// explains matches a line that is no mark of failure itself, but has the place or the reason of one.
var explains = text.Pattern(`^(?:\s+|.*(?:-->|❯) )[\w./@-]+\.\w+[:(]\d+|^E\s{3}|^\s*(?:Expected|Received)\b.*:|\b\w*(?:Error|Exception)(?:: |$)|^\s*● `)

var logged = text.Pattern(`\b(?:INFO|DEBUG)\b`)

// IsLog reports whether a line is a program's log, below the level of a warning: tests print it beside their errors.
func IsLog(line string) bool { return logged().MatchString(line) }

// Errors returns the lines of a command's output that show what failed, each once, in their order, at most 40: marks of
// failure, places, reasons, and what is indented below. Of a command that only prints existing content, only messages of
// the shell count.
func Errors(command, output string) (lines []string) {
	known, reads := marks, onlyReads(command)
	if reads {
		known = shellMarks
	}
	below := 0
	for line := range strings.Lines(Plain(output)) {
		line = strings.TrimRightFunc(strings.ToValidUTF8(line, ""), unicode.IsSpace)
		bare := strings.TrimLeft(line, " \t")
		switch {
		case bare == "", IsLog(line):
			continue
		case marked(bare, known), !reads && explains().MatchString(line):
			below = maxBelow
		case below > 0 && bare != line:
			below--
		default:
			below = 0
			continue
		}
		if len(lines) < maxErrors && len(line) <= maxLine && strings.ContainsFunc(line, unicode.IsLetter) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
