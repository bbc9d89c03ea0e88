package rebuild_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"journal/embedded/rebuild"
	"journal/events"
)

// The next owner completes a rebuild that was killed between two steps, also if it is killed itself (ADR-0012 rule 4).
func TestAKilledRebuildIsCompleted(t *testing.T) {
	t.Parallel()
	for forget, tail := range map[bool][]events.Type{false: {repaired}, true: nil} {
		t.Run(fmt.Sprint("forget ", forget), func(t *testing.T) {
			t.Parallel()
			whole := newWorld(t, 0, wishes(t, 12, 10)...)
			killedAt := func(t *testing.T, n int) (steps int) {
				w := whole.duplicate(t)
				for _, name := range []string{"words", "common", "observed", "usage"} {
					if err := os.Mkdir(w.path(name), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				o := rebuild.Options{Reason: "test"}
				want := map[uint64]events.Type{}
				if forget {
					o.Forget = func(e events.Envelope) bool { return e.Seq == 4 }
					want[4] = forgotten
				} else {
					w.flip(4)
				}
				var err error
				if steps, err = rebuild.RebuildUntil(t.Context(), w.lock, o, n); err != nil {
					t.Fatal(err)
				}
				for again := range 2 {
					done, err := rebuild.Resume(w.lock)
					if err != nil || done != (again == 0 && n < steps) {
						t.Fatalf("resumed %v, error %v", done, err)
					}
				}
				if i := w.inspect(); !i.OK {
					t.Errorf("after: %+v", i)
				}
				w.wantKept(want, tail...)
				if left := len(rebuild.Suspects(w.dir)); (left > 0) == forget {
					t.Errorf("%d replaced copies", left)
				}
				for _, name := range []string{"store.new", "archive.new", "rebuild", "words", "common", "observed", "usage"} {
					if _, err := os.Stat(w.path(name)); err == nil {
						t.Errorf("%s is left", name)
					}
				}
				if past, err := rebuild.History(w.dir); err != nil || len(past) != 1 {
					t.Errorf("history %+v, %v", past, err)
				}
				return steps
			}
			for n := range killedAt(t, 0) {
				t.Run(fmt.Sprint("step ", n+1), func(t *testing.T) {
					t.Parallel()
					killedAt(t, n+1)
				})
			}
		})
	}
}

// The path of a journal directory may have the signs of patterns.
func TestSuspectsOfAnyDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b")
	if err := os.MkdirAll(filepath.Join(dir, "store.suspect-20260101T000000.000Z"), 0o700); err != nil {
		t.Fatal(err)
	}
	if all := rebuild.Suspects(dir); len(all) != 1 {
		t.Errorf("suspects: %q", all)
	}
}

// Before the plan is written nothing has changed.
func TestAnIncompleteCopyIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	if err := rebuild.PrepareOnly(t.Context(), w.dir, rebuild.Options{Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.path("store.new")); err != nil {
		t.Fatal(err)
	}
	if done, err := rebuild.Resume(w.lock); done || err != nil {
		t.Fatalf("resumed %v, error %v", done, err)
	}
	if _, err := os.Stat(w.path("store.new")); err == nil {
		t.Error("store.new is left")
	}
	w.wantKept(nil)
}
