package knowledge

import (
	"cmp"
	"slices"

	"journal/events"
	"journal/projections"
)

// Kind says what an item is about. Templates compare it and stored ids begin with
// it, so a kind keeps its name.
type Kind string

// Def declares a kind.
type Def struct {
	Kind Kind
	// As is the kind that reports count the items under, Kind when empty. What one
	// text tells apart can be one thing to an audit: a file that was only read is a
	// file.
	As Kind
	// ID is what the ids of the items begin with, Kind when empty.
	ID string

	// Needs are the projections that Items reads.
	Needs []projections.Projection
	// Items gives what a fold knows, most needed first. It is nil for a kind whose
	// items come with those of another one.
	Items func(*projections.Fold) []Item

	Text  Text // zero for a kind whose items are in no text: all of them are Unlisted
	Audit Audit
}

// Text says what room the items of a kind get in a recovery text.
type Text struct {
	Place int // of the section, from the top of a text
	Turn  int // of the kind's items among those of their tier, when a text is filled
	// Frame says that the items stand in the frame of every text, before its
	// sections: templates have a place of their own for them.
	Frame bool
	Form  Form // of each item in its section
	// Units of an item's Text, UTF-16, are shown of every item that a text lists: all are
	// placed short first. 0 is all of it.
	Units int
	// Cap are the most units of a Text that is longer than Units, in whatever room: the rest of
	// it tells no more. 0 is no such bound.
	Cap int
	// Detail is the same of its Detail; 0 is what most kinds have, 120.
	Detail int
	// DetailCap are the units of a Detail in whatever room, 0 for no such bound.
	DetailCap int
	// Whole are the units of a Text that is not cut though it has more than Units.
	Whole int
	// Reserve are the units of an item's Text that have room before the least needed
	// items, those of Spare, are placed; 0 is no more than Units.
	Reserve int
	// Grow is the turn of the kind when free room lengthens what is cut, lowest first.
	Grow int
	// End says that of a cut Text the end is shown: it leads to where we are.
	End bool
	// Top says that the item keeps its place in the vital part however long it is: what is
	// needed with it stands right under its beginning.
	Top bool
	// Newest says that a section tells the newest item first, those of Spare last,
	// whatever their order of need.
	Newest bool
	Most   int // items that a text may list, 0 any number; those with a tier of their own come on top
	Tiers  Tiers
	// Summary says that a summary keeps such items by itself or can do without
	// them, so that its writer is not asked to keep them.
	Summary bool
}

// Form is how an item looks in a section of a text, and when it is restored.
type Form string

// The forms.
const (
	Line   Form = "line"   // one line of a list
	Dated  Form = "dated"  // one line of a list, its day, and whether it is another session's
	Quote  Form = "quote"  // words that may have several lines, and Detail: what they reply to
	Saying Form = "saying" // a person's words on one line, how often they were said, and Detail: what they reply to
	Reply  Form = "reply"  // Detail, a question or a tool call, and a person's words about it
	Theirs Form = "theirs" // one line that says whose it is, and its day: its number is another log's
	Owned  Form = "owned"  // one line, and Detail: whose it is
	Box    Form = "task"   // a line with a box to tick
	Title  Form = "title"  // Detail, and Text after it
	Entry  Form = "entry"  // a heading, and Detail as foreign text below it
	Whole  Form = "whole"  // Detail, where it is from, and Text as foreign text below it
	Code   Form = "code"   // a foreign line, and Detail as foreign text below it
)

// Audit says how an audit looks for the items of a kind.
type Audit struct {
	Match Match
	Place int // of the kind in a report
	// Worth is what items of the kind are worth, where Rate does not say more. It is not
	// read where Rate is given.
	Worth Worth
	// Rate gives a function that tells what an item of a fold is worth.
	Rate  func(*projections.Fold) func(Item) Worth
	Title string // heading of restored items
	// Subject gives what an event of the lane is about, in the words of the Text of
	// such an item, and false for other events. It finds the items that a client
	// carried over by itself; nil where it carries none.
	Subject func(events.Event) (string, bool)
}

// Match is how a summary is searched for an item.
type Match int

// The ways to match. Kinds that are Unaudited are in no report.
const (
	Unaudited Match = iota
	ByWords         // by the words of the item
	ByTask          // by those of a task, of one that is done by most of them
	ByPath          // by the end of a path that no other file has
	ByCommand       // by what it was run for
	ByFailure       // by what went wrong
)

var (
	declared []*Def // in the order of their sections
	byKind   = map[Kind]*Def{}
)

func declare(d Def) *Def {
	if byKind[d.Kind] != nil {
		panic("knowledge: declared twice: " + string(d.Kind))
	}
	at, _ := slices.BinarySearchFunc(declared, d.Text.Place+1, func(o *Def, place int) int { return o.Text.Place - place })
	declared, byKind[d.Kind] = slices.Insert(declared, at, &d), &d
	return &d
}

// Kinds lists every declared kind in the order of their sections.
func Kinds() []*Def { return slices.Clone(declared) }

// Audited lists the kinds of a report, in its order.
func Audited() []Kind {
	var kinds []Kind
	for _, d := range slices.SortedStableFunc(slices.Values(declared), func(a, b *Def) int { return a.Audit.Place - b.Audit.Place }) {
		if d.Audit.Match != Unaudited && !slices.Contains(kinds, d.as()) {
			kinds = append(kinds, d.as())
		}
	}
	return kinds
}

// Def gives the declaration of a kind, a zero one for a kind that has none.
func (k Kind) Def() *Def {
	if d, ok := byKind[k]; ok {
		return d
	}
	return &Def{Kind: k}
}

// Needs are the projections that items come from, each once.
func Needs() []projections.Projection {
	var all []projections.Projection
	for _, d := range declared {
		for _, p := range d.Needs {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// Subjects lists what an event is about, for every kind that a client can carry
// over.
func Subjects(e events.Event) []Subject {
	var all []Subject
	for _, d := range declared {
		if d.Audit.Subject == nil {
			continue
		}
		if text, ok := d.Audit.Subject(e); ok {
			all = append(all, Subject{d.as(), text})
		}
	}
	return all
}

// Subject is what an event and an item about the same thing have in common.
type Subject struct {
	Kind Kind
	Text string
}

// subject makes an Audit.Subject of the text of one event type.
func subject[E events.Event](text func(E) string) func(events.Event) (string, bool) {
	return func(e events.Event) (string, bool) {
		if ev, ok := e.(E); ok {
			return text(ev), true
		}
		return "", false
	}
}

func (d *Def) as() Kind { return cmp.Or(d.As, d.Kind) }

func (d *Def) prefix() string { return cmp.Or(d.ID, string(d.Kind)) }
