package transcripts

import (
	"slices"

	"journal/events"
	"journal/journal/agents/transcript"
)

// hookFacts is what hooks told of the main thread that its transcript completes: with
// the exit code of a command, with the summary of a compaction.
type hookFacts struct {
	keys       map[string]bool     // occurrence keys of tool calls
	compacted  map[string][]uint64 // compactions without a summary, in order, by turn
	summarised map[uint64]bool     // those of them that have one now
	newest     int64               // time of the newest event
}

func newHookFacts() hookFacts {
	return hookFacts{keys: map[string]bool{}, compacted: map[string][]uint64{}, summarised: map[uint64]bool{}}
}

func (h *hookFacts) note(e events.Envelope) {
	h.newest = max(h.newest, e.At)
	switch e.Type {
	case events.TypeOf[events.CommandRan]():
		h.keys[e.Key] = true
	case events.TypeOf[events.CompactionCompleted]():
		if ev, err := events.Open(e); err == nil && ev.(events.CompactionCompleted).Summary == "" {
			h.compacted[e.Turn] = append(h.compacted[e.Turn], e.Seq)
		}
	}
}

// fact gives the oldest compaction of a turn that has no summary yet, 0 for none.
func (h *hookFacts) fact(turn string) uint64 {
	for _, seq := range h.compacted[turn] {
		if !h.summarised[seq] {
			return seq
		}
	}
	return 0
}

// placing says when a step that a transcript tells goes into the log.
type placing uint8

const (
	now   placing = iota
	later         // the hook that it adds to has not told yet
	never         // that hook never will, or it is too late to say it
)

// complete places a step: what adds to a fact comes after that, whichever of transcript
// and hook is the faster. It fills in which compaction a summary is of. A hook later than
// the step shows that an earlier one will not come. How full the context was before a
// compaction is of no use after it.
func (k *inventory) complete(s transcript.Step, rest []transcript.Step, facts []events.Event) placing {
	h := s.Report.Hook
	switch {
	case h.Kind == events.CompactSummary && k.ids[s.IDs(1)[0]]:
		return never
	case s.After != "" && !k.hooks.keys[s.After]:
	case h.Kind == events.CompactSummary:
		if fact := k.hooks.fact(h.Turn); fact != 0 {
			facts[0] = events.SummaryImported{Compaction: fact, Trigger: h.Trigger, Summary: h.Text}
			return now
		}
	case h.Kind == events.UsageSample && slices.ContainsFunc(rest, func(r transcript.Step) bool {
		return r.Report.Hook.Kind == events.CompactSummary && k.hooks.fact(r.Report.Hook.Turn) != 0
	}):
		return never
	default:
		return now
	}
	if k.hooks.newest > h.At {
		return never
	}
	return later
}
