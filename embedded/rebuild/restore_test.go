package rebuild_test

import (
	"iter"
	"path/filepath"
	"testing"
	"time"

	"journal/embedded/rebuild"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// TestIDsOfFilledLog: a second delivery of an id is no event in a restored log, and later appends find ids as in every log.
func TestIDsOfFilledLog(t *testing.T) {
	t.Parallel()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "j")}
	w.own()
	r, err := journal.NewRecord(wishes(t, 1, 10)[0])
	if err != nil {
		t.Fatal(err)
	}
	var twice iter.Seq2[record.Record, error] = func(yield func(record.Record, error) bool) {
		for seq := range uint64(2) {
			r.Seq = seq + 1
			if !yield(r, nil) {
				return
			}
		}
	}
	if n, err := rebuild.Restore(t.Context(), w.lock, nil, twice); err != nil || n != 2 {
		t.Fatalf("%d records, error %v", n, err)
	}
	w.open(func(l *journal.Log) {
		s, err := w.js.Stream(t.Context(), l.Stream())
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CachedInfo().Config.Duplicates; got != 2*time.Minute {
			t.Errorf("ids are remembered for %s", got)
		}
		n := 0
		for _, err := range l.Events(t.Context(), events.Span{}, events.Selector{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%d events, want the one that was delivered twice", n)
		}
	})
}
