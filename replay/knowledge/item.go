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
	Kind    Kind
	Seq     uint64 // the event that it comes from
	Part    int    // position among several items of one event, from 1; 0 for a single item
	Text    string // foreign text only in the forms Code and Whole
	Detail  string // added by the kind: an error, the body of a note, the number and name of a phase
	Times   int    // number of occurrences, unless the kind counts something else; 0 and 1 mean once
	Calls   int    // number of tool calls after the agent's words
	Doubted bool   // a finding with a proof followed this finding, which has a proof or a conclusion
	Guess   bool   // the shown part of a finding has a guess and no proof
	Gone    bool   // the note is in no file any more, the background command's client was restarted, or edits followed the finding or search
	Edited  string // names of files written since; of a waiting Todo, the symbol that an edit defined; of a Refusal, the event of the write
	Tier    Tier   // how much it is needed; 0 until Lists sets it by the item's position
	Most    int    // bound of the shown Text, in UTF-16 units; 0 for the kind's own
	Open    string // shown in place of Text: the parts of a plan that are not done, or the conclusion of a finding; empty for all of Text
	Rest    int    // UTF-16 units of Text and Detail that Cut left out
	Reserve int    // length of Detail for which room is set aside, as Text.Reserve is for Text
	Ends    bool   // if Text is cut, it shows the end of the whole one

	// DetailEnds makes a cut Detail keep its beginning and its end.
	DetailEnds bool

	// State is what the kind says, such as the status of a todo, the last operation on a file, or the outcome of a call. Reports show it.
	State string
	// Old marks a failure from before the newest request, and a todo that has not changed since the fifth newest prompt: texts show
	// since when.
	Old       bool
	Said      string // what the agent announced before an Edit, empty if unknown
	Defines   string // names of the functions and types that an Edit defines beside its line
	Undoes    uint64 // the event of the edit that an Edit took back, 0 for none
	Unpushed  string // of Git: the agent's commits since its last push, empty for none or if unknown
	OnlyShort bool   // only a short text lists the item, if it has room (Text.Ample)
	// At is the time of a decision or an answer.
	At projections.Stamp
	// Weak marks a decision that was found in prose.
	Weak bool
	// Summarized marks an item that the summary of an earlier compaction has. Only an audit knows it, and sets it
	// before it rates the item.
	Summarized bool
	// Foreign marks an item of another session or agent: texts restore it, audits of this session do not ask for it.
	Foreign bool
	// Entry is the entry behind a Note.
	Entry *projections.FlowEntry
	// Fields holds a Skill or a Port for templates that place it in their frame.
	Fields any
	// Holds lists the ids of items that Text also contains: a text with this item lists none of them.
	Holds []string
	// Shows lists the words that must appear in a text for the item to count as shown; nil means its Text.
	Shows []string

	partOf   ID  // the item of which this one is a part; zero for a whole item
	from, to int // the part of partOf that it covers, in percent

	place              int    // position in a report, where that is not the log's order
	whole, shown       int    // UTF-16 units of the whole item and of the part shown, 0 before they are counted
	held               int    // UTF-16 units that are left out however much room there is
	extra, extraDetail int    // UTF-16 units by which Extended raised the bounds of the shown Text and Detail
	uncut              *uncut // nil before the first Cut
}

// Lists returns the knowledge in a fold that holds Needs: one list per declaration, each sorted by need.
func Lists(f *projections.Fold) (lists [][]Item) {
	return listsOf(f, func(*Def) bool { return true })
}

// AuditedLists returns the knowledge in a fold that holds AuditNeeds, without kinds that audits do not read.
func AuditedLists(f *projections.Fold) (lists [][]Item) { return listsOf(f, (*Def).isAudited) }

// listsOf returns the knowledge of the wanted kinds, and of kinds whose items come with theirs.
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
	var order []*Item // items are large: each is copied once
	for _, items := range lists {
		for i := range items {
			if it := &items[i]; it.Tier != Unlisted {
				order = append(order, it)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b *Item) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Kind.Def().fill, b.Kind.Def().fill))
	})
	listed := make([]Item, len(order))
	for i, it := range order {
		listed[i] = *it
	}
	return listed
}

