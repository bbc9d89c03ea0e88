package transcript

import (
	"cmp"
	"math"
	"slices"
)

// State says where a step is known from.
type State uint8

// The states of a step before and after planning.
const (
	Unknown   State = iota // nothing tells; what stands around it decides
	Missing                // the log does not hold it
	Held                   // the log holds it in this session
	Elsewhere              // the log holds it in another session, which this one was forked from
)

// Mark is what planning knows of a step.
type Mark struct {
	State State
	Seq   uint64 // place in the log of a step that is Held by a hook's own event, 0 otherwise
	// Later is the place in the log of a step that is Held by an import in this very
	// session, 0 otherwise: what hooks told before that import has a lower one.
	Later uint64
	// Fact is what the step tells of a compaction, which has no identity but its place
	// among the others. NoFact for other steps.
	Fact Fact
	// Told says that hooks tell such a step as a rule, so that after everything that
	// is held it is missing rather than covered.
	Told bool
}

// Fact is what is told of a compaction.
type Fact uint8

// What hooks tell of a compaction, and transcripts in this order. The first is no more than
// that it was meant.
const (
	NoFact Fact = iota
	FactIntention
	FactRestart
	FactSummary
	facts
)

// Compaction is what hooks told of one compaction: the place in the log of each of its
// facts, 0 for one that they did not tell.
type Compaction [facts]uint64

// place is where the log holds it.
func (c Compaction) place() uint64 { return cmp.Or(c.fact(), c[FactIntention]) }

// Happened says whether more than the intention was told.
func (c Compaction) Happened() bool { return c.fact() > 0 }

// fact is the place of what was told beyond the intention.
func (c Compaction) fact() uint64 { return cmp.Or(c[FactRestart], c[FactSummary]) }

// Stretch is a stretch of steps: from the first to before the last.
type Stretch struct{ From, To int }

// Plan is what an import does with the steps of one lane of a session (ADR-0011).
// The stretches do not overlap, and what is in none of them is covered or
// belongs to another session.
type Plan struct {
	Before Stretch   // goes to the session's predecessor
	Holes  []Stretch // hooks missed it; what they told lies on both sides
	After  Stretch   // goes on with the session
	Fork   int       // how many steps at the head belong to another session
	// Late are the summaries of compactions that hooks told without one: each is told late, of
	// the compaction that it belongs to.
	Late []Late
}

// Late is a step that the log lacks of a compaction that it holds.
type Late struct {
	Step int
	Of   uint64 // place in the log of a fact of that compaction
}

// Cut plans a lane. It resolves the marks that are Unknown, in place. compactions
// are those that hooks recorded, in their order.
//
// A lane of which the log holds nothing is imported as it is. Else it is cut at the
// edges of what the log holds: between two steps that it holds, everything is
// covered that has no identity of its own, such as samples of the usage, and a
// stretch with a missing prompt or tool call is a hole.
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
	last := first
	for i := first; i < len(marks); i++ {
		if marks[i].State == Held {
			last = i
		}
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

// placeCompactions finds the compactions that hooks recorded: those between the same two
// steps whose place is known. It gives the summaries that hooks did not tell of them. Where
// nothing tells of hooks it leaves the marks as they are.
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
		var told []Compaction
		for _, c := range compactions {
			if before.place() < c.place() && c.place() < after.place() {
				told = append(told, c)
			}
		}
		if len(told) > 0 || before.Seq > 0 || after.Seq > 0 {
			late = append(late, holdCompactions(marks, Stretch{from, to}, told, before.place() == 0)...)
		}
		before, from = after, to+1
	}
	// Behind everything that is held there is still room for it.
	for n := len(late) - 1; n >= 0 && !slices.ContainsFunc(marks[late[n].Step+1:], held); n-- {
		marks[late[n].Step].State = Missing
		late = late[:n]
	}
	return late
}

// place is where the log holds a step as far as others can be placed by it: what is told
// of a compaction may be told late.
func (m Mark) place() uint64 {
	if m.Fact != NoFact {
		return 0
	}
	return cmp.Or(m.Seq, m.Later)
}

// holdCompactions marks in a stretch what hooks told of its compactions. Before the first step
// whose place is known, hooks told the newest ones, else the oldest. What they told more than
// there are was only meant, or is not in the transcript yet.
func holdCompactions(marks []Mark, within Stretch, told []Compaction, newest bool) (late []Late) {
	open := unknownCompactions(marks, within)
	for n := len(told); n > len(open); n-- {
		i := slices.IndexFunc(told, func(c Compaction) bool { return !c.Happened() })
		if i < 0 && !newest {
			i = n - 1
		}
		told = slices.Delete(told, max(i, 0), max(i, 0)+1)
	}
	before := 0 // of those that hooks did not tell
	if newest {
		before = len(open) - len(told)
	}
	for n, steps := range open {
		var c Compaction
		if n -= before; 0 <= n && n < len(told) {
			c = told[n]
		}
		for _, i := range steps {
			switch m := &marks[i]; {
			case m.State != Unknown:
			case !c.Happened() && c[m.Fact] == 0:
				m.State = Missing
			default: // what hooks left out of a compaction is in what they told of it, but for the summary
				m.State = Held
				if m.Fact == FactSummary && c[FactSummary] == 0 {
					late = append(late, Late{i, c.fact()})
				}
			}
		}
	}
	return late
}

// unknownCompactions gives the steps of each compaction in a stretch that is not known
// altogether. Transcripts tell a compaction in the order of Fact.
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

// resolve decides what nothing tells by the nearest steps that are known.
func resolve(marks []Mark) {
	for i := 0; i < len(marks); i++ {
		if marks[i].State != Unknown {
			continue
		}
		to := i
		for to < len(marks) && marks[to].State == Unknown {
			to++
		}
		told := to - 1 // the last of them that hooks tell as a rule
		for told >= i && !marks[told].Told {
			told--
		}
		for j := i; j < to; j++ {
			switch {
			case i > 0 && to < len(marks) && marks[i-1].State == marks[to].State:
				marks[j].State = marks[to].State
			case i > 0 && to < len(marks):
				// At the edge of what is held it goes with what is missing: the words that
				// end a missing turn stay with it, and a failed call is not lost.
				marks[j].State = Missing
			case to < len(marks):
				marks[j].State = marks[to].State
			case i > 0:
				marks[j].State = marks[i-1].State
				if j <= told {
					marks[j].State = Missing
				}
			default:
				marks[j].State = Missing
			}
		}
		i = to
	}
}
