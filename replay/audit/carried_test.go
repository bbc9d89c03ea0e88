package audit_test

import (
	"context"
	"strings"
	"testing"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
)

// given renders what there is to recover of a log, and appends that it was given.
func given(t testing.TB, log replay.Slice, limit replay.Limit) (replay.Slice, replay.Text) {
	t.Helper()
	r, err := replay.Recover(context.Background(), log, target, projections.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := replay.Template("en", "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := replay.Render(r, tmpl, limit)
	if err != nil {
		t.Fatal(err)
	}
	return grow(t, log, events.RecoveryGiven{
		Compaction: r.Compaction, AsOf: r.AsOf, Lang: "en", Units: text.Units, Digest: text.Digest, Items: text.Items,
	}, target.Session, ""), text
}

// TestRunningPhaseIsCarried: the phase that a recovery text puts first is offered
// by it, and reinjected once the text is known to have arrived.
func TestRunningPhaseIsCarried(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	for _, e := range []events.Event{
		events.PhaseEntered{Skill: "review", Phase: "2", Name: "read", Next: "look at the parser"},
		events.CompactionCompleted{Summary: "Nothing of note."},
	} {
		log = grow(t, log, e, target.Session, "")
	}
	log, text := given(t, log, replay.Limit{})
	if !strings.Contains(text.Text, "## Workflow") {
		t.Fatalf("no workflow in\n%s", text.Text)
	}
	if got := statuses(t, log, 0)["phase-1"]; got != audit.Offered {
		t.Errorf("the phase is %s, want offered", got)
	}
	log = grow(t, log, events.DeliveryConfirmed{Recovery: uint64(len(log)), Digest: text.Digest, Whole: true}, target.Session, "")
	if got := statuses(t, log, 0)["phase-1"]; got != audit.Reinjected {
		t.Errorf("the phase is %s, want reinjected", got)
	}
}
