package knowledge

import (
	"slices"
	"strings"
	"unicode"

	"journal/events/text"
)

// pasted are outputs: what such a request shows is found again by running or looking.
var pasted = routine("outputs that the person pasted, without words of their own that say more")

// The measures of a pasted output, in UTF-16 units, and of a line of prose.
const (
	minOutput   = 300
	outputShare = 0.6  // of the text
	proseShare  = 0.85 // of what stands between spaces, that are words
)

// Own gives what the person wrote of a prompt that is mostly a pasted output: the lines
// of prose before and behind it. Other prompts are their own words.
func Own(prompt string) string {
	if len(prompt) < minOutput {
		return prompt
	}
	var lines []string
	units, first, last, fenced := 0, -1, -1, false
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		mark := strings.HasPrefix(line, "```")
		isOutput := fenced || mark || line != "" && !isProse(line)
		fenced = fenced != mark
		if isOutput {
			units += text.Units(line)
			if first < 0 {
				if lead := leading(line); lead != "" {
					lines = append(lines, lead)
				}
				first = len(lines)
			}
			last = len(lines)
		}
		lines = append(lines, line)
	}
	if units < minOutput || float64(units) < outputShare*float64(text.Units(prompt)) {
		return prompt
	}
	behind := lines[last+1:]
	for len(behind) > 0 && behind[0] != "" { // the output's own last words
		behind = behind[1:]
	}
	return strings.TrimSpace(strings.Join(append(lines[:first:first], behind...), "\n"))
}

// leading gives the words that stand before an output on its first line: "it fails: {".
func leading(line string) string {
	at := strings.IndexAny(line, "{[<")
	if at < 0 {
		return ""
	}
	lead := strings.TrimSpace(line[:at])
	if !strings.HasSuffix(lead, ":") || !isProse(lead) {
		return ""
	}
	return lead
}

// isCaption says whether a line only says what was pasted below it: "the log of the run:".
func isCaption(line string) bool {
	if strings.Contains(line, "\n") || !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, "：") {
		return false
	}
	first, _, _ := strings.Cut(strings.ToLower(line), " ")
	return slices.Contains([]string{"the", "this", "these", "here", "here's", "a", "an", "output", "log"}, first)
}

// isProse says whether a line has sentences: words and their punctuation, no marks before
// them, and hardly a number or name of a program.
func isProse(line string) bool {
	fields := strings.Fields(line)
	words := 0
	for _, f := range fields {
		f = strings.TrimFunc(f, func(r rune) bool { return strings.ContainsRune(".,;:!?()\"'`*…。、！？「」", r) })
		if f != "" && !strings.ContainsFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("'’-.、。！？「」", r) }) {
			words++
		}
	}
	return float64(words) >= proseShare*float64(len(fields))
}
