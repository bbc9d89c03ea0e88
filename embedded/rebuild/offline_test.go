package rebuild_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/eventstest"
	"journal/embedded/copies"
	"journal/events"
	"journal/journal"
)

// said holds the answers of a log to all queries.
func said(t *testing.T, l *journal.Log) map[string]any {
	t.Helper()
	all := map[string]any{}
	note := func(what string, v any, err error) {
		all[what] = v
		if err != nil {
			all[what] = err.Error()
		}
	}
	st, err := l.Stats(t.Context())
	st.Bytes = 0 // of the server's blocks, or of the records
	note("stats", st, err)
	for _, sel := range []events.Selector{
		{}, {Project: "p"}, {Session: "1"}, {Type: events.TypeOf[events.TurnEnded]()}, {Project: "p", Session: "absent"},
		{Project: "p", Session: "2", Type: events.TypeOf[events.PromptSubmitted]()},
	} {
		name := fmt.Sprintf("%+v", sel)
		last, err := l.Last(t.Context(), sel)
		note("last of "+name, last, err)
		subjects, err := l.Subjects(t.Context(), sel)
		note("subjects of "+name, subjects, err)
		part, err := eventstest.All(l.Events(t.Context(), events.Span{}, sel))
		note("events of "+name, part, err)
	}
	for _, span := range []events.Span{{}, {After: 10, Until: 11}, {After: 3, Until: 90}, {After: 399}, {After: 500, Until: 600}} {
		part, err := eventstest.All(l.Events(t.Context(), span))
		note(fmt.Sprintf("events of %+v", span), part, err)
	}
	sessions, err := l.Sessions(t.Context())
	note("sessions", sessions, err)
	for _, s := range sessions {
		last, err := l.Last(t.Context(), events.Selector{Project: s.Project, Session: s.ID})
		note("last of session "+s.ID, last, err)
	}
	return all
}

func some(t *testing.T, n int) (es []events.Envelope) {
	for i := range n {
		m := events.Meta{Project: "p", Session: fmt.Sprint(i / 100), At: int64(i)}
		if i%3 == 0 {
			es = append(es, eventstest.Wrap(t, events.TurnEnded{Text: fmt.Sprint(i)}, m))
		} else {
			es = append(es, eventstest.Wrap(t, events.PromptSubmitted{Text: fmt.Sprint(i)}, m))
		}
	}
	return es
}

// A log has the same answers without an owner as with one.
func TestOfflineIsTheLog(t *testing.T) {
	t.Parallel()
	long := events.Meta{Project: "p", Session: strings.Repeat("/경로", 40)}
	w := newWorld(t, 50, append(some(t, 400), eventstest.Wrap(t, events.PromptSubmitted{Text: "long"}, long))...)
	var want map[string]any
	w.open(func(l *journal.Log) { want = said(t, l) })
	l, err := copies.Offline(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, said(t, l)); diff != "" {
		t.Errorf("(-owned +offline):\n%s", diff)
	}
	for _, err := range l.Follow(t.Context(), 0) {
		if !errors.Is(err, journal.ErrOffline) {
			t.Errorf("followed: %v", err)
		}
	}
}

// Damaged records of the store are read from the archive.
func TestOfflineReadsTheArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, some(t, 400)...)
	var want map[string]any
	w.open(func(l *journal.Log) { want = said(t, l) })
	w.flip(200)
	l, err := copies.Offline(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, said(t, l)); diff != "" {
		t.Errorf("(-owned +offline):\n%s", diff)
	}
}

func TestOfflineLeavesANewerDirectoryAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, some(t, 3)...)
	if err := os.WriteFile(w.path("format"), []byte("99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := copies.Offline(t.Context(), w.dir); !errors.Is(err, events.ErrNewer) {
		t.Errorf("error %v", err)
	}
}
