package failure

import (
	"slices"
	"strings"
	"unicode"

	"journal/events/text"
)

// MaxErrors bounds the lines that Errors returns.
const MaxErrors = 40

// maxBelow bounds the indented lines below an error that belong to it.
const maxBelow = 6

// explanation matches a line that is no mark of failure itself, but has the place or the reason of a failure.
var explanation = text.Pattern(`^(?:\s+|.*(?:-->|❯) )[\w./@-]+\.\w+[:(]\d+|^E\s{3}|^\s*(?:Expected|Received)\b.*:|\b\w*(?:Error|Exception)(?:: |$)|^\s*● `)

// logLevel matches the level of a line in a program's log.
var logLevel = text.Pattern(`\b(?:INFO|DEBUG)\b`)

// IsLog reports whether a line is from a program's log, below the level of a warning: tests print such lines beside their
// errors.
func IsLog(line string) bool { return logLevel().MatchString(line) }

// Errors returns the lines of a command's output that show what failed, each once, in their order, at most 40: marks of failure,
// places, reasons, and up to six lines indented below each. For a command that only prints existing content, it returns only
// the lines that shellMarks match, with the lines indented below.
func Errors(command, output string) (lines []string) {
	known, printsOnly := marks, onlyReads(command)
	if printsOnly {
		known = shellMarks
	}
	below := 0
	for line := range strings.Lines(Plain(output)) {
		line = strings.TrimRightFunc(strings.ToValidUTF8(line, ""), unicode.IsSpace)
		bare := strings.TrimLeft(line, " \t")
		switch {
		case bare == "", IsLog(line):
			continue
		case marked(bare, known), !printsOnly && explanation().MatchString(line):
			below = maxBelow
		case below > 0 && bare != line:
			below--
		default:
			below = 0
			continue
		}
		if len(lines) < MaxErrors && len(line) <= maxLine && strings.ContainsFunc(line, unicode.IsLetter) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
