package knowledge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

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
	Calls  int    // of what was said: how many tool calls came after it
	Gone   bool   // a note that is in no file any more
	Tier   Tier   // how much it is needed
	Most   int    // units of Text that are shown in whatever room; 0 is what its kind has
	Rest   int    // units of Text and Detail that Cut left out

	// State is how a todo stands, or what was done with a file: a report tells it.
	State string
	// Since says that a task is as old as its number: nobody said anything of it for long.
	Since bool
	// At is when a decision was made.
	At projections.Stamp
	// Weak says that a decision was read out of prose.
	Weak bool
	// Told says that the summary of an earlier compaction told the item: an audit, which
	// alone can say so, sets it before it asks what the item is worth.
	Told bool
	// Foreign says that the item is another session's: it is given back, and no
	// audit of this session asks for it.
	Foreign bool
	// Entry is the entry of the working notes that a note is.
	Entry *projections.FlowEntry
	// Fields are what a template has a place for in its frame: Skill or Port.
	Fields any
	// Holds are the ids of items that the Text tells as well, so that a text with this
	// item lists none of them.
	Holds []string
	// Shows are the words that a part of a text has to have to show the item; its
	// Text when it is nil.
	Shows []string

	// The item that this one is a part of, and from where to where, in percent; zero for a whole
	// item.
	of       ID
	from, to int

	worth Worth // of a failure, where it is known
	place int   // in a report where that is not the order of the log
	// The units of the whole text and of the shown part, 0 before they are counted.
	whole, shown int
	held         int    // units that no room brings back
	uncut        *uncut // nil before the first Cut
}

// Lists gives what a fold that holds Needs knows, most needed first within each kind.
func Lists(f *projections.Fold) (lists [][]Item) {
	listed := map[Kind]int{}
	for _, d := range declared {
		if d.Items == nil {
			continue
		}
		items := d.Items(f)
		for i := range items {
			if it := &items[i]; it.Tier == 0 {
				it.Tier = it.Kind.Def().Text.tier(listed[it.Kind])
				listed[it.Kind]++
			}
		}
		lists = append(lists, items)
	}
	return lists
}

// Listed gives the items that a recovery text may list, most needed first.
func Listed(lists ...[]Item) []Item {
	type turn struct {
		tier Tier
		kind int
		item *Item // items are large: each is copied once
	}
	var order []turn
	for _, items := range lists {
		for i := range items {
			if it := &items[i]; it.Tier != Unlisted {
				order = append(order, turn{it.Tier, it.Kind.Def().Text.Turn, it})
			}
		}
	}
	slices.SortStableFunc(order, func(a, b turn) int { return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(a.kind, b.kind)) })
	listed := make([]Item, len(order))
	for i, o := range order {
		listed[i] = *o.item
	}
	return listed
}

// Key names the item for comparing.
func (i Item) Key() ID { return ID{i.Kind.Def().as(), i.Seq, i.Part} }

// ID spells the item's name as recovery texts record it: an earlier request is
// earlier-12, and prompt-12 in an audit. ParseID reads both as one.
func (i Item) ID() string { return spelled(i.Kind.Def().prefix(), i.Seq, i.Part) }

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
func InReport(a, b *Item) int {
	return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a.place, b.place), cmp.Compare(a.Seq, b.Seq))
}

// weight puts what was read out of prose last.
func weight(i *Item) int {
	if i.Weak {
		return 1
	}
	return 0
}

// maxDetail bounds what of a Detail every text shows, in UTF-16 units.
const maxDetail = 120

// slack is not worth cutting off: the mark about it takes half as much.
const slack = 40

