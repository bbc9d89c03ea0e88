package rebuild_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
)

// damages holds the rows of the matrix in docs/ENGINE.md §2 after which the server must not open the store, or would read it wrongly. Those
// of whole blocks need a log of several.
var (
	damagesOfBlocks = map[string]func(*testing.T, *world){
		"flip in two":    func(_ *testing.T, w *world) { w.flip(3); w.flip(len(w.all) - 1) },
		"first deleted":  func(t *testing.T, w *world) { remove(t, w.blocks()[0]) },
		"middle deleted": func(t *testing.T, w *world) { remove(t, w.blocks()[1]) },
		"last deleted":   func(t *testing.T, w *world) { b := w.blocks(); remove(t, b[len(b)-1]) },
		"middle cut": func(t *testing.T, w *world) {
			if err := os.Truncate(w.blocks()[1], 1<<20); err != nil {
				t.Fatal(err)
			}
		},
		"last emptied": func(t *testing.T, w *world) {
			b := w.blocks()
			if err := os.Truncate(b[len(b)-1], 0); err != nil {
				t.Fatal(err)
			}
		},
		"unreadable": func(t *testing.T, w *world) {
			if os.Getuid() == 0 || runtime.GOOS == "windows" {
				t.Skip("root reads everything, and so does Windows whatever the mode")
			}
			if err := os.Chmod(w.blocks()[1], 0); err != nil {
				t.Fatal(err)
			}
		},
	}
	damagesOfAny = map[string]func(*testing.T, *world){
		"flip":             func(_ *testing.T, w *world) { w.flip(3) },
		"meta missing":     func(t *testing.T, w *world) { remove(t, filepath.Join(w.stream(), "meta.inf")) },
		"meta sum missing": func(t *testing.T, w *world) { remove(t, filepath.Join(w.stream(), "meta.sum")) },
		"stream deleted":   func(t *testing.T, w *world) { remove(t, w.stream()) },
		"store deleted":    func(t *testing.T, w *world) { remove(t, w.path("store")) },
	}
)

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// As long as one of the two copies is good, no archived event is lost, and every
// event keeps its sequence (ADR-0012 rule 3).
func TestNoArchivedEventIsLost(t *testing.T) {
	t.Parallel()
	large := newWorld(t, 0, wishes(t, 36, 480<<10)...)
	if n := len(large.blocks()); n < 3 {
		t.Fatalf("%d blocks, want 3", n)
	}
	large.keepsAll(t, damagesOfBlocks)
	newWorld(t, 0, wishes(t, 36, 10)...).keepsAll(t, damagesOfAny)
}

// keepsAll fails unless each damage is found, and repaired without a loss.
func (w *world) keepsAll(t *testing.T, damages map[string]func(*testing.T, *world)) {
	t.Helper()
	stale := w.duplicate(t)
	stale.stale()
	for index, before := range map[string]*world{"index valid": w, "index stale": stale} {
		if i := before.inspect(); !i.OK {
			t.Fatalf("before, %s: %+v", index, i)
		}
		for name, damage := range damages {
			t.Run(name+", "+index, func(t *testing.T) {
				t.Parallel()
				w := before.duplicate(t)
				damage(t, w)
				if i := w.inspect(); i.OK || !i.Repairable() {
					t.Fatalf("the damage is not seen: %+v", i)
				}
				r := w.rebuild(rebuild.Options{})
				if len(r.Gaps) > 0 || r.LostTail != nil || r.Events != uint64(len(w.all)+1) {
					t.Errorf("result %+v", r)
				}
				if i := w.inspect(); !i.OK {
					t.Errorf("after: %+v", i)
				}
				w.wantKept(nil, repaired)
			})
		}
	}
}

// Records that no copy has are reported: as a gap at their sequence, or as a lost tail after the last record.
func TestWhatIsLostIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50, wishes(t, 60, 10)...)
	w.flip(5)
	w.flip(40)
	w.stale()
	w.writeHead(63)
	i := w.inspect()
	var bad []uint64
	for _, b := range i.Bad {
		bad = append(bad, b.Seq)
	}
	if len(bad) != 3 || bad[0] != 5 || bad[1] != 40 || bad[2] != 61 {
		t.Fatalf("bad %+v", i.Bad)
	}
	r := w.rebuild(rebuild.Options{})
	if r.Epoch != 2 || len(r.Archived) != 1 || r.Archived[0].First != 5 || len(r.Gaps) != 1 || r.Gaps[0].First != 40 ||
		r.LostTail == nil || r.LostTail.First != 61 || r.LostTail.Last != 63 {
		t.Errorf("result %+v", r)
	}
	w.wantKept(map[uint64]events.Type{40: gap}, repaired)
	got, epoch := w.log()
	if epoch != 2 {
		t.Errorf("epoch %d, want 2", epoch)
	}
	ev, err := events.Open(got[60])
	if err != nil {
		t.Fatal(err)
	}
	if said := ev.(events.LogRepaired); said.Epoch != 2 || said.Archived != 1 || said.Gaps != 1 || said.LostTail != 3 || said.Suspect != filepath.Base(r.Suspect) {
		t.Errorf("recorded %+v", said)
	}
	// The damaged store stays.
	if _, err := os.Stat(filepath.Join(r.Suspect, "jetstream")); err != nil {
		t.Error(err)
	}
	// Nothing is left to repair, and no person has acknowledged the losses.
	if i := w.inspect(); len(i.Bad) > 0 || i.OK || copies.Unacknowledged(i.Losses) != 4 || len(i.Losses) != 2 {
		t.Errorf("after: %+v", i)
	}
}

