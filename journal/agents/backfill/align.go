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

// statement is an event without an identity that hooks reported.
type statement struct {
	signature uint64
	seq       uint64
}

// signature returns a digest that is equal for the events of two reports of one fact. It identifies events that have no identity, such
// as tool calls of clients of 2025. It is 0 for an event that only its place identifies.
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
		words[i] = redact.Comparable(w) // equal for texts that were redacted by other rules
	}
	h := fnv.New64a()
	h.Write([]byte(strings.Join(words, "\x00")))
	return h.Sum64()
}

// wordless is the signature of the end of a turn whose hook had no words, as in old clients.
var wordless = sync.OnceValue(func() uint64 { return signature(events.TurnEnded{}) })

// pair is a step and the sequence of the statement that it matches.
type pair struct {
	step int // index among the steps of the lane
	seq  uint64
}

// alignCells bounds the number of cells of the table in align. For a larger one each step is matched with the first statement after the
// previous match that fits.
const alignCells = 4 << 20

// align matches as many of the open steps as possible with statements, keeping the order of both. open has indexes in steps. It first
// matches the common beginning and the common end. fromEnd matches the end first: hooks reported only the end of these steps.
func align(open []int, statements []statement, steps []step, fromEnd bool) (pairs []pair) {
	same := func(i int, s statement) bool {
		step := steps[i]
		return step.signature == s.signature || step.kind == events.TurnEnd && s.signature == wordless()
	}
	head := func() {
		for len(open) > 0 && len(statements) > 0 && same(open[0], statements[0]) {
			pairs = append(pairs, pair{open[0], statements[0].seq})
			open, statements = open[1:], statements[1:]
		}
	}
	tail := func() {
		for n, m := len(open)-1, len(statements)-1; n >= 0 && m >= 0 && same(open[n], statements[m]); n, m = n-1, m-1 {
			pairs = append(pairs, pair{open[n], statements[m].seq})
			open, statements = open[:n], statements[:m]
		}
	}
	if fromEnd {
		tail()
		head()
	} else {
		head()
		tail()
	}
	if len(open)*len(statements) > alignCells {
		for _, i := range open {
			if j := slices.IndexFunc(statements, func(s statement) bool { return same(i, s) }); j >= 0 {
				pairs = append(pairs, pair{i, statements[j].seq})
				statements = statements[j+1:]
			}
		}
		return pairs
	}
	// longest[i*width+j] is the number of steps in open[i:] that can be matched with statements[j:].
	width := len(statements) + 1
	longest := make([]int32, (len(open)+1)*width)
	for i := len(open) - 1; i >= 0; i-- {
		for j := len(statements) - 1; j >= 0; j-- {
			best := max(longest[(i+1)*width+j], longest[i*width+j+1])
			if same(open[i], statements[j]) {
				best = max(best, longest[(i+1)*width+j+1]+1)
			}
			longest[i*width+j] = best
		}
	}
	for i, j := 0, 0; i < len(open) && j < len(statements); {
		switch here := longest[i*width+j]; {
		case here == longest[(i+1)*width+j]:
			i++
		case here == longest[i*width+j+1]:
			j++
		default:
			pairs = append(pairs, pair{open[i], statements[j].seq})
			i, j = i+1, j+1
		}
	}
	return pairs
}
