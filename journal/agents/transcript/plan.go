package transcript

import (
	"cmp"
	"math"
	"slices"
)

// State is the place of a step in the log.
type State uint8

// The states of a step before and after planning.
const (
	Unknown   State = iota // the steps around it decide
	Missing                // the log does not have it
	Held                   // the log has it in this session
	Elsewhere              // the log has it in another session, from which this one was forked
)

// Mark holds what identifies a step in planning.
type Mark struct {
	State State
	Seq   uint64 // sequence of a step that is Held by a hook's own event, 0 otherwise
	// Later is the sequence of a step that is Held by an import in this same session, 0 otherwise: hooks reported
	// earlier events before that import.
	Later uint64
	// Part is set if a step is Held by an import in a part of the session, of which everything up to the next step that
	// the log has in the session itself is imported.
	Part bool
	// Fact is which fact of a compaction the step reports. A compaction has no identity but its place among the others.
	// NoFact for other steps.
	Fact Fact
	// Expected is set if hooks usually report such a step: after the last held step it is then missing, not covered.
	Expected bool
}

// Fact is a fact about a compaction.
type Fact uint8

// What hooks report of a compaction, and transcripts in this order. The first is only an intention.
const (
	NoFact Fact = iota
	FactIntention
	FactRestart
	FactSummary
	facts
)

// Compaction holds the sequence of each fact that hooks reported of one compaction, 0 for an unreported one.
type Compaction [facts]uint64

// place returns its sequence in the log.
func (c Compaction) place() uint64 { return cmp.Or(c.fact(), c[FactIntention]) }

// Happened reports whether more than the intention was reported.
func (c Compaction) Happened() bool { return c.fact() > 0 }

// fact returns the sequence of a fact beyond the intention.
func (c Compaction) fact() uint64 { return cmp.Or(c[FactRestart], c[FactSummary]) }

// Stretch is a range of steps, From included, To excluded.
type Stretch struct{ From, To int }

// Plan assigns the steps of one lane of a session to an import (ADR-0011). The stretches do not overlap; steps
// outside of them are covered or belong to another session.
type Plan struct {
	Before Stretch   // goes to the session's predecessor
	Holes  []Stretch // hooks missed it; they reported steps on both sides
	After  Stretch   // continues the session
	Fork   int       // how many steps at the start belong to another session
	// Late lists the summaries of compactions that hooks reported without one: each is added late, to its compaction.
	Late []Late
}

// Late is a step that the log lacks, of a compaction that the log has.
type Late struct {
	Step int
	Of   uint64 // sequence of a fact of that compaction
}

// Cut plans a lane. It resolves Unknown marks in place. compactions holds the recorded ones, in order.
//
// A lane that is not in the log is imported whole. Otherwise it is cut at the edges of the recorded part: between
// two held steps, everything without an identity of its own, such as samples of the usage, is covered, and a stretch
// with a missing prompt or tool call is a hole.
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

func held(m Mark) bool { return m.State == Held }

// placeCompactions matches compactions with those that hooks recorded: those between the same two steps of known place.
// It returns the summaries that hooks did not report for these. If nothing indicates hooks, it leaves the marks as they
// are.
func placeCompactions(marks []Mark, compactions []Compaction) (late []Late) {
	var before Mark
	for from := 0; from <= len(marks); {
		to, after := from, Mark{Later: math.MaxUint64}
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
	// After the last held step there is still room for it.
	for n := len(late) - 1; n >= 0 && !slices.ContainsFunc(marks[late[n].Step+1:], held); n-- {
		marks[late[n].Step].State = Missing
		late = late[:n]
	}
	return late
}

// place returns the sequence of a step if it can place others: facts of a compaction may be reported late, and cannot.
func (m Mark) place() uint64 {
	if m.Fact != NoFact {
		return 0
	}
	return cmp.Or(m.Seq, m.Later)
}

// holdCompactions marks, in a stretch, what hooks reported of its compactions. Before the first step of known place,
// these are the newest ones, otherwise the oldest. Surplus reports were only intentions, or are not in the transcript
// yet.
func holdCompactions(marks []Mark, within Stretch, hooked []Compaction, newest bool) (late []Late) {
	open := unknownCompactions(marks, within)
	for n := len(hooked); n > len(open); n-- {
		i := slices.IndexFunc(hooked, func(c Compaction) bool { return !c.Happened() })
		if i < 0 && !newest {
			i = n - 1
		}
		hooked = slices.Delete(hooked, max(i, 0), max(i, 0)+1)
	}
	before := 0 // number of those that hooks did not report
	if newest {
		before = len(open) - len(hooked)
	}
	for n, steps := range open {
		var c Compaction
		if n -= before; 0 <= n && n < len(hooked) {
			c = hooked[n]
		}
		for _, i := range steps {
			switch m := &marks[i]; {
			case m.State != Unknown:
			case !c.Happened() && c[m.Fact] == 0:
				m.State = Missing
			default: // hooks' report of a compaction covers its other facts, except the summary
				m.State = Held
				if m.Fact == FactSummary && c[FactSummary] == 0 {
					late = append(late, Late{i, c.fact()})
				}
			}
		}
	}
	return late
}

// unknownCompactions returns the steps of each compaction in a stretch that is not fully known. Transcripts report a
// compaction in the order of Fact.
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

// resolve decides Unknown steps by the nearest known ones.
func resolve(marks []Mark) {
	for i := 0; i < len(marks); i++ {
		if marks[i].State != Unknown {
			continue
		}
		to := i
		for to < len(marks) && marks[to].State == Unknown {
			to++
		}
		expected := to - 1 // the last of them that hooks usually report
		for expected >= i && !marks[expected].Expected {
			expected--
		}
		for j := i; j < to; j++ {
			switch {
			case i > 0 && to < len(marks) && marks[i-1].State == marks[to].State && (marks[to].Part || !marks[i-1].Part):
				marks[j].State = marks[to].State
			case i > 0 && to < len(marks):
				// At an edge it goes with the missing steps: the words that end a missing turn stay with it, and a
				// failed call is not lost.
				marks[j].State = Missing
			case to < len(marks):
				marks[j].State = marks[to].State
			case i > 0:
				marks[j].State = marks[i-1].State
				if j <= expected || marks[i-1].Later > 0 { // an import leaves nothing out
					marks[j].State = Missing
				}
			default:
				marks[j].State = Missing
			}
		}
		i = to
	}
}
