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
	Seq    uint64 // the event it comes from
	Part   int    // position among several items of one event, from 1; 0 for a single item
	Text   string // foreign text only in the forms Code and Entry
	Detail string // added by the kind: an error, the body of a note, the number and name of a phase
	Times  int    // how often; 1 and 0 mean once
	Calls  int    // tool calls after the agent's text
	Gone   bool   // a note that is no longer in any file, a command whose client was restarted, a finding before an edit
	Edited string // the names of files that were written since: since the command ran, the task began
	Tier   Tier   // how much it is needed
	Most   int    // most units of Text to show; 0 for the kind's own bound
	Open   string // what a text shows in place of Text: the parts of a plan that are not done; empty for all of it
	Rest   int    // units of Text and Detail that Cut left out
	Ends   bool   // a cut Text shows the end of the whole one

	// State is the status of a todo, or the last operation on a file; reports show it.
	State string
	// Since marks a todo that is as old as its sequence: nobody has mentioned it for long.
	Since bool
	// At is the time of a decision.
	At projections.Stamp
	// Weak marks a decision that was found in prose.
	Weak bool
	// Summarized marks an item that the summary of an earlier compaction has. Only an audit knows it, and sets it
	// before it rates the item.
	Summarized bool
	// Foreign marks an item of another session: texts restore it, audits of this session do not ask for it.
	Foreign bool
	// Entry is the entry behind a Note.
	Entry *projections.FlowEntry
	// Fields holds a Skill or a Port for templates that place it in their frame.
	Fields any
	// Holds lists the ids of items that Text also contains: a text with this item lists none of them.
	Holds []string
	// Shows lists the words that must appear in a text for the item to count as shown; nil means its Text.
	Shows []string

	// The item that this one is a part of, and the range it covers, in percent; zero for a whole item.
	partOf   ID
	from, to int

	worth Worth // of a failure, once known
	place int   // position in a report, where that is not the log's order
	// The units of the whole item and of the part shown, 0 before they are counted.
	whole, shown int
	held         int    // units that are left out however much room there is
	uncut        *uncut // nil before the first Cut
}

// Lists returns the knowledge in a fold that holds Needs: one list per declaration, each sorted by need.
func Lists(f *projections.Fold) (lists [][]Item) {
	return listsOf(f, func(*Def) bool { return true })
}

// AuditedLists returns the knowledge in a fold that holds AuditNeeds, without kinds that no audit asks for.
func AuditedLists(f *projections.Fold) (lists [][]Item) {
	return listsOf(f, func(d *Def) bool { return d.Audit.Match != Unaudited || d.Kind == Plan })
}

