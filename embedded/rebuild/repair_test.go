package rebuild_test

import (
	"strings"
	"testing"
	"time"

	"journal/embedded/rebuild"
	"journal/events"
)

// silent shows no progress.
func silent(string) (show func(done, total int64), end func()) { return nil, func() {} }

// A repair rebuilds a damaged log, and no other.
func TestRepair(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, wishes(t, 12, 10)...)
	out, err := rebuild.Repair(t.Context(), w.lock, nil, silent)
	if err != nil || out.Rebuilt || out.Lost() || out.Events != 12 || out.Archived == nil || out.Gaps == nil || out.Differ == nil {
		t.Errorf("a whole log: %+v, error %v", out, err)
	}
	w.flip(12) // is in no archive
	w.flip(3)
	if out, err = rebuild.Repair(t.Context(), w.lock, nil, silent); err != nil {
		t.Fatal(err)
	}
	if !out.Rebuilt || out.Epoch != 2 || !out.Lost() || len(out.Archived) == 0 || out.Suspect == "" {
		t.Errorf("a damaged log: %+v", out)
	}
	if again, err := rebuild.Repair(t.Context(), w.lock, nil, silent); err != nil || again.Rebuilt {
		t.Errorf("repaired again: %+v, error %v", again, err)
	}
}

// A selection selects the events that match all of its fields, but no marks of a rebuild. Its reason has none of their values.
func TestSelection(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	wrap := func(ev events.Event) events.Envelope {
		e, err := events.Wrap(ev, events.Meta{ID: events.NewID(), Project: "p", Session: "s", At: at.UnixNano()})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	prompt := wrap(events.PromptSubmitted{Text: "call Miller"})
	for _, c := range []struct {
		s    rebuild.Selection
		want bool
	}{
		{rebuild.Selection{Session: "s"}, true},
		{rebuild.Selection{Session: "s", Project: "q"}, false},
		{rebuild.Selection{Match: "Miller", Project: "p"}, true},
		{rebuild.Selection{Match: "miller"}, false},
		{rebuild.Selection{Before: at}, false},
		{rebuild.Selection{Before: at.Add(1)}, true},
	} {
		if got := c.s.Selects(prompt); got != c.want {
			t.Errorf("%+v names it: %v", c.s, got)
		}
	}
	if (rebuild.Selection{Session: "s"}).Selects(wrap(events.LogGap{Seq: 1})) {
		t.Error("it names a mark")
	}
	reason := rebuild.Selection{Session: "4f1c", Match: "Miller"}.Reason()
	if reason != "asked for by session, match" || strings.Contains(reason, "Miller") {
		t.Errorf("reason %q", reason)
	}
}