// Key returns the ID under which items are compared.
func (i Item) Key() ID { return ID{i.Kind.Def().countedAs(), i.Seq, i.Part} }

// ID returns the id as recovery texts record it: an earlier request is earlier-12 here, and prompt-12 in an audit.
// ParseID reads both as the same.
func (i Item) ID() string { return spelled(i.Kind.Def().prefix(), i.Seq, i.Part) }

// Reported returns text and detail for a report. The text of a note is its body, which has more than its heading.
func (i Item) Reported() (text, detail string) {
	switch {
	case i.Entry == nil:
		return i.Text, cmp.Or(i.State, i.Detail)
	case i.Entry.Text == "":
		return i.Entry.Heading, ""
	}
	return i.Entry.Text, i.Entry.Heading
}

// CompareInReport compares items of one kind by their order in a report. Items read out of prose are last.
func CompareInReport(a, b *Item) int {
	switch {
	case a.Weak == b.Weak:
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.Seq, b.Seq))
	case a.Weak:
		return 1
	}
	return -1
}

// maxDetail bounds a Detail at first, in UTF-16 units.
const maxDetail = 120

// slack is the number of UTF-16 units that are too few to be worth cutting: the mark of a cut takes half as many.
const slack = 40

// Cut returns the item at its shortest, lengthened by that many UTF-16 units, which go first to Text, then to Detail. A cut
// item keeps its whole text, and is cut again from that.
func (i Item) Cut(longer int) Item {
	if i.whole > 0 && i.uncut == nil {
		return i // the running phase and the skill's file are cut where they are made
	}
	d := i.Kind.Def().Text
	if i.uncut == nil {
		i.uncut = &uncut{text.Trimmed(i.Text), text.Trimmed(i.Detail)}
		if d.Form != Quote {
			i.uncut.text = text.Line(i.uncut.text)
		}
	}
	i.whole, i.shown, i.held = 0, 0, 0
	longer = i.cutText(d, longer)
	i.cutDetail(d, longer)
	if i.Open != "" {
		done := text.Units(i.uncut.text) - text.Units(i.Open)
		i.whole, i.held = i.whole+done, i.held+done
	}
	i.Rest = max(0, i.whole-i.shown)
	return i
}

// cutText cuts Text to its least length and longer UTF-16 units, and returns those of them that it did not use.
func (i *Item) cutText(d Text, longer int) (unused int) {
	body := cmp.Or(i.Open, i.uncut.text)
	units, least := text.Units(body), d.Units
	if units <= d.Whole || d.Units == 0 {
		least = max(least, units)
	}
	cut := text.CutUnits
	i.Ends = true
	switch {
	case d.KeepEnd:
		cut = ending
	case d.KeepBothEnds && units > pasted:
		cut = around
	default:
		i.Ends = false
	}
	if d.Outline {
		cut = outlined(cut)
	}
	room, most := least+longer, cmp.Or(i.Most, d.Cap)
	if most > 0 {
		most += i.extra
	}
	if most > 0 && units > least {
		room = min(room, most)
	}
	i.Text = i.bound(body, room, cut)
	i.Ends = i.Ends || d.Outline && !strings.HasSuffix(i.Text, "…")
	if most > 0 {
		i.held = max(0, units-max(i.shown, most))
	}
	return longer - max(0, min(room, units)-least)
}

// cutDetail cuts Detail to its least length and longer UTF-16 units.
func (i *Item) cutDetail(d Text, longer int) {
	room := cmp.Or(d.Detail, maxDetail) + longer
	if d.DetailCap > 0 {
		most := d.DetailCap + i.extraDetail
		room = min(room, most)
		i.held += max(0, text.Units(i.uncut.detail)-most)
	}
	cut := text.CutUnits
	if i.DetailEnds {
		cut = endsOfOutput
	}
	i.Detail = i.bound(i.uncut.detail, room, cut)
}

