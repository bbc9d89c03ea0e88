package sections

import (
	"strings"

	"journal/events"
)

// labelsIn reads the lines such as "**Phase**: review" and "- **Confirmed**: 2x" of a text, also with the colon within
// the stars. Lines in code fences do not count.
func labelsIn(s string) []events.Label {
	var all []events.Label
	fence := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if mark := fenceMark(line); fence == "" && mark != "" {
			fence = mark
			continue
		} else if fence != "" {
			// A fence is closed by one at least as long, with nothing after it.
			if strings.HasPrefix(mark, fence) && mark == line {
				fence = ""
			}
			continue
		}
		if l, ok := labelIn(line); ok {
			all = append(all, l)
		}
	}
	return all
}

// fenceMark gives the backticks or tildes that a line begins with, when there
// are enough of them for a fence.
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

func labelIn(line string) (events.Label, bool) {
	for _, bullet := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(line, bullet); ok {
			line = strings.TrimLeft(rest, " \t")
			break
		}
	}
	rest, ok := strings.CutPrefix(line, "**")
	if !ok {
		return events.Label{}, false
	}
	name, value, ok := strings.Cut(rest, "**")
	if !ok {
		return events.Label{}, false
	}
	name, inside := cutColon(name, strings.CutSuffix)
	if !inside {
		if value, ok = cutColon(strings.TrimLeft(value, " \t"), strings.CutPrefix); !ok {
			return events.Label{}, false
		}
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	return events.Label{Name: name, Value: value}, name != ""
}

// cutColon takes a colon away, also the wide one of Chinese and Japanese text.
func cutColon(s string, cut func(s, colon string) (string, bool)) (string, bool) {
	for _, colon := range []string{":", "："} {
		if rest, ok := cut(s, colon); ok {
			return rest, true
		}
	}
	return s, false
}
