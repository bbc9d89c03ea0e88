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
	What     string      // the program, its words and its targets
	Command  string      // of the newest failure
	Error    string      // of the newest failure
	Failed   int         // number of failures
	Returned int         // number of failures after it had worked
	Sessions int         // number of sessions with a failure
	First    events.Meta // of the first failure
	Newest   events.Meta // of the newest failure
	Works    bool        // the newest run worked
}

// Recurrences finds recurring failures. The zero value has seen no event.
type Recurrences struct {
	all    []*recurring // in the order of their first failures
	byTask map[string]*recurring
}

// recurring is a task that failed at least once.
type recurring struct {
	Recurrence
	worked   bool            // since its newest failure
	sessions map[string]bool // with a failure
}

// See adds the next event of a project. Only commands whose result is known count. The error is that of an event whose stored bytes do
// not fit its type.
func (r *Recurrences) See(e events.Envelope) error {
	if e.EchoOf != 0 || e.Type != events.TypeOf[events.CommandRan]() {
		return nil
	}
	ev, err := events.Open(e)
	ran, ok := ev.(events.CommandRan)
	if err != nil || !ok {
		return err
	}
	if ran.Background != "" || ran.Person && ran.Mark == "" { // the result is unknown
		return nil
	}
	failed := ran.Failed || ran.Mark != ""
	for _, t := range tasks(ran.Command) {
		if t.isAside() {
			continue
		}
		task := text.Line(strings.Join(append(slices.Clone(t.words), t.targets...), " ") + t.narrow)
		rec := r.byTask[task]
		if rec == nil {
			if !failed {
				continue
			}
			rec = &recurring{Recurrence: Recurrence{What: task, First: e.Meta}, sessions: map[string]bool{}}
			if r.byTask == nil {
				r.byTask = map[string]*recurring{}
			}
			r.byTask[task] = rec
			r.all = append(r.all, rec)
		}
		if rec.Works = !failed; rec.Works {
			rec.worked = true
			continue
		}
		if rec.worked {
			rec.Returned++
			rec.worked = false
		}
		rec.Failed++
		rec.sessions[e.Session] = true
		rec.Command, rec.Error, rec.Newest = ran.Command, cmp.Or(ran.Error, ran.Mark), e.Meta
	}
	return nil
}

// All returns the recurring failures, sorted by the number of returns, then of sessions, then of failures.
func (r *Recurrences) All() (all []Recurrence) {
	for _, rec := range r.all {
		if rec.Sessions = len(rec.sessions); rec.Returned > 0 || rec.Sessions > 1 {
			all = append(all, rec.Recurrence)
		}
	}
	slices.SortStableFunc(all, func(a, b Recurrence) int {
		return cmp.Or(cmp.Compare(b.Returned, a.Returned), cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(b.Failed, a.Failed))
	})
	return all
}
