package replay

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"text/template"

	"journal/events/text"
)

// layout is a recovery on its way to a text that fits: which items stand in the
// vital part, and how many of the rest follow it. What a text takes is measured
// by printing it, because templates can be a person's own.
type layout struct {
	recovery Recovery
	template *template.Template
	vital    []Item
	rest     []Item
	more     int               // how many of rest are in the text
	printed  map[[2]int]string // by the numbers of items in vital and of more
	err      error             // the first one of printing; nothing is printed after it
}

// place chooses the items: for the vital part one after the other, whatever of
// the most needed fits, then as many of the rest as do.
func (l *layout) place(limit Limit) {
	taken := l.placeVital(limit.Vital)
	// With all of them there is no line about those left out, so that is tried by
	// itself, unless it is in vain by a long way.
	if taken+guess(l.rest, map[Kind]bool{}) <= limit.Units*5/4 && l.unitsWith(len(l.rest)) <= limit.Units {
		return
	}
	const left = 50 // about what the line about those left out takes
	l.more = fitting(l.rest[:max(0, len(l.rest)-1)], limit.Units, taken, left, l.unitsWith)
	for l.unitsWith(l.more) > limit.Units && len(l.vital) > 0 { // the line about those left out does not fit
		last := len(l.vital) - 1
		l.rest = append([]Item{l.vital[last]}, l.rest...)
		l.vital = l.vital[:last]
	}
}

// placeVital chooses the vital part and gives what it takes.
func (l *layout) placeVital(limit int) (units int) {
	units = text.Units(l.print(0))
	for items := l.recovery.Items; len(items) > 0; {
		was := l.vital[:len(l.vital):len(l.vital)]
		taken := map[int]int{0: units}
		n := fitting(items, limit, units, 0, func(n int) int {
			l.vital = append(was, items[:n]...)
			taken[n] = text.Units(l.print(0))
			return taken[n]
		})
		units = taken[n]
		l.vital = append(was, items[:n]...)
		if items = items[n:]; len(items) == 0 {
			break
		}
		l.rest = append(l.rest, items[0])
		if items[0].tier > vital {
			l.rest = append(l.rest, items[1:]...)
			break
		}
		items = items[1:]
	}
	return units
}

// fitting gives how many of the items, from the first, have room; none is what the
// text takes without any, and once about what comes with the first of them. with measures it, which is what everything here costs:
// so it is asked where the sizes of the items say that the limit is, corrected by
// what was measured, and by halves when that told little three times. It stops at
// an item whose text alone has no room.
func fitting(items []Item, limit, none, once int, with func(n int) int) (n int) {
	over, long, ratio := len(items)+1, math.MaxInt, 1.0
	about := func(some []Item, kinds map[Kind]bool) int { return int(ratio * float64(guess(some, kinds))) }
	for poor := 0; over-n > 1 && items[n].units <= limit-none; poor++ {
		width, try := over-n, n
		switch room := limit - none - once; {
		case poor >= 3:
			try += width / 2
		case long-limit < room: // that is nearer
			try = over
			for excess := long - limit; try > n+1 && excess > 0; {
				try--
				excess -= about(items[try:try+1], map[Kind]bool{items[try].Kind: true})
			}
		default:
			for kinds := map[Kind]bool{}; try < over-1; try++ {
				if room -= about(items[try:try+1], kinds); room < 0 {
					break
				}
			}
		}
		try = min(max(try, n+1), over-1)
		is := with(try)
		ratio = max(0.1, float64(is-none-once)/float64(guess(items[n:try], map[Kind]bool{})))
		if is > limit {
			over, long = try, is
		} else {
			n, none, once = try, is, 0
		}
		if over-n <= width/2 {
			poor = 0
		}
	}
	return n
}

// guess is what items take in a text of the built-in templates, about; kinds are
// those that have a heading already.
func guess(items []Item, kinds map[Kind]bool) (units int) {
	const mark, fence, heading = 12, 20, 30 // "- … (#12345)", "```text … ```", "## Decisions"
	for _, it := range items {
		units += it.units + mark
		switch it.Kind {
		case Failed, Note:
			if it.Detail != "" {
				units += text.Units(it.Detail) + fence
			}
		case Done:
			units += text.Units(it.Detail)
		}
		if !kinds[it.Kind] {
			kinds[it.Kind] = true
			units += heading
		}
	}
	return units
}

// unitsWith measures the text with so many of the rest.
func (l *layout) unitsWith(more int) int {
	l.more = more
	return text.Units(l.text())
}

// text is what was chosen so far. Once the vital part is full, its length and that
// of the rest say what is in it.
func (l *layout) text() string {
	chosen := [2]int{len(l.vital), l.more}
	out, ok := l.printed[chosen]
	if !ok {
		out = l.print(len(l.rest) - l.more)
		l.printed[chosen] = out
	}
	return out
}

// items are those in the text.
func (l *layout) items() []Item {
	return append(l.vital[:len(l.vital):len(l.vital)], l.rest[:l.more]...)
}

// print gives the text with the items chosen so far; left is how many it says
// were left out.
func (l *layout) print(left int) string {
	if l.err != nil {
		return ""
	}
	subagent := l.recovery.Lane != ""
	p := page{Recovery: l.recovery, Vital: sections(l.vital, subagent), More: sections(l.rest[:l.more], subagent), Left: left}
	p.Items = l.items()
	var b bytes.Buffer
	if err := l.template.Execute(&b, p); err != nil {
		l.err = fmt.Errorf("recovery template %s: %w", l.template.Name(), err)
	}
	return strings.TrimSpace(b.String())
}
