package recovery

import (
	"cmp"
	"slices"
	"strings"

	"journal/replay/knowledge"
)

// reserved are the units that items are to be longer than their short form before
// the least needed ones get any.
func reserved(items []knowledge.Item) (units int) {
	for _, it := range items {
		if more := reserve(it); more > 0 {
			units += more + marks(it.Cut(more)) - marks(it)
		}
	}
	return units
}

func reserve(it knowledge.Item) int {
	t := it.Kind.Def().Text
	return max(0, min(it.Growth(), t.Reserve-t.Units))
}

// marks are what the further lines of an item take beside its words.
func marks(it knowledge.Item) int {
	if it.Kind.Def().Text.Form != knowledge.Quote {
		return 0
	}
	return len("> ") * strings.Count(it.Text, "\n")
}

// maxPrints bounds how often a text is printed to find what its room holds. With the
// texts that there are one or two are enough.
const maxPrints = 8

// enough is the share of the limit, in percent, with which a text is full.
const enough = 98

// lengthen gives the text with its items, all of them short, as long as the room lets them be. vital are the units that are free in the vital part.
// What an item takes beside its words can only be seen in print: what that says goes
// into the next try, and halves what is not sure where it does not help.
func (l *layout) lengthen(limit, vital int) string {
	short := *l
	was := l.units(l.left())
	budget := limit - was
	fits, over := 0, 2*limit // budgets that are known to be one or the other
	margin := 0              // what is cut shows a little more than it is told to
	for range maxPrints {
		longer, cut := short.shares(budget)
		try := short
		try.stretch(longer, vital)
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
			// A template may not tell what is cut.
			same := units == was && try.print(try.left()) == l.print(l.left())
			*l, was, fits = try, units, budget
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

// shares divides the free room among the items of a text: by place in it, how many
// units longer each gets, and whether some stays cut. First comes what is reserved,
// then each in its turn, none more than half while another is cut.
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
			cmp.Compare(items[a].Kind.Def().Text.Grow, items[b].Kind.Def().Text.Grow),
			cmp.Compare(items[a].Growth(), items[b].Growth()))
	})
	half := room / 2
	give := func(most func(knowledge.Item) int) {
		for _, i := range turns {
			more := max(0, min(room, min(items[i].Growth(), most(items[i]))-longer[i]))
			longer[i] += more
			room -= more
		}
	}
	give(reserve)
	give(func(knowledge.Item) int { return half })
	give(func(it knowledge.Item) int { return it.Growth() })
	return longer, slices.ContainsFunc(turns, func(i int) bool { return longer[i] < items[i].Growth() })
}

// stretch makes the items longer. In the vital part only what is free there does so
// in its place; the first that goes on beyond it closes it, since its beginning is
// needed there, and others move behind it. One that stands on top leaves its beginning
// there, and stands behind the vital part again, as long as it can be.
func (l *layout) stretch(longer []int, free int) {
	items := slices.Concat(l.vital, l.rest[:l.more])
	left := l.rest[l.more:]
	var vital []knowledge.Item
	rest := make([]knowledge.Item, 0, len(items)+len(left))
	for i, it := range items {
		is := it.Cut(longer[i])
		switch {
		case i >= len(l.vital):
			rest = append(rest, is)
		case longer[i] == 0:
			vital = append(vital, is)
		case longer[i] <= free:
			free -= longer[i]
			vital = append(vital, is)
		case it.Kind.Def().Text.Top:
			vital = append(vital, it.Cut(0))
			rest = append(rest, is)
		case l.closing == "":
			l.closing = it.Kind
			vital = append(vital, is)
		default:
			rest = append(rest, is)
		}
	}
	l.vital, l.more = vital, len(rest)
	l.rest = append(rest, left...)
}
