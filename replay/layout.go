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
	more     int   // how many of rest are in the text
	err      error // the first one of printing; nothing is printed after it
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

// placeVital chooses the vital part. Items that fit together are tried together,
// twice as many each time: printing takes longer than all the rest.
func (l *layout) placeVital(limit int) {
	items := l.recovery.Items
	for n := 1; len(items) > 0; {
		n = min(n, len(items))
		was := l.vital
		l.vital = append(was[:len(was):len(was)], items[:n]...)
		if text.Units(l.print(0)) <= limit {
			items, n = items[n:], 2*n
			continue
		}
		l.vital = was
		if n > 1 {
			n /= 2
			continue
		}
		l.rest = append(l.rest, items[0])
		if items[0].tier > vital {
			l.rest = append(l.rest, items[1:]...)
			return
		}
		items = items[1:]
	}
}

// fill gives how many of the rest fit, fewer than most, whose texts have so many
// units. It looks where the number would be if all were as long, and halves what
// is left when that was wrong.
func (l *layout) fill(limit, most, units int) int {
	fits, short := 0, l.unitsWith(0)
	over, long := most, short+units
	for halve := false; over-fits > 1; halve = !halve {
		try := (fits + over) / 2
		if !halve && long > short {
			try = fits + (limit-short)*(over-fits)/(long-short)
		}
		try = min(max(try, fits+1), over-1)
		if got := l.unitsWith(try); got > limit {
			over, long = try, got
		} else {
			fits, short = try, got
		}
	}
	return fits
}

// unitsWith measures the text with so many of the rest.
func (l *layout) unitsWith(more int) int {
	l.more = more
	return text.Units(l.print(len(l.rest) - more))
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
