package transcript

import (
	"cmp"
	"math"
	"slices"
)

// State is the state of a step in the log.
type State uint8

// The states of a step. Planning resolves Unknown.
const (
	Unknown   State = iota // planning decides by the steps around the step
	Missing                // the log does not have the step
	Held                   // the log has the step in this session
	Elsewhere              // the log has the step in another session, from which this one was forked
)

// Mark holds the facts about a step that planning uses.
type Mark struct {
	State State
	Seq   uint64 // sequence of the event by which a hook reported a Held step, 0 if none did
	// Imported is the sequence of the event that an import added to this session for a Held step, 0 if none did. If hooks reported
	// earlier steps, they did so before that import.
	Imported uint64
	// Part is set if an import added a Held step to a part of the session (see package backfill). The steps up to the next one that
	// the log has in the session itself belong to that part too, and an interrupted import may not have added all of them.
	Part bool
	// Fact is the fact of a compaction that the step reports, NoFact for other steps. A compaction is identified only by its
	// place among the other steps.
	Fact Fact
	// Expected is set if hooks usually report such a step. An Unknown one after the last Held step is then Missing.
	Expected bool
}

// Fact is a fact about a compaction.
type Fact uint8

// The facts of a compaction, in the order in which transcripts report them.
const (
	NoFact        Fact = iota
	FactIntention      // the compaction may not happen
	FactRestart
	FactSummary
	factCount
)

// Compaction holds the sequences of the facts that hooks reported about one compaction, by Fact; 0 for a fact that no hook reported.
type Compaction [factCount]uint64

// place returns the sequence by which the compaction is ordered among other events.
func (c Compaction) place() uint64 { return cmp.Or(c.fact(), c[FactIntention]) }

// Happened reports whether hooks reported more than the intention.
func (c Compaction) Happened() bool { return c.fact() > 0 }

// fact returns the sequence of the restart, else that of the summary, 0 if hooks reported neither.
func (c Compaction) fact() uint64 { return cmp.Or(c[FactRestart], c[FactSummary]) }

// Stretch is a range of consecutive steps, by their indexes: From is included, To is not.
type Stretch struct{ From, To int }

// Plan assigns the steps of one lane of a session to the sessions of an import (ADR-0011). The stretches do not overlap. A step outside
// of them is covered by the log, or belongs to another session.
type Plan struct {
	Before Stretch   // steps before the first Held one: they are imported into a session that precedes this one
	Holes  []Stretch // steps that hooks missed between Held ones
	After  Stretch   // steps after the last Held one: they continue the session
	Fork   int       // number of steps at the start that belong to another session
	Late   []Late    // summaries of compactions that hooks reported without one
}

// Late is the summary of a compaction that the log has without one.
type Late struct {
	Step       int    // index of the step with the summary
	Compaction uint64 // sequence of a fact of the compaction
}

// Cut plans the import of a lane from the marks of its steps. It resolves Unknown marks in place. compactions holds the compactions that
// hooks reported, in order.
//
// A lane that is not in the log is imported whole. Otherwise it is cut at the edges of the recorded part. Between two Held steps, a
// step without an identity of its own, such as a sample of the usage, counts as Held; a stretch with a Missing prompt or tool call is a
// hole.
func Cut(marks []Mark, compactions []Compaction) Plan {
	var p Plan
	p.Late = placeCompactions(marks, compactions)
	resolve(marks)
	for p.Fork < len(marks) && marks[p.Fork].State == Elsewhere {
		p.Fork++
	}
	first := slices.IndexFunc(marks, held)
	if first < 0 {
		p.After = Stretch{p.Fork, len(marks)}
		return p
	}
	last := len(marks) - 1
	for !held(marks[last]) {
		last--
	}
	p.Before = Stretch{p.Fork, first}
	p.After = Stretch{last + 1, len(marks)}
	for i := first; i < last; i++ {
		if marks[i].State != Missing {
			continue
		}
		to := i
		for marks[to].State == Missing {
			to++
		}
		p.Holes = append(p.Holes, Stretch{i, to})
		i = to
	}
	return p
}

// held reports whether the log has a step in this session.
func held(m Mark) bool { return m.State == Held }

