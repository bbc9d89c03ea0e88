package replay

import (
	"bytes"
	"fmt"
	"sort"
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
	for i, it := range l.recovery.Items {
		l.vital = append(l.vital, it)
		if text.Units(l.print(0)) <= limit.Vital {
			continue
		}
		l.vital, l.rest = l.vital[:len(l.vital)-1], append(l.rest, it)
		if it.tier > vital {
			l.rest = append(l.rest, l.recovery.Items[i+1:]...)
			break
		}
	}
	tooLong := func(more int) bool {
		l.more = more
		return text.Units(l.print(len(l.rest)-more)) > limit.Units
	}
	// Their texts alone bound how many can fit; with all of them there is no
	// line about those left out, so that is tried by itself.
	most, units := 0, 0
	for most < len(l.rest) && units <= limit.Units {
		units += text.Units(l.rest[most].Text)
		most++
	}
	if most == len(l.rest) && !tooLong(most) {
		return
	}
	l.more = max(0, sort.Search(most, tooLong)-1)
	for tooLong(l.more) && len(l.vital) > 0 { // the line about those left out does not fit
		last := len(l.vital) - 1
		l.rest = append([]Item{l.vital[last]}, l.rest...)
		l.vital = l.vital[:last]
	}
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
