package recovery

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"text/template"

	"journal/events"
	"journal/events/text"
	"journal/replay/knowledge"
)

// layout chooses the items of a text that has to fit a limit. Sizes are measured by printing, because a template can be a
// person's own.
type layout struct {
	recovery Recovery
	template *template.Template
	pieces   *pieces          // nil for a template that is printed whole
	frame    []knowledge.Item // above the sections
	extents  []extent         // of the items of frame
	vital    []knowledge.Item // of the vital part
	rest     []knowledge.Item // the other items; the text has the first of them
	more     int              // the number of items of rest in the text
	closing  knowledge.Kind   // the kind whose item ends the vital part and extends beyond it, empty for none
	err      error            // the first error of printing; nothing is printed after it
}

// extent is the range of the text about an item of its frame, in bytes; it is empty if the template does not show the item.
type extent struct{ from, to int }

// place chooses the items and returns the text with them, in at most limit UTF-16 units, of which vital are the vital part.
// All items are short at first: the frame, then as many of the most needed items as fit into the vital part, then as many of
// the rest as fit. Free room then lengthens them.
func (l *layout) place(limit, vital int) string {
	var items, onlyShort []knowledge.Item
	for _, it := range l.recovery.Items {
		if it = it.Cut(0); it.OnlyShort {
			onlyShort = append(onlyShort, it)
		} else {
			items = append(items, it)
		}
	}
	frame := sort.Search(len(items), func(i int) bool { return items[i].Tier > knowledge.Framed })
	out := l.placeFrame(items[:frame])
	free := vital - l.placeVital(items[frame:], text.Units(out), vital)
	if l.gather(free) {
		free = vital - l.units(0)
	}
	l.placeRest(limit, reserved(items))
	for l.units(l.left()) > limit && len(l.vital) > 0 {
		// The line about omitted items does not fit.
		last := len(l.vital) - 1
		l.rest = slices.Insert(l.rest, 0, l.vital[last])
		l.vital = l.vital[:last]
	}
	short := *l
	out = l.lengthen(limit, free)
	room := min(limit, ample) - text.Units(out)
	if l.err != nil || !short.extend(room, onlyShort) {
		return out
	}
	longer := short.lengthen(limit, free)
	if short.err != nil || text.Units(longer) > limit {
		return out
	}
	*l = short
	return longer
}

// placeRest chooses as many of the rest as fit. Items of Spare, the least needed, leave the reserved room free.
func (l *layout) placeRest(limit, reserve int) {
	spare, _ := slices.BinarySearchFunc(l.rest, knowledge.Spare, func(it knowledge.Item, t knowledge.Tier) int { return int(it.Tier - t) })
	limitOfAll := limit - reserve
	switch {
	case reserve == 0:
		spare = 0 // all items have the same limit
	case spare == len(l.rest):
		limitOfAll = limit
	}
	// If all fit, the line about omitted items is dropped. Try that first, unless the items' texts alone are too long.
	if texts(l.rest) <= limitOfAll && l.with(len(l.rest)) <= limitOfAll {
		return
	}
	chosen, units := 0, l.with(0)
	last := max(0, len(l.rest)-1) // all of them do not fit
	for _, part := range []struct{ end, limit int }{{min(spare, last), limit}, {last, limit - reserve}} {
		from, more := chosen, 0
		more, units = fitting(l.rest[from:part.end], units, part.limit, func(n int) int { return l.with(from + n) })
		if chosen += more; chosen < part.end {
			break
		}
	}
	l.more = chosen
}

// gather moves items that need not be vital out of the vital part, unless all items fit there at full length. free is the
// number of its free units. The most needed items then get the room, and lists are not split. gather reports whether it had
// to make room.
func (l *layout) gather(free int) bool {
	for _, it := range l.vital {
		free -= it.Growth()
	}
	if len(l.rest) == 0 && free >= 0 {
		return false
	}
	likely, _ := slices.BinarySearchFunc(l.vital, knowledge.Likely, func(it knowledge.Item, t knowledge.Tier) int { return int(it.Tier - t) })
	l.rest = slices.Concat(l.vital[likely:], l.rest)
	l.vital = l.vital[:likely]
	slices.SortStableFunc(l.rest, func(a, b knowledge.Item) int { return cmp.Compare(a.Tier, b.Tier) })
	return true
}

// fitting returns how many of the items, from the first, fit into limit, and the units of the text with them. units is the
// size of the text without any of them; with returns its size with n of them. The items' own texts rule out many candidates without
// measuring.
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

// texts returns the units of the items' texts alone: the least that the items take with most templates.
func texts(items []knowledge.Item) (units int) {
	for _, it := range items {
		units += text.Units(text.Line(it.Text)) // most templates print it on one line
	}
	return units
}

// placeFrame places the items of the frame, whatever their length, and finds their extents. It returns the text so far.
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

// placeVital fills the vital part, of which the frame takes units. An item that is too long for the room left does not
// keep shorter ones out. It returns the units of the text so far.
func (l *layout) placeVital(items []knowledge.Item, units, limit int) int {
	for len(items) > 0 {
		placed := slices.Clip(l.vital)
		n, taken := fitting(items, units, limit, func(n int) int {
			l.vital = append(placed, items[:n]...)
			return l.units(0)
		})
		l.vital, units, items = append(placed, items[:n]...), taken, items[n:]
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

// with sets the number of items of the rest, and returns the units of the text with the line about the others.
func (l *layout) with(more int) int {
	l.more = more
	return l.units(l.left())
}

// left returns the number of items that the text omits.
func (l *layout) left() int { return len(l.rest) - l.more }

// units returns the UTF-16 units of the text that print returns.
func (l *layout) units(left int) int {
	if l.pieces != nil {
		if n, ok := l.pieces.units(l, left); ok {
			return n
		}
	}
	return text.Units(l.print(left))
}

// print returns the text with the items chosen so far, with a line about the omitted ones; left is their number.
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

// framed returns the data of the part "head": the recovery with the frame so far.
func (l *layout) framed() page {
	p := page{Recovery: l.recovery}
	p.frame(l.frame)
	return p
}

// subagent reports whether the recovery is a subagent's.
func (l *layout) subagent() bool { return l.recovery.Lane != "" }

// isVital reports whether the vital part has a section of a kind.
func (l *layout) isVital(k knowledge.Kind) bool {
	return slices.ContainsFunc(l.vital, func(it knowledge.Item) bool { return it.Kind == k })
}

// portions lists the items that the text shows if it is cut at end, in bytes, each with the share that it shows, 100 for all
// of it.
func (l *layout) portions(end int) (all []events.PartialItem) {
	for i, it := range l.frame {
		from, to := l.extents[i].from, l.extents[i].to
		if shown := min(to, end) - from; shown > 0 {
			all = append(all, events.PartialItem{Item: it.ID(), Percent: it.Share() * shown / (to - from)})
		}
	}
	for _, it := range slices.Concat(l.vital, l.rest[:l.more]) {
		id := it.ID()
		if i := slices.IndexFunc(all, func(p events.PartialItem) bool { return p.Item == id }); i >= 0 {
			all[i].Percent = it.Share() // its beginning is in the vital part
			continue
		}
		all = append(all, events.PartialItem{Item: id, Percent: it.Share()})
		for _, held := range it.Holds {
			all = append(all, events.PartialItem{Item: held, Percent: 100})
		}
	}
	return all
}
