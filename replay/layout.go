package replay

import (
	"bytes"
	"fmt"
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
	l.placeVital(limit.Vital)
	// With all of them there is no line about those left out, so that is tried by
	// itself, when their texts alone do not say that it is in vain.
	if unitsOf(l.rest) <= limit.Units && l.unitsWith(len(l.rest)) <= limit.Units {
		return
	}
	l.more, _ = fitting(l.rest[:max(0, len(l.rest)-1)], limit.Units, l.unitsWith(0), l.unitsWith)
	for l.unitsWith(l.more) > limit.Units && len(l.vital) > 0 { // the line about those left out does not fit
		last := len(l.vital) - 1
		l.rest = append([]Item{l.vital[last]}, l.rest...)
		l.vital = l.vital[:last]
	}
}

// placeVital chooses the vital part.
func (l *layout) placeVital(limit int) {
	now := text.Units(l.print(0))
	for items := l.recovery.Items; len(items) > 0; {
		was := l.vital[:len(l.vital):len(l.vital)]
		var n int
		n, now = fitting(items, limit, now, func(n int) int {
			l.vital = append(was, items[:n]...)
			return text.Units(l.print(0))
		})
		l.vital = append(was, items[:n]...)
		if items = items[n:]; len(items) == 0 {
			return
		}
		l.rest = append(l.rest, items[0])
		if items[0].tier > vital {
			l.rest = append(l.rest, items[1:]...)
			return
		}
		items = items[1:]
	}
}

// fitting gives how many of the items, from the first, have room, and what the
// text then takes; none is what it takes without any. with measures it, which is
// what everything here costs: so it is asked where the lengths of the items' texts
// say that the limit is, and by halves when that told little three times.
// It stops early at an item whose text alone has no room.
func fitting(items []Item, limit, none int, with func(n int) int) (n, took int) {
	over := len(items) + 1
	markup := 12 // of an item, beside its text; about that of the built-in templates
	for poor := 0; over-n > 1 && items[n].units <= limit-none; poor++ {
		try, room := n, limit-none
		for try < over-1 && room >= items[try].units+markup {
			room -= items[try].units + markup
			try++
		}
		if poor >= 3 {
			try = n + (over-n)/2
		}
		try = max(try, n+1)
		is := with(try)
		markup = max(0, (is-none-unitsOf(items[n:try]))/(try-n))
		width := over - n
		if is > limit {
			over = try
		} else {
			n, none = try, is
		}
		if over-n <= width/2 {
			poor = 0
		}
	}
	return n, none
}

// unitsOf is what the texts of items take by themselves.
func unitsOf(items []Item) (units int) {
	for _, it := range items {
		units += it.units
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
