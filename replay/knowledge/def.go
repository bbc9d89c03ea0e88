package knowledge

import (
	"cmp"
	"slices"

	"journal/events"
	"journal/projections"
)

// Kind names a kind of item. Templates compare it, and stored ids begin with it or with Def.ID, so a kind is never renamed.
type Kind string

// Def declares a kind.
type Def struct {
	Kind Kind
	// CountedAs is the kind under which reports count the items, Kind when empty. A text may distinguish kinds that an
	// audit counts as one: a file that was only read is a file.
	CountedAs Kind
	// ID is the prefix of the items' ids, Kind when empty.
	ID string

	// Needs lists the projections that Items reads.
	Needs []projections.Projection
	// Items returns the knowledge in a fold, most needed first. It is nil for a kind whose items come with those of
	// another, and for TeamDecision.
	Items func(*projections.Fold) []Item

	Text  Text  // zero for a kind in no text, whose items are all Unlisted
	Audit Audit // zero for a kind that audits ignore

	fill   int // position in fillOrder, from 0; -1 for a kind in no text
	growth int // position of its line in growthOrder, from 0; -1 for a kind whose items never grow
}

// Text describes how a recovery text shows the items of a kind.
type Text struct {
	// Frame places the items in the frame of every text, above its sections: templates have a place for them.
	Frame bool
	Form  Form // of each item in its section
	// Units is the length to which an item's Text is cut at first, in UTF-16 units. Free room then lengthens it. 0 is
	// all of it.
	Units int
	// Cap bounds the shown part of a Text longer than Units: the rest adds nothing. 0 is no bound.
	Cap int
	// Ample bounds the shown part of a Text in place of Cap while the recovery text is short. 0 is Cap.
	Ample int
	// Detail is the same as Units for the item's Detail; 0 is maxDetail.
	Detail int
	// DetailCap bounds the shown part of a Detail, 0 for no bound. DetailAmple bounds it in place of DetailCap while the recovery text
	// is short, 0 for DetailCap.
	DetailCap, DetailAmple int
	// Whole is the length up to which a Text is never cut, even if it exceeds Units.
	Whole int
	// Reserve is the length of a Text for which room is set aside before the items of Spare, the least needed, are placed;
	// 0 sets aside Units at most.
	Reserve int
	// KeepEnd keeps the end of a cut Text: the end leads to the present.
	KeepEnd bool
	// KeepBothEnds keeps the beginning and the end of a cut Text that is long enough for something pasted.
	KeepBothEnds bool
	// Outline keeps the headings and the end of a cut Text that has several headings.
	Outline bool
	// Top keeps the short form of an item in the vital part if its long form does not fit there; what the long form has beside it
	// follows the vital part.
	Top bool
	// Newest sorts the items of a section by age, the newest first, instead of by need. Those of Spare are last.
	Newest bool
	Most   int // items that a text may list, 0 for any number; items that set their own tier are not counted
	Tiers  Tiers
	// Unasked marks items that a summary keeps unprompted, or can do without: its writer is not asked to keep them.
	Unasked bool
}

// Form is the layout of an item in a section of a text, and of a restored item.
type Form string

// The forms.
const (
	Line   Form = "line"   // one line of a list
	Dated  Form = "dated"  // one line of a list, with its day, and whether it is another session's
	Quote  Form = "quote"  // text of one or several lines, and Detail: what it replies to
	Saying Form = "saying" // a person's words on one line, the number of repetitions, and Detail: what they reply to
	Reply  Form = "reply"  // Detail, a question or a tool call, and a person's words about it
	Theirs Form = "theirs" // one line with its owner and day; its sequence is another log's
	Owned  Form = "owned"  // one line, and Detail: its owner
	Box    Form = "task"   // a line with a box to tick
	Title  Form = "title"  // Detail, followed by Text
	Entry  Form = "entry"  // a heading, and Detail as foreign text below it
	Whole  Form = "whole"  // Detail, its source, and Text as foreign text below it
	Code   Form = "code"   // a foreign line, and Detail as foreign text below it
)

