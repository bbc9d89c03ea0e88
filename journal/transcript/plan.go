package transcript

import (
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
	// Compaction says that the step is a fact of a compaction, which has no identity
	// but its place among the others.
	Compaction bool
	// Told says that hooks tell such a step as a rule, so that after everything that
	// is held it is missing rather than covered.
	Told bool
}

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
}

// Cut plans a lane. It resolves the marks that are Unknown, in place. compactions
// are the places of those that hooks recorded, in order.
//
// A lane of which the log holds nothing is imported as it is. Else it is cut at the
// edges of what the log holds: between two steps that it holds, everything is
// covered that has no identity of its own, such as samples of the usage, and a
// stretch with a missing prompt or tool call is a hole.
func Cut(marks []Mark, compactions []uint64) Plan {
	placeCompactions(marks, compactions)
	resolve(marks)
	var p Plan
	for p.Fork < len(marks) && marks[p.Fork].State == Elsewhere {
		p.Fork++
	}
	first := slices.IndexFunc(marks, func(m Mark) bool { return m.State == Held })
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

// placeCompactions finds the compactions that hooks recorded: those between the same two
// steps that are held. Before the first such step the newest ones are those.
func placeCompactions(marks []Mark, compactions []uint64) {
	from, low := 0, uint64(0)
	for from <= len(marks) {
		to, high := from, uint64(math.MaxUint64)
		for to < len(marks) && marks[to].Seq == 0 {
			to++
		}
		if to < len(marks) {
			high = marks[to].Seq
		}
		recorded := 0
		for _, seq := range compactions {
			if low < seq && seq < high {
				recorded++
			}
		}
		if low > 0 || high < math.MaxUint64 {
			holdCompactions(marks[from:to], recorded, low == 0)
		}
		if to < len(marks) {
			low = marks[to].Seq
		}
		from = to + 1
	}
}

// holdCompactions marks n compactions of a stretch as held, from its end or its beginning.
func holdCompactions(marks []Mark, n int, fromEnd bool) {
	var runs []Stretch
	for i := 0; i < len(marks); i++ {
		if marks[i].Compaction {
			to := i
			for to < len(marks) && marks[to].Compaction {
				to++
			}
			runs = append(runs, Stretch{i, to})
			i = to
		}
	}
	for i, run := range runs {
		held := i < n
		if fromEnd {
			held = len(runs)-i <= n
		}
		for j := run.From; j < run.To; j++ {
			if marks[j].State == Unknown && held {
				marks[j].State = Held
			} else if marks[j].State == Unknown {
				marks[j].State = Missing
			}
		}
	}
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
