package rebuild_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"journal/embedded/rebuild"
	"journal/embedded/transcriptcopies"
	"journal/events"
	"journal/journal/record"
)

// spoken returns a session of a prompt, a decision and a prompt, of a given age.
func spoken(t *testing.T, project, session string, before time.Duration) (es []events.Envelope) {
	t.Helper()
	for _, ev := range []events.Event{
		events.PromptSubmitted{Text: "do it " + session}, events.DecisionRecorded{Text: "so it is " + session}, events.PromptSubmitted{Text: "and on " + session},
	} {
		e, err := events.Wrap(ev, events.Meta{Project: project, Session: session, At: now.Add(-before).UnixNano()})
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return es
}

// Observations at a compaction are removed with their session.
func TestRetentionTakesWhatWasSeen(t *testing.T) {
	t.Parallel()
	var es []events.Envelope
	for _, ev := range []events.Event{
		events.MomentRecorded{Said: "now the test"}, events.GitObserved{Branch: "rounding"},
		events.PlacesObserved{Files: []events.FilePlaces{{Path: "a.go"}}}, events.DecisionRecorded{Text: "so it is"},
	} {
		e, err := events.Wrap(ev, events.Meta{Project: "p", Session: "s", At: now.Add(-100 * day).UnixNano()})
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	if gone := newWorld(t, 0, es...).retain(rebuild.Retention{Age: 90 * day}, now); !slices.Equal(gone, []uint64{1, 2, 3}) {
		t.Errorf("gone are %d", gone)
	}
}

// now is the time of the test. It is near the system's, which is that of the file retained.
var now = time.Now()

const day = 24 * time.Hour

// ten returns a log of ten sessions of two projects.
func ten(t *testing.T) *world {
	t.Helper()
	var es []events.Envelope
	for _, s := range []struct {
		project, session string
		days             time.Duration
	}{{"p", "oldest", 400}, {"p", "old", 100}, {"q", "other", 100}, {"p", "week", 7}, {"p", "today", 0}} {
		es = append(es, spoken(t, s.project, s.session, s.days*day)...)
	}
	return newWorld(t, 0, es...)
}

// retain makes one check, and returns the sequences of the removed events.
func (w *world) retain(r rebuild.Retention, at time.Time) (gone []uint64) {
	w.t.Helper()
	before := len(w.gone())
	did, err := r.Retain(w.t.Context(), w.lock, at, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	gone = w.gone()
	if uint64(len(gone)-before) != did.Forgotten {
		w.t.Errorf("%d are gone, and were %d, %+v", len(gone), before, did)
	}
	return gone
}

// gone returns the sequences of the removed events.
func (w *world) gone() (gone []uint64) {
	w.t.Helper()
	all, _ := w.log()
	for _, e := range all {
		if e.Type == forgotten {
			gone = append(gone, e.Seq)
		}
	}
	return gone
}

// TestRetentionOfCopies: the copy of a transcript is removed with its session, and over the size the oldest copies are, but none of today.
func TestRetentionOfCopies(t *testing.T) {
	t.Parallel()
	w := ten(t)
	dir := w.lock.Dir()
	put := func(session string, days time.Duration) string {
		path := filepath.Join(transcriptcopies.Of(dir, "p", session), session+".jsonl")
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, make([]byte, 1000), 0o600), os.Chtimes(path, now, now.Add(-days*day)))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, week, begun := put("old", 100), put("week", 7), put("begun", -1)
	left := func() (names string) {
		for _, path := range []string{old, week, begun} {
			if _, err := os.Stat(path); err == nil {
				names += " " + filepath.Base(path)
			}
		}
		return names
	}
	w.retain(rebuild.Retention{Age: 90 * day}, now)
	if got := left(); got != " week.jsonl begun.jsonl" {
		t.Errorf("by age%s are left", got)
	}
	if _, err := (rebuild.Retention{Bytes: 1}).Retain(t.Context(), w.lock, now.Add(day+time.Hour), nil); err != nil {
		t.Fatal(err)
	}
	if got := left(); got != " begun.jsonl" {
		t.Errorf("by size%s are left", got)
	}
	if _, err := os.Stat(filepath.Dir(week)); err != nil {
		t.Errorf("it would be copied again: %v", err)
	}
}

// Whole old sessions lose their events that are not lasting, and all other events keep their sequences (ADR-0052).
func TestRetention(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		r    rebuild.Retention
		gone []uint64
	}{
		"nothing is asked for":       {rebuild.Retention{}, nil},
		"age":                        {rebuild.Retention{Age: 90 * day}, []uint64{1, 3, 4, 6, 7, 9}},
		"a project of its own":       {rebuild.Retention{Age: 90 * day, Projects: map[string]time.Duration{"q": 0, "p": 200 * day}}, []uint64{1, 3}},
		"a project only":             {rebuild.Retention{Projects: map[string]time.Duration{"q": 30 * day}}, []uint64{7, 9}},
		"size, but nothing of today": {rebuild.Retention{Bytes: 1}, []uint64{1, 3, 4, 6, 7, 9, 10, 12}},
		"size is kept already":       {rebuild.Retention{Bytes: 1 << 30}, nil},
		"nothing is as old as that":  {rebuild.Retention{Age: 4000 * day}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := ten(t)
			got := w.retain(c.r, now)
			if len(got) != len(c.gone) {
				t.Fatalf("gone are %d, want %d", got, c.gone)
			}
			for i := range got {
				if got[i] != c.gone[i] {
					t.Fatalf("gone are %d, want %d", got, c.gone)
				}
			}
			if i := w.inspect(); !i.OK || i.Events != 15 || i.First != 1 {
				t.Errorf("after: %+v", i)
			}
		})
	}
}

// Retention checks once a day, and removes nothing while there are copies that a repair replaced.
func TestRetentionWaits(t *testing.T) {
	t.Parallel()
	w := ten(t)
	r := rebuild.Retention{Age: 4000 * day}
	at := now
	if gone := w.retain(r, at); gone != nil {
		t.Fatalf("gone are %d", gone)
	}
	r.Age = 90 * day
	if gone := w.retain(r, at.Add(time.Hour)); gone != nil {
		t.Errorf("a second look on the same day: %d", gone)
	}
	if gone := w.retain(r, at.Add(25*time.Hour)); len(gone) != 6 {
		t.Errorf("the next day: %d", gone)
	}
	w = ten(t)
	w.rebuild(rebuild.Options{})
	if did, err := r.Retain(t.Context(), w.lock, now, nil); err == nil || did.Forgotten != 0 {
		t.Errorf("beside a replaced copy: %+v, %v", did, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w = ten(t)
	if _, err := r.Retain(ended, w.lock, now, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if i := w.inspect(); !i.OK || i.Events != 15 {
		t.Errorf("after giving up: %+v", i)
	}
}

// The mark of a removed event takes at most 40 bytes of the store.
func TestAMarkIsShort(t *testing.T) {
	t.Parallel()
	const n = 500
	w := newWorld(t, 0, wishes(t, n, 10)...)
	w.rebuild(rebuild.Options{Forget: func(events.Envelope) bool { return true }})
	size := int64(0)
	for _, b := range w.blocks() {
		fi, err := os.Stat(b)
		if err != nil {
			t.Fatal(err)
		}
		size += fi.Size()
	}
	if size > 40*n || len(record.Forgotten) == 0 {
		t.Errorf("%d marks take %d bytes in %s", n, size, filepath.Base(w.dir))
	}
}
