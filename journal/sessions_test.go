package journal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/events/eventstest"
	"journal/journal"
	"journal/journal/testutil"
)

// A session is found by a beginning of its id that no other has, where most of it happened.
func TestSessions(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	for _, m := range []events.Meta{
		{Project: "p", Session: "4f1c"}, {Project: "p", Session: "4f1c"}, {Project: "q", Session: "4f1c"},
		{Project: "p", Session: "4f"}, {Project: "q", Session: "a77e"}, {Project: "p", Session: events.None},
	} {
		put(t, l, eventstest.Wrap(t, events.PromptSubmitted{Text: "x"}, m))
	}
	all, err := l.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []journal.Session{{"p", "4f", 1}, {"p", "4f1c", 2}, {"q", "4f1c", 1}, {"q", "a77e", 1}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	for prefix, want := range map[string]journal.Session{"4f": {"p", "4f", 1}, "4f1": {"p", "4f1c", 2}, "a": {"q", "a77e", 1}} {
		if got, err := l.FindSession(t.Context(), prefix); err != nil || got != want {
			t.Errorf("%s: %+v, error %v", prefix, got, err)
		}
	}
	_, err = l.FindSession(t.Context(), "b")
	testutil.WantError(t, err, journal.ErrNoSession)
	if _, err = l.FindSession(t.Context(), ""); err == nil {
		t.Error("an empty beginning names one of three")
	}
	if got, err := l.NewestSession(t.Context(), "p"); err != nil || got.ID != "4f" {
		t.Errorf("newest of p: %+v, error %v", got, err)
	}
	_, err = l.NewestSession(t.Context(), "r")
	testutil.WantError(t, err, journal.ErrNoSession)
}