func listsOf(f *projections.Fold, wanted func(*Def) bool) (lists [][]Item) {
	listed := map[Kind]int{}
	for _, d := range declared {
		if d.Items == nil || !wanted(d) {
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

// Listed returns the items that a recovery text may list, most needed first.
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
				order = append(order, turn{it.Tier, it.Kind.Def().fill, it})
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

// Key returns the ID under which items are compared.
func (i Item) Key() ID { return ID{i.Kind.Def().countedAs(), i.Seq, i.Part} }

// ID returns the id as recovery texts record it: an earlier request is earlier-12 here, and prompt-12 in an audit.
// ParseID reads both as the same.
func (i Item) ID() string { return spelled(i.Kind.Def().prefix(), i.Seq, i.Part) }

// Reported returns text and detail for a report. A note's body has more than its heading, so it comes first.
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

// weight sorts items read out of prose last.
func weight(i *Item) int {
	if i.Weak {
		return 1
	}
	return 0
}

// maxDetail bounds the part of a Detail that every text shows, in UTF-16 units.
const maxDetail = 120

// slack is too little to be worth cutting: the mark of a cut takes half as much.
const slack = 40

// Cut returns the item at its shortest plus longer units, which go first to Text, then to Detail. A cut item keeps its
// whole text, and is cut again from that.
func (i Item) Cut(longer int) Item {
	if i.whole > 0 && i.uncut == nil {
		return i // items of the frame are cut where they are made
	}
	d := i.Kind.Def().Text
	if i.uncut == nil {
		i.uncut = &uncut{text.Trimmed(i.Text), text.Trimmed(i.Detail)}
		if d.Form != Quote {
			i.uncut.text = text.Line(i.uncut.text)
		}
	}
	i.whole, i.shown, i.held = 0, 0, 0
	body := cmp.Or(i.Open, i.uncut.text)
	cut := text.CutUnits
	i.Ends = true
	switch {
	case d.End:
		cut = ending
	case d.Ends && text.Units(body) > pasted:
		cut = around
	default:
		i.Ends = false
	}
	if most := cmp.Or(i.Most, d.Cap); most > 0 && text.Units(body) > d.Units {
		room := min(d.Units+longer, most)
		i.Text = i.bounded(body, room, cut)
		i.held = i.whole - max(i.shown, min(most, i.whole))
		longer -= max(0, min(room, i.whole)-d.Units)
	} else if d.Units == 0 {
		i.Text = i.bounded(body, 0, cut)
	} else {
		room := d.Units
		if n := text.Units(body); n <= d.Whole {
			room = max(room, n) // a Text up to Whole is not cut
		}
		room += longer
		i.Text = i.bounded(body, room, cut)
		longer = max(0, room-max(i.whole, d.Units))
	}
	room := cmp.Or(d.Detail, maxDetail) + longer
	if d.DetailCap > 0 {
		room = min(room, d.DetailCap)
		i.held += max(0, text.Units(i.uncut.detail)-d.DetailCap)
	}
	i.Detail = i.bounded(i.uncut.detail, room, text.CutUnits)
	if i.Open != "" {
		done := text.Units(i.uncut.text) - text.Units(body)
		i.whole, i.held = i.whole+done, i.held+done
	}
	i.Rest = max(0, i.whole-i.shown)
	return i
}

// Growth returns how many more units of the item can be shown.
func (i Item) Growth() int { return max(0, i.Rest-i.held) }

// uncut holds the whole Text and Detail of an item, with line ends made uniform.
type uncut struct{ text, detail string }

// bounded cuts s to some units, 0 for no bound, and adds to the counts of whole and shown units.
func (i *Item) bounded(s string, units int, cut func(s string, units int) string) string {
	n := text.Units(s)
	i.whole += n
	if units > 0 && n > units+slack {
		s = cut(s, units)
		n = text.Units(s)
	}
	i.shown += n
	return s
}

// ending returns the end of a text, from the start of a line if one is near. If the last paragraph alone is too long,
// it returns the beginning of that.
func ending(s string, units int) string {
	if last := s[strings.LastIndex(s, "\n\n")+1:]; text.Units(last) > units {
		return text.CutUnits(strings.TrimSpace(last), units)
	}
	s = text.EndUnits(s, units)
	if end := strings.IndexByte(s, '\n'); end > 0 && end < len(s)/3 {
		s = "…\n" + strings.TrimLeft(s[end:], "\n")
	}
	return s
}

// pasted is the length, in UTF-16 units, above which a person's text contains something pasted: the request stands
// before or below it.
const pasted = 1000

// around returns the beginning of a text and, in a third of the room, its end: whole paragraphs, if the last one fits.
func around(s string, units int) string {
	from := len(s)
	for next := from; next >= 0 && text.Units(s[next:]) <= units/3; next = strings.LastIndex(s[:from], "\n\n") {
		from = next
	}
	end := strings.TrimSpace(s[from:])
	if end == "" {
		end = text.EndUnits(s, units/3)
	}
	return text.CutUnits(s, units-text.Units(end)-len("\n\n")) + "\n\n" + end
}

// line bounds s and joins its lines.
func (i *Item) line(s string, units int) string { return i.bounded(text.Line(s), units, text.CutUnits) }

// Share returns how much of the item Cut left, in percent: 100 for a whole item, 0 to 99 for a cut one.
func (i Item) Share() int {
	if i.shown >= i.whole {
		return 100
	}
	return i.shown * 100 / i.whole
}

// ID names an item for as long as the item exists. Equal IDs name the same item, however they were spelled.
type ID struct {
	Kind Kind   // as a report counts it: an earlier request is a prompt
	Seq  uint64 // the event the item comes from
	Part int    // position among several items of one event, from 1; 0 for a single item
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

// ParseID reads an ID as recovery texts and audits spell it. ok is false if s is no ID. An undeclared kind is kept as
// it is.
func ParseID(s string) (id ID, ok bool) {
	dash := strings.LastIndexByte(s, '-')
	if dash < 0 {
		return ID{}, false
	}
	seq, part, parted := strings.Cut(s[dash+1:], ".")
	id.Kind = Kind(s[:dash])
	for _, d := range declared {
		if d.prefix() == s[:dash] {
			id.Kind = d.countedAs()
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
