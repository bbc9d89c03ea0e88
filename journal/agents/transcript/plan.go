package transcript

import (
	"cmp"
	"math"
	"slices"
)

// State tells whether the log has a step.
type State uint8

// The states of a step. Planning resolves Unknown.
const (
	Unknown   State = iota // planning decides by the steps around it
	Missing                // the log does not have it
	Held                   // the log has it in this session
	Elsewhere              // the log has it in another session, from which this one was forked
)

// Mark holds the facts about a step that planning uses.
type Mark struct {
	State State
	Seq   uint64 // sequence of the hook's event of a Held step, 0 otherwise
	// Later is the sequence of the imported event of a Held step in this session, 0 otherwise. Hooks reported earlier steps
	// before that import.
	Later uint64
	// Part is set if a Held step was imported into a part of the session. All steps from it up to the next one that the log has
	// in the session itself were imported too.
	Part bool
	// Fact is the fact of a compaction that the step reports, NoFact for other steps. A compaction is identified only by its
	// place among the other steps.
	Fact Fact
	// Expected is set if hooks usually report such a step: after the last Held step it is then Missing.
	Expected bool
}

// Fact is a fact about a compaction.
type Fact uint8

// The facts of a compaction, in the order in which transcripts report them.
const (
	NoFact        Fact = iota
	FactIntention      // it may not happen
	FactRestart
	FactSummary
	factCount
)

// Compaction holds the sequences of the facts that hooks reported of one compaction, by Fact; 0 for a fact that none reported.
type Compaction [factCount]uint64

// place returns the sequence that orders the compaction among other events.
func (c Compaction) place() uint64 { return cmp.Or(c.fact(), c[FactIntention]) }

// Happened reports whether more than the intention was reported.
func (c Compaction) Happened() bool { return c.fact() > 0 }

// fact returns the sequence of a fact other than the intention, 0 if there is none.
func (c Compaction) fact() uint64 { return cmp.Or(c[FactRestart], c[FactSummary]) }

// Stretch is a range of steps: From is included, To is not.
type Stretch struct{ From, To int }

// Plan assigns the steps of one lane of a session to an import (ADR-0011). The stretches do not overlap. The log covers the steps
// outside of them, or they belong to another session.
type Plan struct {
	Before Stretch   // is imported into a session that precedes this one
	Holes  []Stretch // hooks missed them, but reported steps on both sides
	After  Stretch   // continues the session
	Fork   int       // number of steps at the start that belong to another session
	Late   []Late    // summaries of compactions that hooks reported without one
}

// Late is the summary of a compaction that the log has without one.
type Late struct {
	Step int    // index of the step with the summary
	Of   uint64 // sequence of a fact of the compaction
}

// Cut plans a lane. It resolves Unknown marks in place. compactions holds the ones that hooks reported, in order.
//
// A lane that is not in the log is imported whole. Otherwise it is cut at the edges of the recorded part. Between two Held steps,
// a step without an identity of its own, such as a sample of the usage, counts as covered; a stretch with a missing prompt or
// tool call is a hole.
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

// placeCompactions matches the compactions of a transcript with those that hooks reported between the same two placed steps. It
// returns the summaries that the reports lack. A stretch is unchanged if hooks reported nothing in it or at its edges.
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
	// A summary after the last held step can still be imported at its place.
	for n := len(late) - 1; n >= 0 && !slices.ContainsFunc(marks[late[n].Step+1:], held); n-- {
		marks[late[n].Step].State = Missing
		late = late[:n]
	}
	return late
}

// place returns the sequence by which a step orders others, 0 for none. A fact of a compaction orders none: it may be reported late.
func (m Mark) place() uint64 {
	if m.Fact != NoFact {
		return 0
	}
	return cmp.Or(m.Seq, m.Later)
}

// holdCompactions marks the steps of compactions in a stretch that hooks reported. If hooks reported fewer compactions than the
// stretch has, these are the newest ones before the first placed step, and the oldest ones elsewhere: see newest. If hooks
// reported more, the surplus were only intentions, or are not in the transcript yet.
func holdCompactions(marks []Mark, within Stretch, hooked []Compaction, newest bool) (late []Late) {
	open := unknownCompactions(marks, within)
	for n := len(hooked); n > len(open); n-- {
		i := slices.IndexFunc(hooked, func(c Compaction) bool { return !c.Happened() })
		if i < 0 && !newest {
			i = n - 1
		}
		hooked = slices.Delete(hooked, max(i, 0), max(i, 0)+1)
	}
	unreported := 0 // compactions before the first that hooks reported
	if newest {
		unreported = len(open) - len(hooked)
	}
	for n, steps := range open {
		var c Compaction
		if n -= unreported; 0 <= n && n < len(hooked) {
			c = hooked[n]
		}
		for _, i := range steps {
			switch m := &marks[i]; {
			case m.State != Unknown:
			case !c.Happened() && c[m.Fact] == 0:
				m.State = Missing
			default: // a report of the compaction covers its other facts, except the summary
				m.State = Held
				if m.Fact == FactSummary && c[FactSummary] == 0 {
					late = append(late, Late{i, c.fact()})
				}
			}
		}
	}
	return late
}

// unknownCompactions returns the steps of each compaction in a stretch that has Unknown steps. Transcripts report the facts of a
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
		expected := to - 1 // the last of these steps that hooks usually report
		for expected >= i && !marks[expected].Expected {
			expected--
		}
		for j := i; j < to; j++ {
			switch {
			case i > 0 && to < len(marks) && marks[i-1].State == marks[to].State && (marks[to].Part || !marks[i-1].Part):
				marks[j].State = marks[to].State
			case i > 0 && to < len(marks):
				// Beside a missing step it is missing too: the words that end a missing turn stay with the turn, and a
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
