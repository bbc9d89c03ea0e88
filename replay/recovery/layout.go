package recovery

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"text/template"

	"journal/events/text"
	"journal/replay/knowledge"
)

// layout is a recovery on its way to a text that fits: what stands in its frame
// and in its vital part, and how many of the rest follow. What a text takes is
// measured by printing it, because templates can be a person's own; of a built-in one
// each piece is printed once.
type layout struct {
	recovery Recovery
	template *template.Template
	pieces   *pieces // nil for a template that is printed whole
	frame    []knowledge.Item
	extents  []extent // of frame
	vital    []knowledge.Item
	rest     []knowledge.Item
	more     int            // how many of rest are in the text
	closing  knowledge.Kind // whose item goes on beyond the vital part and closes it, empty for none
	err      error          // the first one of printing; nothing is printed after it
}

// extent is where a text tells an item of its frame, in bytes: nowhere in a template
// that has no place for it.
type extent struct{ from, to int }

// place chooses the items and gives the text with them, all of them short: the frame,
// for the vital part one after the other whatever of the most needed fits, then as
// many of the rest as do. What room is left lengthens them.
func (l *layout) place(limit Limit) string {
	items := make([]knowledge.Item, len(l.recovery.Items))
	for i, it := range l.recovery.Items {
		items[i] = it.Cut(0)
	}
	frame := sort.Search(len(items), func(i int) bool { return items[i].Tier > knowledge.Framed })
	out := l.placeFrame(items[:frame])
	free := limit.Vital - l.placeVital(items[frame:], text.Units(out), limit.Vital)
	if l.gather(free) {
		free = limit.Vital - l.units(0)
	}
	l.placeRest(limit.Units, reserved(items))
	for l.units(l.left()) > limit.Units && len(l.vital) > 0 {
		// The line about those left out does not fit.
		last := len(l.vital) - 1
		l.rest = slices.Insert(l.rest, 0, l.vital[last])
		l.vital = l.vital[:last]
	}
	return l.lengthen(limit.Units, free)
}

// placeRest chooses as many of the rest as fit. The least needed leave room for what is
// reserved.
func (l *layout) placeRest(limit, reserve int) {
	needed, _ := slices.BinarySearchFunc(l.rest, knowledge.Spare, func(it knowledge.Item, t knowledge.Tier) int { return int(it.Tier - t) })
	all := limit - reserve
	switch {
	case reserve == 0:
		needed = 0
	case needed == len(l.rest):
		all = limit
	}
	// With all of them there is no line about those left out: that is tried by
	// itself, unless the texts alone have no room.
	if texts(l.rest) <= all {
		if l.with(len(l.rest)) <= all {
			return
		}
	}
	n, units := 0, l.with(0)
	last := max(0, len(l.rest)-1) // all of them do not fit
	for _, part := range []struct{ end, limit int }{{min(needed, last), limit}, {last, limit - reserve}} {
		from, more := n, 0
		more, units = fitting(l.rest[from:part.end], units, part.limit, func(n int) int { return l.with(from + n) })
		if n += more; n < part.end {
			break
		}
	}
	l.more = n
}

// gather moves what the vital part does not have to hold behind it, unless all there
// is has room in it, of which so many units are free: what is needed most has that room
// for itself, and a list that is not torn apart reads better. It says whether it did.
func (l *layout) gather(free int) bool {
	for _, it := range l.vital {
		free -= it.Growth()
	}
	if len(l.rest) == 0 && free >= 0 {
		return false
	}
	n, _ := slices.BinarySearchFunc(l.vital, knowledge.Likely, func(it knowledge.Item, t knowledge.Tier) int { return int(it.Tier - t) })
	l.rest = slices.Concat(l.vital[n:], l.rest)
	l.vital = l.vital[:n]
	slices.SortStableFunc(l.rest, func(a, b knowledge.Item) int { return cmp.Compare(a.Tier, b.Tier) })
	return true
}

// fitting gives how many of the items, from the first, have room in a text that takes units without any of them, and what
// it takes with them. with measures it; the texts alone say of many that they have none.
func fitting(items []knowledge.Item, units, limit int, with func(n int) int) (n, taken int) {
	most := 0
	for room := limit - units; most < len(items) && room >= 0; most++ {
		room -= texts(items[most : most+1])
	}
	n = sort.Search(most, func(i int) bool { return with(i+1) > limit })
	if n == 0 {
		return 0, units
	}
	return n, with(n)
}

