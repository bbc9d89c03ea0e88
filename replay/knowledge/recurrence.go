package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// Recurrence is a command that failed, worked, and failed again, or that failed in several
// sessions of a project, whatever else ran beside it.
type Recurrence struct {
	What     string // its program, what of it, and on what
	Command  string // the newest one that failed
	Error    string // how
	Failed   int    // how often
	Returned int    // how often it failed after it had worked
	Sessions int    // that it failed in
	First    events.Meta
	Newest   events.Meta // failures
	Works    bool        // the newest run worked
}

// Recurrences finds failures that come back. The zero value has seen nothing.
type Recurrences struct {
	all []*recurring
	of  map[string]*recurring
}

type recurring struct {
	Recurrence
	worked   bool
	sessions map[string]bool
}

// See takes the next event of a project. The error is that of stored bytes that do not fit
// their type.
func (r *Recurrences) See(e events.Envelope) error {
	if e.EchoOf != 0 || e.Type != events.TypeOf[events.CommandRan]() {
		return nil
	}
	ev, err := events.Open(e)
	ran, ok := ev.(events.CommandRan)
	if err != nil || !ok || ran.Background != "" || ran.Person && ran.Mark == "" {
		return err
	}
	failed := ran.Failed || ran.Mark != ""
	for _, t := range tasks(ran.Command) {
		if t.aside() {
			continue
		}
		what := text.Line(strings.Join(append(slices.Clone(t.words), t.targets...), " ") + t.narrow)
		one := r.of[what]
		if one == nil {
			if !failed {
				continue
			}
			one = &recurring{Recurrence: Recurrence{What: what, First: e.Meta}, sessions: map[string]bool{}}
			if r.of == nil {
				r.of = map[string]*recurring{}
			}
			r.of[what] = one
			r.all = append(r.all, one)
		}
		if one.Works = !failed; one.Works {
			one.worked = true
			continue
		}
		if one.worked {
			one.Returned++
			one.worked = false
		}
		one.Failed++
		one.sessions[e.Session] = true
		one.Command, one.Error, one.Newest = ran.Command, cmp.Or(ran.Error, ran.Mark), e.Meta
	}
	return nil
}

// All lists those that came back, the most troublesome first: by how often they came back,
// then by how many sessions they failed in, then by how often.
func (r *Recurrences) All() (back []Recurrence) {
	for _, one := range r.all {
		if one.Sessions = len(one.sessions); one.Returned > 0 || one.Sessions > 1 {
			back = append(back, one.Recurrence)
		}
	}
	slices.SortStableFunc(back, func(a, b Recurrence) int {
		return cmp.Or(cmp.Compare(b.Returned, a.Returned), cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(b.Failed, a.Failed))
	})
	return back
}

// Refusal is a tool call that the person did not want, and what they said about it.
const Refusal Kind = "refusal"

var _ = declare(Def{
	Kind: Refusal, Needs: []projections.Projection{projections.Refusals}, Items: refusals,
	Text:  Text{Place: 72, Turn: 56, Form: Reply, Units: 300, Grow: 3, Tiers: Tiers{Best: Likely, First: 30}},
	Audit: Audit{Match: ByWords, Place: 12, Rate: rateRefusal, Title: "Refused tool calls"},
})

var (
	refused = keep(65, "tool calls that the person refused, and why")
	doubted = keep(84, "tool calls that the person refused with a question that objects to something")
	asked   = routine("tool calls that the person refused with a question that only asks")
)

func rateRefusal(*projections.Fold) func(Item) Worth {
	return func(i Item) Worth {
		switch {
		case isReply(i.Text):
			return replies
		case isQuestion(i.Text) && objects(i.Text):
			return doubted
		case isQuestion(i.Text):
			return asked
		}
		return refused
	}
}

// Refused is a tool call that the person refused without a word: what it was. Its items
// come with those of Refusal.
const Refused Kind = "refused"

var _ = declare(Def{
	Kind: Refused,
	Text: Text{Place: 74, Turn: 96, Form: Code, Units: maxCall, Cap: maxCall, Most: 10, Tiers: Tiers{Best: Useful, First: 3, Second: 7}, Summary: true},
})

// refusals takes the newest first, and a call that was refused again once.
func refusals(f *projections.Fold) []Item {
	var items []Item
	at := map[string]bool{}
	for r := range projections.Refusals.In(f).Backward() {
		call := strings.TrimSpace(r.Tool + " " + r.Target)
		switch {
		case r.Words != "":
			items = append(items, Item{Kind: Refusal, Seq: r.Seq, Text: r.Words, Detail: short(call, maxCall)})
		case !at[call]:
			items = append(items, Item{Kind: Refused, Seq: r.Seq, Text: call})
			at[call] = true
		}
	}
	return items
}

// maxCall bounds what of a refused call a text shows, in UTF-16 units.
const maxCall = 120