// If the copies have different good records, that of the store is kept, and the difference is reported.
func TestCopiesThatDiffer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20, wishes(t, 20, 10)...)
	kept := w.all[6]
	w.all[6].Data = append([]byte(nil), w.all[6].Data...)
	w.all[6].Data[len(w.all[6].Data)-1] ^= 1
	remove(t, w.path("archive"))
	w.archive(20)
	w.all[6] = kept
	i := w.inspect()
	if i.OK || len(i.Bad) != 1 || i.Bad[0].Seq != 7 || i.Bad[0].Where != "archive" {
		t.Fatalf("inspection %+v", i)
	}
	r := w.rebuild(rebuild.Options{})
	if len(r.Differ) != 1 || r.Differ[0].First != 7 || !r.Archive {
		t.Errorf("result %+v", r)
	}
	if i := w.inspect(); !i.OK || i.Archive.Last != 21 {
		t.Errorf("after: %+v", i)
	}
	w.wantKept(nil, repaired)
}

// A damaged archive is written again from the store; the old one stays.
func TestADamagedArchiveIsWrittenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 24, 480<<10)...)
	w.damageArchive()
	if i := w.inspect(); i.OK || i.Bad[0].Where != "archive" {
		t.Fatalf("inspection %+v", i)
	}
	if r := w.rebuild(rebuild.Options{}); !r.Archive || len(r.Gaps) > 0 {
		t.Errorf("result %+v", r)
	}
	if i := w.inspect(); !i.OK || i.Archive.Last != 25 {
		t.Errorf("after: %+v", i)
	}
	if n := len(rebuild.Suspects(w.dir)); n != 2 {
		t.Errorf("%d replaced copies, want 2", n)
	}
	w.wantKept(nil, repaired)
}

// ADR-0012 rule 5: at most one automatic rebuild a day; a person may always.
func TestOneAutomaticRebuildADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	w.rebuild(rebuild.Options{Automatic: true})
	_, err := rebuild.Rebuild(t.Context(), w.lock, rebuild.Options{Automatic: true, Reason: "again"})
	testutil.WantError(t, err, rebuild.ErrRebuiltToday)
	if r := w.rebuild(rebuild.Options{}); r.Epoch != 3 {
		t.Errorf("epoch %d, want 3", r.Epoch)
	}
	past, err := rebuild.History(w.dir)
	if err != nil || len(past) != 2 || !past[0].Automatic || past[1].Automatic || past[1].Epoch != 3 {
		t.Errorf("history %+v, %v", past, err)
	}
	w.wantKept(nil, repaired, repaired)
}

func TestALockThatGuardsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	if err := w.lock.Release(); err != nil {
		t.Fatal(err)
	}
	_, err := rebuild.Rebuild(t.Context(), w.lock, rebuild.Options{Reason: "test"})
	testutil.WantError(t, err, ownership.ErrReplaced)
	if n := len(rebuild.Suspects(w.dir)); n != 0 {
		t.Errorf("%d replaced copies", n)
	}
}

// A record that no owner stored keeps its sequence and is no event, before and after a rebuild. So does the second delivery of an id.
func TestWhatIsNoEventStaysNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12, wishes(t, 12, 10)...)
	w.open(func(l *journal.Log) {
		if _, err := w.js.Publish(t.Context(), w.all[0].Subject, []byte("stray")); err != nil {
			t.Fatal(err)
		}
		if _, err := w.js.Publish(t.Context(), w.all[0].Subject, w.all[2].Data); err != nil {
			t.Fatal(err)
		}
	})
	before, _ := w.log()
	if r := w.rebuild(rebuild.Options{}); r.Events != 15 {
		t.Errorf("result %+v", r)
	}
	after, _ := w.log()
	if len(after) != len(before)+1 || after[len(after)-1].Type != repaired || after[len(after)-1].Seq != 15 {
		t.Errorf("%d events before, %d after", len(before), len(after))
	}
}

func TestNothingIsExchangedAfterAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rebuild.Rebuild(ctx, w.lock, rebuild.Options{Reason: "test"}); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(w.path("store.new")); err == nil || len(rebuild.Suspects(w.dir)) > 0 {
		t.Error("something is left")
	}
	w.wantKept(nil)
}

func TestADiskWithoutRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	large := w.path("store", "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 8<<40); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	_, err := rebuild.Rebuild(t.Context(), w.lock, rebuild.Options{Reason: "test"})
	testutil.WantError(t, err, rebuild.ErrNoSpace)
	remove(t, large)
	w.wantKept(nil)
}
