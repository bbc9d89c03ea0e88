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
	// Their texts alone bound how many can fit; with all of them there is no
	// line about those left out, so that is tried by itself.
	most, units := 0, 0
	for most < len(l.rest) && units <= limit.Units {
		units += text.Units(l.rest[most].Text)
		most++
	}
	if most == len(l.rest) && l.unitsWith(most) <= limit.Units {
		return
	}
	l.more = l.fill(limit.Units, most, units)
	for l.unitsWith(l.more) > limit.Units && len(l.vital) > 0 { // the line about those left out does not fit
		last := len(l.vital) - 1
		l.rest = append([]Item{l.vital[last]}, l.rest...)
		l.vital = l.vital[:last]
	}
}

// placeVital chooses the vital part. Items that seem to fit are tried together:
// printing takes longer than all the rest.
func (l *layout) placeVital(limit int) {
	items := l.recovery.Items
	units := text.Units(l.print(0))
	for n := len(items); len(items) > 0; {
		n = min(n, max(1, fitting(items, limit-units)))
		was := l.vital
		l.vital = append(was[:len(was):len(was)], items[:n]...)
		now := text.Units(l.print(0))
		if now <= limit {
			units, items = now, items[n:]
			n = len(items)
			continue
		}
		l.vital = was
		if n > 1 {
			n = min(max(1, n*(limit-units)/(now-units)), n-1)
			continue
		}
		l.rest = append(l.rest, items[0])
		if items[0].tier > vital {
			l.rest = append(l.rest, items[1:]...)
			return
		}
		items = items[1:]
		n = len(items)
	}
}

// markup is about what is printed of an item beside its text.
const markup = 12

// fitting guesses how many of the items fit into so many units.
func fitting(items []Item, units int) int {
	for i, it := range items {
		if units -= text.Units(it.Text) + markup; units < 0 {
			return i
		}
	}
	return len(items)
}

// fill gives how many of the rest fit, fewer than most, whose texts have so many
// units. It looks where the number would be if all were as long, and halves what
// is left when that told little three times.
func (l *layout) fill(limit, most, units int) int {
	fits, short := 0, l.unitsWith(0)
	over, long := most, short+units+markup*most
	for poor := 0; over-fits > 1; {
		width := over - fits
		try := fits + width/2
		if poor < 3 && long > short {
			try = fits + (limit-short)*width/(long-short)
		}
		try = min(max(try, fits+1), over-1)
		if got := l.unitsWith(try); got > limit {
			over, long = try, got
		} else {
			fits, short = try, got
		}
		if poor++; over-fits <= width/2 {
			poor = 0
		}
	}
	return fits
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