// Cut is the item as short as every text shows it, and so many units longer: first
// its Text, then its Detail. The whole stands in the log, and an item that was cut is
// cut anew from its whole.
func (i Item) Cut(longer int) Item {
	if i.whole > 0 && i.uncut == nil {
		return i // what stands in a frame is cut where it is made
	}
	d := i.Kind.Def().Text
	if i.uncut == nil {
		i.uncut = &uncut{text.Trimmed(i.Text), text.Trimmed(i.Detail)}
		if d.Form != Quote {
			i.uncut.text = text.Line(i.uncut.text)
		}
	}
	i.whole, i.shown, i.held = 0, 0, 0
	if most := cmp.Or(i.Most, d.Cap); most > 0 && text.Units(i.uncut.text) > d.Units {
		room := min(d.Units+longer, most)
		i.Text = i.bounded(i.uncut.text, room, d.End)
		i.held = i.whole - max(i.shown, min(most, i.whole))
		longer -= max(0, min(room, i.whole)-d.Units)
	} else if d.Units == 0 {
		i.Text = i.bounded(i.uncut.text, 0, d.End)
	} else {
		room := d.Units
		if n := text.Units(i.uncut.text); n <= d.Whole {
			room = max(room, n) // it is whole anyway
		}
		room += longer
		i.Text = i.bounded(i.uncut.text, room, d.End)
		longer = max(0, room-max(i.whole, d.Units))
	}
	room := cmp.Or(d.Detail, maxDetail) + longer
	if d.DetailCap > 0 {
		room = min(room, d.DetailCap)
		i.held += max(0, text.Units(i.uncut.detail)-d.DetailCap)
	}
	i.Detail = i.bounded(i.uncut.detail, room, false)
	i.Rest = max(0, i.whole-i.shown)
	return i
}

// Growth is how many units longer the item can become.
func (i Item) Growth() int { return max(0, i.Rest-i.held) }

// uncut is what an item says, with one kind of line end.
type uncut struct{ text, detail string }

// bounded cuts a text to some units, 0 for no bound, and counts what is left.
func (i *Item) bounded(s string, units int, end bool) string {
	n := text.Units(s)
	i.whole += n
	if units > 0 && n > units+slack {
		if end {
			s = ending(s, units)
		} else {
			s = text.CutUnits(s, units)
		}
		n = text.Units(s)
	}
	i.shown += n
	return s
}

// ending gives the end of a text from the beginning of a line where there is one
// near, and the beginning of its last paragraph when that alone is too long.
func ending(s string, units int) string {
	if last := s[strings.LastIndex(s, "\n\n")+1:]; text.Units(last) > units {
		return text.CutUnits(strings.TrimSpace(last), units)
	}
	s = text.EndUnits(s, units)
	if at := strings.IndexByte(s, '\n'); at > 0 && at < len(s)/3 {
		s = "…\n" + strings.TrimLeft(s[at:], "\n")
	}
	return s
}

// line is bounded for a text on one line.
func (i *Item) line(s string, units int) string { return i.bounded(text.Line(s), units, false) }

// Share is how much of the item is left after Cut, in percent: 100 for an item
// that is whole, 0 to 99 for one that was cut.
func (i Item) Share() int {
	if i.shown >= i.whole {
		return 100
	}
	return i.shown * 100 / i.whole
}

// ID names an item as long as it stays what it is. Two IDs are of the same item
// if they are equal, however they were spelled.
type ID struct {
	Kind Kind   // as a report counts it: an earlier request is a prompt
	Seq  uint64 // the event that the item came from
	Part int    // of several items that came from one event, from 1; 0 for a single one
}

// String spells the ID as audits do: kind-seq, or kind-seq.part.
func (id ID) String() string { return spelled(string(id.Kind), id.Seq, id.Part) }

func spelled(prefix string, seq uint64, part int) string {
	id := prefix + "-" + strconv.FormatUint(seq, 10)
	if part > 0 {
		id += "." + strconv.Itoa(part)
	}
	return id
}

// ParseID reads an ID as recovery texts and audits spell it. ok is false for a text that is no
// ID. The ID of an undeclared kind is kept as it is.
func ParseID(s string) (id ID, ok bool) {
	dash := strings.LastIndexByte(s, '-')
	if dash < 0 {
		return ID{}, false
	}
	seq, part, parted := strings.Cut(s[dash+1:], ".")
	id.Kind = Kind(s[:dash])
	for _, d := range declared {
		if d.prefix() == s[:dash] {
			id.Kind = d.as()
		}
	}
	var err error
	if id.Seq, err = strconv.ParseUint(seq, 10, 64); err != nil {
		return ID{}, false
	}
	if parted {
		id.Part, err = strconv.Atoi(part)
	}
	return id, err == nil
}
