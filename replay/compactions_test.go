package replay_test

import (
	"slices"
	"testing"

	"journal/events"
	"journal/projections"
	"journal/replay"
)

// TestCompactionsTakenBack: a compaction that the person took back has no number, as in the state.
func TestCompactionsTakenBack(t *testing.T) {
	t.Parallel()
	log := logOf(t,
		events.PromptSubmitted{Text: "build the gate"},       // 1
		events.PromptSubmitted{Text: "paint it red"},         // 2
		events.ContextRestarted{},                            // 3
		events.ConversationRewound{First: 2, Last: 3},        // 4
		events.PromptSubmitted{Text: "paint it green"},       // 5
		events.CommandRan{Command: "go test"},                // 6
		events.ContextRestarted{},                            // 7
		events.CompactionCompleted{Summary: "It was built."}, // 8
	)
	got, err := replay.Compactions(t.Context(), log, target)
	if err != nil || !slices.Equal(got, []uint64{7}) {
		t.Errorf("the compactions begin at %v, %v; want 7", got, err)
	}
	state, err := replay.State(t.Context(), log, target, projections.Config{}, projections.LastCompact, 0)
	if err != nil || state.Count != 1 || state.Seq != 7 {
		t.Errorf("the state has %d compactions, the newest at #%d, %v", state.Count, state.Seq, err)
	}
}
