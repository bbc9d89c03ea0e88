package match

import (
	"regexp"
	"strings"
	"sync"
)

// line is one line of a summary. What an agent writes is a tree: sections, entries,
// entries of entries; a line is said about those that it stands under.
type line struct {
	from, to int  // bytes, without indentation and mark
	depth    int  // the deeper, the greater
	parent   int  // -1 for none
	code     bool // within a fence
	heading  bool // of a section
	wish     bool // it stands in a section of what was asked for or is still to be done
}

// wishes are headings of what was asked for, and of what is still to be done: what
// stands below them did not happen.
var wishes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)primary request|user messages|pending|next steps?|remaining|\bto ?do\b|주요 요청|사용자 메시지|남은|다음|依頼|ユーザー?の?メッセージ|残り|次の`)
})

// linesOf reads the tree of a text.
func linesOf(s string) []line {
	var all []line
	var open []int // lines that the next one can stand under
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
		l.wish = l.wish || l.heading && wishes().MatchString(body)
		if !l.code {
			open = append(open, len(all))
		}
		all = append(all, l)
	}
	return all
}

// marker gives the length of what marks an entry or a heading at the beginning of a
// line, and whether it is one.
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
