package knowledge

import (
	"cmp"
	"slices"

	"journal/events/text"
	"journal/projections"
)

// Item is one piece of knowledge.
type Item struct {
	Kind   Kind
	Seq    uint64 // the event it came from
	Part   int    // of several items that came from one event, from 1; 0 for a single one
	Text   string // foreign text only in the forms Code and Entry
	Detail string // what the kind has to say beside it: an error, the body of a note, the number and name of a phase
	Times  int    // how often; 1 and 0 mean once
	Gone   bool   // a note that is in no file any more
	Tier   Tier   // how much it is needed

	// State is how a todo stands, or what was done with a file: a report tells it.
	State string
	// At is when a decision was made.
	At projections.Stamp
	// Weak says that a decision was read out of prose.
	Weak bool
	// Foreign says that the item is another session's: it is given back, and no
	// audit of this session asks for it.
	Foreign bool
	// Entry is the entry of the working notes that a note is.
	Entry *projections.FlowEntry
	// Fields are what a template has a place for in its frame: Skill or Port.
	Fields any
	// Shows are the words that a part of a text has to have to show the item; its
	// Text when it is nil.
	Shows []string

	place int // in a report where that is not the order of the log
	worth int // where it is not that of its kind
	// Units of what the item says and of what is shown of it, as far as they were
	// counted.
	whole, shown int
}

// Of lists what a fold that holds Needs knows, most needed first within each kind.
func Of(f *projections.Fold) []Item {
	var all []Item
	listed := map[Kind]int{}
	for _, d := range declared {
		if d.Items == nil {
			continue
		}
		for _, it := range d.Items(f) {
			if it.Tier == 0 {
				it.Tier = it.Kind.Def().Text.tier(listed[it.Kind])
				listed[it.Kind]++
			}
			all = append(all, it)
		}
	}
	return all
}

// Listed gives the items that a recovery text may list, most needed first.
func Listed(items []Item) []Item {
	listed := slices.DeleteFunc(items, func(i Item) bool { return i.Tier == Unlisted })
	slices.SortStableFunc(listed, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Kind.Def().Text.Turn, b.Kind.Def().Text.Turn))
	})
	return listed
}

// Key names the item for comparing.
func (i Item) Key() ID { return ID{i.Kind.Def().as(), i.Seq, i.Part} }

// ID spells the item's name as recovery texts record it: an earlier request is
// earlier-12, and prompt-12 in an audit. ParseID reads both as one.
func (i Item) ID() string { return spelled(i.Kind.Def().prefix(), i.Seq, i.Part) }

// Worth ranks the item among lost ones, the lowest first.
func (i Item) Worth() int { return cmp.Or(i.worth, i.Kind.Def().Audit.Worth) }

// Reported gives text and detail as a report tells them. A note's body says more
// than its heading.
func (i Item) Reported() (text, detail string) {
	switch {
	case i.Entry != nil && i.Entry.Text != "":
		return i.Entry.Text, i.Entry.Heading
	case i.Entry != nil:
		return i.Entry.Heading, ""
	}
	return i.Text, cmp.Or(i.State, i.Detail)
}

// InReport compares items of one kind by their order in a report.
func InReport(a, b Item) int {
	return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a.place, b.place), cmp.Compare(a.Seq, b.Seq))
}

// weight puts what was read out of prose last.
func weight(i Item) int {
	if i.Weak {
		return 1
	}
	return 0
}

// maxDetail bounds what of a Detail a text shows, in UTF-16 units.
const maxDetail = 240

// Cut is the item with texts as short as its kind has room for; the whole stands
// in the log. What was cut before stays as it is.
func (i Item) Cut() Item {
	if i.whole > 0 {
		return i
	}
	i.Text = i.bounded(i.Text, i.Kind.Def().Text.Units)
	i.Detail = i.bounded(i.Detail, maxDetail)
	return i
}

// bounded trims a text, gives it one kind of line end, bounds its units, where 0 is
// no bound, and counts what that left of it.
func (i *Item) bounded(s string, units int) string {
	s = text.Trimmed(s)
	n := text.Units(s)
	i.whole += n
	if units > 0 && n > units {
		s = text.CutUnits(s, units)
		n = text.Units(s)
	}
	i.shown += n
	return s
}

// line is bounded for a text on one line.
func (i *Item) line(s string, units int) string { return i.bounded(text.Line(s), units) }

// Share is how much of the item is left after Cut, in percent: 100 for an item
// that is whole, 0 to 99 for one that was cut.
func (i Item) Share() int {
	if i.shown >= i.whole {
		return 100
	}
	return i.shown * 100 / i.whole
}
