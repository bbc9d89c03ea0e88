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

// statement is something that hooks reported without an identity, and its sequence.
type statement struct {
	what uint64 // signature
	seq  uint64
}

// signature returns what two reports of one fact share when neither has an identity: tool calls of
// clients of 2025 have none. 0 is an event that only its place identifies.
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
		words[i] = redact.Comparable(w) // texts redacted by other rules are the same fact
	}
	h := fnv.New64a()
	h.Write([]byte(strings.Join(words, "\x00")))
	return h.Sum64()
}

// wordless is the signature of a turn's end whose words an old client did not report.
var wordless = sync.OnceValue(func() uint64 { return signature(events.TurnEnded{}) })

// pair matches a step with the fact at a sequence of the log.
type pair struct {
	step int // index among the steps of the lane
	seq  uint64
}

// alignCells bounds the table of an alignment. Beyond it steps are matched in order, each with the first statement that
// fits.
const alignCells = 4 << 20

// align matches as many steps as possible with what hooks reported, without crossings. It first matches common
// beginnings and ends: from the end if hooks certainly reported only the end of the stretch.
func align(open []int, statements []statement, steps []step, fromEnd bool) (pairs []pair) {
	same := func(i int, s statement) bool {
		step := steps[i]
		return step.signature == s.what || step.kind == events.TurnEnd && s.what == wordless()
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
	// longest[i][j] is how many of open[i:] can be matched with said[j:].
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
