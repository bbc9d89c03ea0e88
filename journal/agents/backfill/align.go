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

// hookEvent is an event of a hook that no id of a call or a turn identifies.
type hookEvent struct {
	signature uint64
	seq       uint64
}

// signature returns a digest that is equal for the events of two reports of one fact. Together with the order of events it
// identifies an event without an id, such as a tool call of a client of 2025. It is 0 for events that only the order identifies.
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

// wordless returns the signature of the end of a turn whose hook had no words, as in old clients.
var wordless = sync.OnceValue(func() uint64 { return signature(events.TurnEnded{}) })

// pair is a step and the event that matches it.
type pair struct {
	step int    // index among the steps of the lane
	seq  uint64 // sequence of the event
}

// alignCells bounds the number of cells of the table in align. Instead of a larger table, each step is matched with the first event after
// the previous match that has its signature.
const alignCells = 4 << 20

// align matches as many steps as possible with events that hooks reported, keeping the order of both. pairs is in no order. unmatched has
// the indexes of the steps to match. First the common beginning and the common end are matched. fromEnd is set if hooks reported only the
// last of these steps: then the end is matched before the beginning.
func align(unmatched []int, hooked []hookEvent, steps []step, fromEnd bool) (pairs []pair) {
	same := func(i int, e hookEvent) bool {
		step := steps[i]
		return step.signature == e.signature || step.kind == events.TurnEnd && e.signature == wordless()
	}
	head := func() {
		for len(unmatched) > 0 && len(hooked) > 0 && same(unmatched[0], hooked[0]) {
			pairs = append(pairs, pair{unmatched[0], hooked[0].seq})
			unmatched, hooked = unmatched[1:], hooked[1:]
		}
	}
	tail := func() {
		for n, m := len(unmatched)-1, len(hooked)-1; n >= 0 && m >= 0 && same(unmatched[n], hooked[m]); n, m = n-1, m-1 {
			pairs = append(pairs, pair{unmatched[n], hooked[m].seq})
			unmatched, hooked = unmatched[:n], hooked[:m]
		}
	}
	if fromEnd {
		tail()
		head()
	} else {
		head()
		tail()
	}
	if len(unmatched)*len(hooked) > alignCells {
		for _, i := range unmatched {
			if j := slices.IndexFunc(hooked, func(e hookEvent) bool { return same(i, e) }); j >= 0 {
				pairs = append(pairs, pair{i, hooked[j].seq})
				hooked = hooked[j+1:]
			}
		}
		return pairs
	}
	// longest[i*width+j] is the number of steps in unmatched[i:] that can be matched with hooked[j:].
	width := len(hooked) + 1
	longest := make([]int32, (len(unmatched)+1)*width)
	for i := len(unmatched) - 1; i >= 0; i-- {
		for j := len(hooked) - 1; j >= 0; j-- {
			best := max(longest[(i+1)*width+j], longest[i*width+j+1])
			if same(unmatched[i], hooked[j]) {
				best = max(best, longest[(i+1)*width+j+1]+1)
			}
			longest[i*width+j] = best
		}
	}
	for i, j := 0, 0; i < len(unmatched) && j < len(hooked); {
		switch here := longest[i*width+j]; {
		case here == longest[(i+1)*width+j]:
			i++
		case here == longest[i*width+j+1]:
			j++
		default:
			pairs = append(pairs, pair{unmatched[i], hooked[j].seq})
			i, j = i+1, j+1
		}
	}
	return pairs
}