// Extended returns the item at its shortest, with bounds of its shown Text or Detail that are raised by at most room, up to Text.Ample
// or Text.DetailAmple. If all of Text fits, it is shown in place of Open. units is the length by which the shown part may grow.
func (i Item) Extended(room int) (extended Item, units int) {
	d := i.Kind.Def().Text
	switch {
	case i.uncut == nil || i.Most > 0:
		return i, 0
	case d.DetailAmple > 0:
		i.extraDetail = max(0, min(room, text.Units(i.uncut.detail)-d.DetailCap, d.DetailAmple-d.DetailCap))
		return i.Cut(0), i.extraDetail
	case d.Ample == 0:
		return i, 0
	}
	whole, shown := text.Units(i.uncut.text), text.Units(cmp.Or(i.Open, i.uncut.text))
	if usual := min(shown, d.Cap); whole <= d.Ample && whole-usual <= room {
		i.Open, i.extra = "", max(0, whole-d.Cap)
		return i.Cut(0), whole - usual
	}
	i.extra = max(0, min(room, shown-d.Cap, d.Ample-d.Cap))
	return i.Cut(0), i.extra
}

// After returns the item without the lines at its beginning that shown, a shorter cut of it, has too, and without a Detail that shown
// has.
func (i Item) After(shown Item) Item {
	from := 0
	for line := range strings.Lines(i.Text) {
		if !strings.HasPrefix(shown.Text[from:], line) {
			break
		}
		from += len(line)
	}
	if from > 0 {
		i.Text = "…\n" + i.Text[from:]
	}
	if i.Detail == shown.Detail {
		i.Detail = ""
	}
	return i
}

// Growth returns how many more UTF-16 units of the item can be shown.
func (i Item) Growth() int { return max(0, i.Rest-i.held) }

// uncut holds the whole Text and Detail of an item, with line ends made uniform.
type uncut struct{ text, detail string }

// bound cuts s to some UTF-16 units, 0 for no bound, and adds to i.whole and i.shown. It does not cut a text that is longer by at most
// slack.
func (i *Item) bound(s string, units int, cut func(s string, units int) string) string {
	n := text.Units(s)
	i.whole += n
	if units > 0 && n > units+slack {
		s = cut(s, units)
		n = text.Units(s)
	}
	i.shown += n
	return s
}

// ending cuts a text to some UTF-16 units. It keeps the end, from the start of a line if one is near, or the beginning of
// the last paragraph if that alone is too long.
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

// pasted is the length above which a person's text counts as having something pasted, in UTF-16 units: their request
// stands before or after that.
const pasted = 1000

// around cuts a text to some UTF-16 units. It keeps the beginning and, in a third of the room, the end: as many whole paragraphs as
// fit, or the end of the last one if even that does not.
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

// endsOfOutput cuts the output of a command to some UTF-16 units. It keeps the beginning and, in more than half of the room, the end,
// which has the outcome.
func endsOfOutput(s string, units int) string {
	begin := units * 2 / 5
	return text.CutUnits(s, begin) + "\n" + text.EndUnits(s, units-begin-len("\n"))
}

// line joins the lines of s and cuts them like bound.
func (i *Item) line(s string, units int) string { return i.bound(text.Line(s), units, text.CutUnits) }

// Share returns how much of the item Cut left, in percent: 100 for a whole item, 0 to 99 for a cut one.
func (i Item) Share() int {
	if i.shown >= i.whole {
		return 100
	}
	return i.shown * 100 / i.whole
}

// ID identifies an item. Equal IDs identify the same item, however they were spelled.
type ID struct {
	Kind Kind   // as a report counts it: an earlier request is a prompt
	Seq  uint64 // the event that the item comes from
	Part int    // position among several items of one event, from 1; 0 for a single item
}

// String spells the ID as audits do: kind-seq, or kind-seq.part.
func (id ID) String() string { return spelled(string(id.Kind), id.Seq, id.Part) }

// spelled returns an id with a prefix, without a part if that is 0.
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
