package match

import (
	"strings"

	"journal/events/text"
)

// line is one line of a summary. The lines are a tree of sections and nested entries. A line is about the lines above it
// in the tree.
type line struct {
	from, to int  // bytes, without indentation and list mark
	depth    int  // greater is deeper
	parent   int  // -1 for none
	code     bool // in a fenced block
	heading  bool // of a section
	wish     bool // in a section of requests or of pending work
}

// wishes matches headings of requests and of pending work. The text below them does not tell what happened.
var wishes = text.Pattern(`(?i)primary request|user messages|pending|next steps?|remaining|\bto ?do\b|주요 요청|사용자 메시지|남은|다음|依頼|ユーザー?の?メッセージ|残り|次の`)

// continued begins the line that a client puts before a summary.
const continued = "This session is being continued from a previous conversation"

// linesOf returns the lines of a text with their parents.
func linesOf(s string) []line {
	var all []line
	var open []int // possible parents of the next line
	at, fence := 0, false
	for whole := range strings.Lines(s) {
		text := strings.TrimRight(whole, "\r\n")
		body := strings.TrimLeft(text, " \t")
		l := line{from: at + len(text) - len(body), to: at + len(text), parent: -1, code: fence}
		at += len(whole)
		if strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
			fence, l.code = !fence, true
		}
		if body == "" {
			l.parent = -2
			all = append(all, l)
			continue
		}
		n, marked := marker(body)
		l.from += n
		l.depth = 2 * (len(text) - len(body))
		switch {
		case body[0] == '#':
			l.depth, l.heading = n-100, true
		case marked:
			l.depth++
			l.heading = len(text) == len(body) && strings.HasSuffix(text, ":")
		}
		if !l.code {
			for len(open) > 0 && all[open[len(open)-1]].depth >= l.depth {
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			l.parent = open[len(open)-1]
			l.wish = all[l.parent].wish
		}
		l.wish = l.wish || l.heading && wishes().MatchString(body) || strings.HasPrefix(body, continued)
		if !l.code {
			open = append(open, len(all))
		}
		all = append(all, l)
	}
	return all
}

// marker returns the length of the list or heading mark that begins a line, and whether there is one.
func marker(s string) (n int, marked bool) {
	head := strings.TrimLeft(s, "#")
	switch {
	case len(head) < len(s) && strings.HasPrefix(head, " "):
		return len(s) - len(head) + 1, true
	case strings.HasPrefix(s, "- "), strings.HasPrefix(s, "* "), strings.HasPrefix(s, "+ "):
		n = 2
	case strings.HasPrefix(s, "• "):
		n = len("• ")
	default:
		digits := strings.TrimLeft(s, "0123456789")
		if n = len(s) - len(digits); n == 0 || n > 3 || !strings.HasPrefix(digits, ". ") && !strings.HasPrefix(digits, ") ") {
			return 0, false
		}
		n += 2
	}
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if strings.HasPrefix(s[n:], box) {
			n += len(box)
		}
	}
	return n, true
}

// maxEntry is the most lines of an entry.
const maxEntry = 10

// entries returns, for each line, the first line of its entry: the largest part of the tree that has it and no more lines than
// maxEntry.
func entries(lines []line) []int {
	size, entry := make([]int, len(lines)), make([]int, len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		if up := lines[i].parent; up >= 0 && !lines[i].code {
			size[i]++
			size[up] += size[i]
		}
	}
	for i, l := range lines {
		if entry[i] = i; l.parent >= 0 && size[l.parent] <= maxEntry {
			entry[i] = entry[l.parent]
		}
	}
	return entry
}
