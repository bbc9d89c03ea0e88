package recovery

import (
	"cmp"
	"slices"
	"strings"

	"journal/replay/knowledge"
)

// reserved returns the UTF-16 units by which items may grow before the least needed items are placed.
func reserved(items []knowledge.Item) (units int) {
	for _, it := range items {
		if more := reserve(it); more > 0 {
			units += more + marks(it.Cut(more)) - marks(it)
		}
	}
	return units
}

// reserve returns the UTF-16 units that are reserved for the growth of an item (knowledge.Text.Reserve and knowledge.Item.Reserve). None
// are for an item that may no longer hold.
func reserve(it knowledge.Item) int {
	t := it.Kind.Def().Text
	if it.Gone {
		return 0
	}
	return max(reserveDetail(it), min(it.Growth(), t.Reserve-t.Units))
}

// reserveDetail returns the UTF-16 units that are reserved for the growth of an item's Detail.
func reserveDetail(it knowledge.Item) int {
	return max(0, min(it.Growth(), it.Reserve-it.Kind.Def().Text.Detail))
}

// marks returns the UTF-16 units of the quote marks before an item's lines, without the first.
func marks(it knowledge.Item) int {
	if it.Kind.Def().Text.Form != knowledge.Quote {
		return 0
	}
	return len("> ") * strings.Count(it.Text, "\n")
}

// maxPrints bounds how often lengthen prints a text. Real texts need one or two prints.
const maxPrints = 8

// enough is the share of its limit from which a text counts as full, in percent.
const enough = 98

// lengthen lengthens the items as far as the limit allows and returns the text. free is the number of free units in the
// vital part. Only printing shows the size of an item with its marks. So each try corrects the budget by the size of the
// last print, and halves the range of possible budgets if that does not help.
func (l *layout) lengthen(limit, free int) string {
	short := *l
	before := l.units(l.left())
	budget := limit - before
	fits, over := 0, 2*limit // the largest budget known to fit, the least known to be too large
	margin := 0              // a cut item shows slightly more than its budget
	for range maxPrints {
		longer, cut := short.shares(budget)
		try := short
		try.stretch(longer, free)
		units := try.units(try.left())
		switch {
		case try.err != nil:
			*l = try
			return ""
		case units > limit:
			over = budget
			margin = 2*margin + 10
			budget -= margin
		default:
			// A template may leave out cut items, so that no budget changes the text.
			same := units == before && try.print(try.left()) == l.print(l.left())
			*l, before, fits = try, units, budget
			if !cut || same || units*100 >= limit*enough {
				return l.print(l.left())
			}
		}
		if budget += limit - units; budget <= fits || budget >= over {
			budget = (fits + over) / 2
		}
	}
	return l.print(l.left())
}

// ample is the size up to which a text is short, in UTF-16 units: the items of the work in progress are then shown beyond their usual
// bounds (knowledge.Text.Ample). Of 33 texts of real compactions, 20 are longer without that.
const ample = 7150

// markUnits bounds the UTF-16 units of the marks of most items and of the heading of their section.
const markUnits = 120

// extend raises the bounds of the items by at most room UTF-16 units, in the order in which items grow. Then it adds those of the items
// onlyShort that fit, each if the ones before it leave room. It reports whether it changed anything. All items must be at their shortest.
func (l *layout) extend(room int, onlyShort []knowledge.Item) bool {
	if room <= 0 {
		return false
	}
	l.vital, l.rest = slices.Clone(l.vital), slices.Clone(l.rest)
	var items []*knowledge.Item
	for i := range l.vital {
		items = append(items, &l.vital[i])
	}
	for i := range l.rest[:l.more] {
		items = append(items, &l.rest[i])
	}
	slices.SortStableFunc(items, func(a, b *knowledge.Item) int { return a.Kind.Def().CompareGrowth(b.Kind.Def()) })
	extended := false
	for _, it := range items {
		longer, units := it.Extended(room)
		room -= units
		extended = extended || units > 0
		*it = longer
	}
	longest := func(it knowledge.Item) int { return texts([]knowledge.Item{it}) + it.Growth() + markUnits }
	for _, short := range onlyShort {
		it, _ := short.Extended(room - markUnits)
		if longest(it) > room {
			it = short
		}
		units := longest(it)
		if units > room {
			continue
		}
		room -= units
		l.rest = slices.Insert(l.rest, l.more, it)
		l.more++
		extended = true
	}
	return extended
}

// shares divides the free room among the items. longer has the extra units of each, by its index in the text; cut reports
// whether some stay cut. Reserves come first, those of details before others, then each kind in its turn. Beyond its reserve no item
// gets more than half of the room while another is cut.
func (l *layout) shares(room int) (longer []int, cut bool) {
	items := slices.Concat(l.vital, l.rest[:l.more])
	longer = make([]int, len(items))
	turns := make([]int, 0, len(items))
	for i, it := range items {
		if it.Growth() > 0 {
			turns = append(turns, i)
		}
	}
	slices.SortStableFunc(turns, func(a, b int) int {
		return cmp.Or(
			items[a].Kind.Def().CompareGrowth(items[b].Kind.Def()),
			cmp.Compare(items[a].Growth(), items[b].Growth()))
	})
	half := room / 2
	share := func(most func(knowledge.Item) int) {
		for _, i := range turns {
			more := max(0, min(room, min(items[i].Growth(), most(items[i]))-longer[i]))
			longer[i] += more
			room -= more
		}
	}
	share(reserveDetail)
	share(reserve)
	share(func(knowledge.Item) int { return half })
	share(knowledge.Item.Growth)
	return longer, slices.ContainsFunc(turns, func(i int) bool { return longer[i] < items[i].Growth() })
}

// stretch lengthens the items by the units of longer. free is the number of free units in the vital part, where an item
// grows in place if it fits. The first one that does not fit closes the vital part, because its beginning is needed there;
// later ones move behind it. An item with Top keeps its short form in place, and what that lacks follows behind the vital part.
func (l *layout) stretch(longer []int, free int) {
	items := slices.Concat(l.vital, l.rest[:l.more])
	left := l.rest[l.more:]
	var vital []knowledge.Item
	rest := make([]knowledge.Item, 0, len(items)+len(left))
	for i, it := range items {
		longest := it.Cut(longer[i])
		switch {
		case i >= len(l.vital):
			rest = append(rest, longest)
		case longer[i] == 0:
			vital = append(vital, longest)
		case longer[i] <= free:
			free -= longer[i]
			vital = append(vital, longest)
		case it.Kind.Def().Text.Top:
			vital = append(vital, it.Cut(0))
			rest = append(rest, longest.After(it.Cut(0)))
		case l.closing == "":
			l.closing = it.Kind
			vital = append(vital, longest)
		default:
			rest = append(rest, longest)
		}
	}
	l.vital, l.more = vital, len(rest)
	l.rest = append(rest, left...)
}