// placeCompactions matches the compactions of a transcript with those that hooks reported between the same two placed steps, which are
// steps with a place. It returns the summaries that the reports lack. It leaves a stretch between placed steps unchanged if hooks
// reported no compaction in it, and neither of the two steps.
func placeCompactions(marks []Mark, compactions []Compaction) (late []Late) {
	var before Mark
	for from := 0; from <= len(marks); {
		to, after := from, Mark{Imported: math.MaxUint64}
		for to < len(marks) && marks[to].place() <= before.place() {
			to++
		}
		if to < len(marks) {
			after = marks[to]
		}
		var hooked []Compaction
		for _, c := range compactions {
			if before.place() < c.place() && c.place() < after.place() {
				hooked = append(hooked, c)
			}
		}
		if len(hooked) > 0 || before.Seq > 0 || after.Seq > 0 {
			late = append(late, holdCompactions(marks, Stretch{from, to}, hooked, before.place() == 0)...)
		}
		before, from = after, to+1
	}
	// The summaries after the last Held step are not late: they are imported with the steps there.
	for n := len(late) - 1; n >= 0 && !slices.ContainsFunc(marks[late[n].Step+1:], held); n-- {
		marks[late[n].Step].State = Missing
		late = late[:n]
	}
	return late
}

// place returns the sequence by which other steps are ordered around this one, 0 for none. A fact of a compaction has none, because it
// may be reported late.
func (m Mark) place() uint64 {
	if m.Fact != NoFact {
		return 0
	}
	return cmp.Or(m.Seq, m.Imported)
}

// holdCompactions marks the steps of the compactions in a stretch as Held or Missing. hooked holds the compactions that hooks reported
// there. newest is set for the stretch before the first placed step: if the stretch has more compactions than hooked, hooks reported the
// newest of them, elsewhere the oldest. If it has fewer, first the surplus intentions are ignored, because they did not lead to a
// compaction, then those at the other end. late has the summaries of reported compactions that no hook reported.
func holdCompactions(marks []Mark, within Stretch, hooked []Compaction, newest bool) (late []Late) {
	open := unknownCompactions(marks, within)
	for n := len(hooked); n > len(open); n-- {
		i := slices.IndexFunc(hooked, func(c Compaction) bool { return !c.Happened() })
		switch {
		case i < 0 && newest:
			i = 0
		case i < 0:
			i = n - 1
		}
		hooked = slices.Delete(hooked, i, i+1)
	}
	unreported := 0 // number of compactions before the first one that hooks reported
	if newest {
		unreported = len(open) - len(hooked)
	}
	for n, steps := range open {
		var c Compaction
		if i := n - unreported; 0 <= i && i < len(hooked) {
			c = hooked[i]
		}
		for _, i := range steps {
			switch m := &marks[i]; {
			case m.State != Unknown:
			case !c.Happened() && c[m.Fact] == 0:
				m.State = Missing
			default: // the report of one fact covers the other facts of the compaction, except the summary
				m.State = Held
				if m.Fact == FactSummary && c[FactSummary] == 0 {
					late = append(late, Late{i, c.fact()})
				}
			}
		}
	}
	return late
}

// unknownCompactions returns the indexes of the steps of each compaction in a stretch, if at least one of these steps is Unknown.
// Transcripts report the facts of a compaction in the order of Fact.
func unknownCompactions(marks []Mark, within Stretch) (all [][]int) {
	var steps []int
	end := func() {
		if slices.ContainsFunc(steps, func(i int) bool { return marks[i].State == Unknown }) {
			all = append(all, steps)
		}
		steps = nil
	}
	for i := within.From; i < within.To; i++ {
		fact := marks[i].Fact
		if fact == NoFact {
			continue
		}
		if n := len(steps); n > 0 && fact <= marks[steps[n-1]].Fact {
			end()
		}
		steps = append(steps, i)
	}
	end()
	return all
}

// resolve decides the states of Unknown steps by the nearest steps with a known state.
func resolve(marks []Mark) {
	for i := 0; i < len(marks); i++ {
		if marks[i].State != Unknown {
			continue
		}
		to := i
		for to < len(marks) && marks[to].State == Unknown {
			to++
		}
		expected := to - 1 // index of the last of these steps that hooks usually report, i-1 if there is none
		for expected >= i && !marks[expected].Expected {
			expected--
		}
		for j := i; j < to; j++ {
			switch {
			case i > 0 && to < len(marks) && marks[i-1].State == marks[to].State && (marks[to].Part || !marks[i-1].Part):
				marks[j].State = marks[to].State
			case i > 0 && to < len(marks):
				// A step beside a Missing one is Missing too: the words that end a missing turn stay with the turn, and a
				// failed call is not lost.
				marks[j].State = Missing
			case to < len(marks):
				marks[j].State = marks[to].State
			case i > 0:
				marks[j].State = marks[i-1].State
				if j <= expected || marks[i-1].Imported > 0 { // an import leaves out no step: these are new
					marks[j].State = Missing
				}
			default:
				marks[j].State = Missing
			}
		}
		i = to
	}
}
