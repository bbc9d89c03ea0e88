package backfill

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"

	"journal/events"
	"journal/journal/redact"
)

// statement is what hooks told without an identity, and where.
type statement struct {
	what uint64 // signature
	seq  uint64
}

// signature is what two reports of one fact have in common when neither has an
// identity: clients of 2025 give tool calls none. 0 is an event that is told by
// nothing but its place.
func signature(ev events.Event) uint64 {
	var words []string
	switch ev := ev.(type) {
	case events.PromptSubmitted:
		words = []string{"prompt", strings.TrimSpace(ev.Text)}
	case events.TurnEnded:
		words = []string{"answer", strings.TrimSpace(ev.Text)}
	case events.SubagentEnded:
		words = []string{"answer", strings.TrimSpace(ev.Text)}
	case events.CommandRan:
		words = []string{"command", ev.Command, strconv.FormatBool(ev.Failed)}
	case events.FileRead:
		words = []string{"read", ev.Path}
	case events.FileWritten:
		words = []string{"write", ev.Path}
	case events.ToolUsed:
		words = []string{"tool", ev.Tool, strconv.FormatBool(ev.Failed)}
	case events.TodosWritten:
		words = []string{"todos", strconv.Itoa(len(ev.Todos))}
	case events.TaskChanged:
		words = []string{"task", ev.Task, ev.Status}
	default:
		return 0
	}
	for i, w := range words {
		words[i] = redact.Comparable(w) // what other rules redacted is the same fact
	}
	h := fnv.New64a()
	h.Write([]byte(strings.Join(words, "\x00")))
	return h.Sum64()
}

// wordless is the end of a turn whose words an old client did not tell.
var wordless = sync.OnceValue(func() uint64 { return signature(events.TurnEnded{}) })

// pair says that a step is the fact at a sequence of the log.
type pair struct {
	step int // index among the steps of the lane
	seq  uint64
}

// alignCells bounds the table of an alignment. Beyond it the steps are found in
// their order, each at the first place where it can be.
const alignCells = 4 << 20

// align finds as many steps as possible among what hooks told, without crossing.
// What both begin or end with goes first: from the end when only the end of a
// stretch is known to have been told.
func align(open []int, said []statement, steps []step, fromEnd bool) (pairs []pair) {
	same := func(i int, s statement) bool {
		one := steps[i]
		return one.what == s.what || one.kind == events.TurnEnd && s.what == wordless()
	}
	head := func() {
		for len(open) > 0 && len(said) > 0 && same(open[0], said[0]) {
			pairs = append(pairs, pair{open[0], said[0].seq})
			open, said = open[1:], said[1:]
		}
	}
	tail := func() {
		for n, m := len(open)-1, len(said)-1; n >= 0 && m >= 0 && same(open[n], said[m]); n, m = n-1, m-1 {
			pairs = append(pairs, pair{open[n], said[m].seq})
			open, said = open[:n], said[:m]
		}
	}
	if fromEnd {
		tail()
		head()
	} else {
		head()
		tail()
	}
	if len(open)*len(said) > alignCells {
		for _, i := range open {
			if j := slices.IndexFunc(said, func(s statement) bool { return same(i, s) }); j >= 0 {
				pairs = append(pairs, pair{i, said[j].seq})
				said = said[j+1:]
			}
		}
		return pairs
	}
	// longest[i][j] is how many of open[i:] are found among said[j:].
	width := len(said) + 1
	longest := make([]int32, (len(open)+1)*width)
	for i := len(open) - 1; i >= 0; i-- {
		for j := len(said) - 1; j >= 0; j-- {
			best := max(longest[(i+1)*width+j], longest[i*width+j+1])
			if same(open[i], said[j]) {
				best = max(best, longest[(i+1)*width+j+1]+1)
			}
			longest[i*width+j] = best
		}
	}
	for i, j := 0, 0; i < len(open) && j < len(said); {
		switch here := longest[i*width+j]; {
		case here == longest[(i+1)*width+j]:
			i++
		case here == longest[i*width+j+1]:
			j++
		default:
			pairs = append(pairs, pair{open[i], said[j].seq})
			i, j = i+1, j+1
		}
	}
	return pairs
}