// texts are the units of the texts of items alone, the least that these can take.
func texts(items []knowledge.Item) (units int) {
	for _, it := range items {
		units += text.Units(text.Line(it.Text)) // most templates put it on one line
	}
	return units
}

// placeFrame places what every text begins with, whatever it takes, and finds where
// it stands.
func (l *layout) placeFrame(items []knowledge.Item) string {
	out := l.print(0)
	for _, it := range items {
		without := out
		l.frame = append(l.frame, it)
		out = l.print(0)
		from := 0
		for from < min(len(without), len(out)) && without[from] == out[from] {
			from++
		}
		l.extents = append(l.extents, extent{from, from + len(out) - len(without)})
	}
	return out
}

// placeVital fills the vital part, of which the frame takes units: one thing too
// long for what is left does not keep shorter ones out of it. It gives the units with
// it.
func (l *layout) placeVital(items []knowledge.Item, units, limit int) int {
	for len(items) > 0 {
		was := slices.Clip(l.vital)
		n, taken := fitting(items, units, limit, func(n int) int {
			l.vital = append(was, items[:n]...)
			return l.units(0)
		})
		l.vital, units, items = append(was, items[:n]...), taken, items[n:]
		if len(items) == 0 {
			break
		}
		l.rest = append(l.rest, items[0])
		if items[0].Tier > knowledge.Vital {
			l.rest = append(l.rest, items[1:]...)
			break
		}
		items = items[1:]
	}
	return units
}

// with gives the units of the text with so many of the rest, and the line about the others.
func (l *layout) with(more int) int {
	l.more = more
	return l.units(l.left())
}

// left is how many items the text does not have.
func (l *layout) left() int { return len(l.rest) - l.more }

// units counts what print would give.
func (l *layout) units(left int) int {
	if l.pieces != nil {
		if n, ok := l.pieces.units(l, left); ok {
			return n
		}
	}
	return text.Units(l.print(left))
}

// print gives the text with the items chosen so far; left is how many it says
// were left out.
func (l *layout) print(left int) string {
	if l.err != nil {
		return ""
	}
	p := page{Recovery: l.recovery, Vital: sections(l.vital, l.subagent(), l.closing), More: sections(l.rest[:l.more], l.subagent(), ""), Left: left}
	for i := range p.More {
		p.More[i].Again = l.isVital(p.More[i].Kind)
	}
	if l.pieces != nil {
		out := l.pieces.print(l, p)
		l.err = l.pieces.err
		return out
	}
	p.Items = slices.Concat(l.vital, l.rest[:l.more])
	p.frame(l.frame)
	var b bytes.Buffer
	if err := l.template.Execute(&b, p); err != nil {
		l.err = fmt.Errorf("template %s: %w", l.template.Name(), err)
	}
	return strings.TrimSpace(text.Inert(b.String()))
}

func (l *layout) subagent() bool { return l.recovery.Lane != "" }

// isVital says whether the vital part has a section of a kind.
func (l *layout) isVital(k knowledge.Kind) bool {
	return slices.ContainsFunc(l.vital, func(it knowledge.Item) bool { return it.Kind == k })
}

// portion is an item of a text and how much of it the text tells, in percent.
type portion struct {
	id      string
	percent int
}

// portions lists the items of the text when it ends after so many bytes.
func (l *layout) portions(end int) []portion {
	var all []portion
	for i, it := range l.frame {
		from, to := l.extents[i].from, l.extents[i].to
		if told := min(to, end) - from; told > 0 {
			all = append(all, portion{it.ID(), it.Share() * told / (to - from)})
		}
	}
	for _, it := range slices.Concat(l.vital, l.rest[:l.more]) {
		id := it.ID()
		if i := slices.IndexFunc(all, func(p portion) bool { return p.id == id }); i >= 0 {
			all[i].percent = it.Share() // its beginning stood on top
			continue
		}
		all = append(all, portion{id, it.Share()})
		for _, held := range it.Holds {
			all = append(all, portion{held, 100})
		}
	}
	return all
}
