package replay_test

import (
	"slices"
	"testing"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
)

// TestCompactionsTakenBack: a compaction that the person took back has no number, as in the audit and in the state.
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
	report, err := audit.Audit(t.Context(), log, target, projections.Config{})
	if err != nil || len(report.Compactions) != 1 || report.Compactions[0].Ordinal != 1 || report.Compactions[0].Seq != 7 {
		t.Errorf("the audit has %+v, %v", report.Compactions, err)
	}
}