// Audit describes how an audit looks for the items of a kind.
type Audit struct {
	Match Match
	// Count counts the things of a kind that an audit does not ask for; nil for none.
	Count func(*projections.Fold) int
	// Worth is the worth of every item of the kind. It is ignored when Rate is set.
	Worth Worth
	// Rate returns a function that rates the items of a fold.
	Rate  func(*projections.Fold) func(Item) Worth
	Title string // heading of restored items
	// Subject returns the Text of the item that an event is about; ok is false if the event is about none of the kind.
	// An audit finds by it the items that a client itself carried over a compaction. It is nil if clients carry none.
	Subject func(events.Event) (text string, ok bool)
}

// Match is a way to search a summary for an item.
type Match int

// The ways to match. Unaudited kinds are in no report.
const (
	Unaudited Match = iota
	ByWords         // by its words
	ByTask          // by the words of a task: fewer are enough
	ByPath          // by an end of its path that no other file has
)

var (
	declared [len(sectionOrder)]*Def // in sectionOrder
	byKind   = map[Kind]*Def{}
)

// declare registers a kind. It panics if the kind was declared before or if order.go does not list it.
func declare(d Def) *Def {
	section := slices.Index(sectionOrder[:], d.Kind)
	if section < 0 {
		panic("knowledge: order.go does not list the kind " + string(d.Kind))
	}
	if declared[section] != nil {
		panic("knowledge: declared twice: " + string(d.Kind))
	}
	d.fill = slices.Index(fillOrder, d.Kind)
	d.growth = slices.IndexFunc(growthOrder, func(line []Kind) bool { return slices.Contains(line, d.Kind) })
	declared[section], byKind[d.Kind] = &d, &d
	return &d
}

// Kinds returns every declared kind, in section order.
func Kinds() []*Def { return slices.Clone(declared[:]) }

// Audited returns the kinds of a report, in report order.
func Audited() []Kind { return slices.Clone(reportOrder) }

// CompareGrowth compares two kinds by their turn when free room lengthens cut items.
func (d *Def) CompareGrowth(other *Def) int { return cmp.Compare(d.growth, other.growth) }

// Def returns the declaration of a kind. That of an undeclared kind has only the kind.
func (k Kind) Def() *Def {
	if d, ok := byKind[k]; ok {
		return d
	}
	return &Def{Kind: k}
}

// Needs lists the projections that the items of all kinds come from. It may list one repeatedly.
func Needs() (all []projections.Projection) {
	for _, d := range declared {
		all = append(all, d.Needs...)
	}
	return all
}

// isAudited reports whether an audit reads the items of a kind. It reads those of Plan for the steps among them.
func (d *Def) isAudited() bool { return d.Audit.Match != Unaudited || d.Kind == Plan }

// AuditNeeds lists the projections that an audit reads. It may list one repeatedly.
func AuditNeeds() (all []projections.Projection) {
	for _, d := range declared {
		if d.isAudited() || d.Audit.Count != nil {
			all = append(all, d.Needs...)
		}
	}
	return all
}

// Subjects returns the subjects of an event: the things that it is about, of each kind that a client can carry over.
func Subjects(e events.Event) []Subject {
	var all []Subject
	for _, d := range declared {
		if d.Audit.Subject == nil {
			continue
		}
		if text, ok := d.Audit.Subject(e); ok {
			all = append(all, Subject{d.countedAs(), text})
		}
	}
	return all
}

// Subject identifies the thing that an event and an item are about. Text is the item's Text.
type Subject struct {
	Kind Kind
	Text string
}

// subject returns an Audit.Subject for one event type.
func subject[E events.Event](text func(E) string) func(events.Event) (string, bool) {
	return func(e events.Event) (string, bool) {
		if ev, ok := e.(E); ok {
			return text(ev), true
		}
		return "", false
	}
}

// countedAs returns the kind under which reports count the items.
func (d *Def) countedAs() Kind { return cmp.Or(d.CountedAs, d.Kind) }

// prefix returns the prefix of the items' ids in recovery texts.
func (d *Def) prefix() string { return cmp.Or(d.ID, string(d.Kind)) }
