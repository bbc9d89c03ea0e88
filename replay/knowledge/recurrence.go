package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// Recurrence is a command that failed, worked and failed again, or that failed in several sessions of a project.
type Recurrence struct {
	What     string // the program, its words and its targets
	Command  string // the newest failed one
	Error    string // of the newest failure
	Failed   int    // how often
	Returned int    // how often it failed after it had worked
	Sessions int    // how many it failed in
	First    events.Meta
	Newest   events.Meta // the first and the newest failure
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

// See takes the next event of a project. It returns an error if the stored bytes do not fit their type.
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
		if t.isAside() {
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

// All returns the failures that came back, sorted by how often they came back, then by the number of sessions, then by
// the number of failures.
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
