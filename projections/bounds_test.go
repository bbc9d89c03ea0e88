package projections_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(target, projections.Config{}, projections.Files)
	var seq uint64
	use := func(path string) {
		seq++
		apply(t, fold, eventstest.Wrap(t, events.FileWritten{Path: path, Op: "edit"}, events.Meta{Project: "p", Session: "s", Seq: seq}))
	}
	for i := range 1200 {
		use(fmt.Sprint("/", i))
	}
	use("/200") // the oldest held one
	got := slices.Collect(projections.Files.In(fold).All())
	if len(got) != 1000 {
		t.Fatalf("%d files are held, want 1000", len(got))
	}
	if got[0].Path != "/200" || got[0].Count != 2 || got[1].Path != "/1199" || got[999].Path != "/201" {
		t.Errorf("newest %v, then %v, oldest %v", got[0], got[1], got[999])
	}
	use("/199") // no longer held: a new one
	if got := slices.Collect(projections.Files.In(fold).All()); len(got) != 1000 || got[0].Count != 1 || got[999].Path != "/202" {
		t.Errorf("%d files, newest %v, oldest %v", len(got), got[0], got[len(got)-1])
	}
}

// TestFilesModel: the files of a state are those of a plain list, newest use first, cut at 1,000.
func TestFilesModel(t *testing.T) {
	t.Parallel()
	const most = 1000
	fold := projections.NewFold(target, projections.Config{}, projections.Files)
	var want []projections.FileState
	check := func(seq uint64) {
		if got := slices.Collect(projections.Files.In(fold).All()); !slices.Equal(got, want) {
			t.Fatalf("at %d: %d files, want %d:\n%s", seq, len(got), len(want), cmp.Diff(want, got))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for seq := uint64(1); seq <= 12_000; seq++ {
		path := fmt.Sprintf("/d%d/%d", random.IntN(30), random.IntN(100))
		is := projections.FileState{Path: path, Op: "edit", Count: 1, LastSeq: seq, WrittenSeq: seq}
		var e events.Event = events.FileWritten{Path: path, Op: is.Op}
		if seq%2 == 0 {
			is.Op, is.WrittenSeq, e = "read", 0, events.FileRead{Path: path}
		}
		if seq%500 == 0 {
			from, to := path, path+"x"
			if seq%1000 == 0 {
				from, to = "/d1", "/d2"
			}
			e = events.FileMoved{From: from, To: to}
			is.Path = ""
			under := func(f projections.FileState) bool { return f.Path == from || strings.HasPrefix(f.Path, from+"/") }
			taken := map[string]bool{}
			for _, f := range want {
				if under(f) {
					taken[to+f.Path[len(from):]] = true
				}
			}
			want = slices.DeleteFunc(want, func(f projections.FileState) bool { return taken[f.Path] && !under(f) })
			for i, f := range want {
				if under(f) {
					want[i].Path, want[i].MovedFrom = to+f.Path[len(from):], f.Path
				}
			}
		}
		if is.Path != "" {
			i := slices.IndexFunc(want, func(f projections.FileState) bool { return f.Path == path })
			unchanged := i >= 0 && is.Op == "read" && want[i].WrittenSeq > 0 // a read leaves a written file where it is
			if i >= 0 && !unchanged {
				is.MovedFrom = want[i].MovedFrom
				if (is.WrittenSeq > 0) == (want[i].WrittenSeq > 0) {
					is.Count = want[i].Count + 1
				}
				want = slices.Delete(want, i, i+1)
			}
			if !unchanged {
				want = slices.Insert(want, 0, is)
				want = want[:min(len(want), most)]
			}
		}
		apply(t, fold, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: seq}))
		if seq%97 == 0 || seq%500 == 0 {
			check(seq)
		}
	}
	check(12_000)
}

func TestCheckpointsAreBounded(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(target, projections.Config{}, projections.Checkpoints)
	if c, ok := projections.Checkpoints.In(fold).Newest(); ok {
		t.Errorf("there is a checkpoint before any was made: %v", c)
	}
	ids := map[string]bool{}
	for i := range 150 {
		apply(t, fold, eventstest.Wrap(t, events.CheckpointRecorded{Summary: fmt.Sprint(i)}, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
		c, ok := projections.Checkpoints.In(fold).Newest()
		if !ok || c.Summary != fmt.Sprint(i) || ids[c.ID] {
			t.Fatalf("checkpoint %d: %v, %t", i, c, ok)
		}
		ids[c.ID] = true
	}
	if got := projections.Checkpoints.In(fold).List; len(got) != 100 || got[0].Summary != "50" {
		t.Errorf("%d checkpoints from %v on, want 100 from the 51st on", len(got), got[0])
	}
}

// TestStockIsBounded: of too many learnings the deleted ones go first, oldest first, then the oldest.
func TestStockIsBounded(t *testing.T) {
	t.Parallel()
	const most = 2000
	fold := projections.NewFold(target, projections.Config{}, projections.Stock)
	var seq uint64
	observe := func(file string, from, to int) {
		var entries []events.Entry
		for i := from; i < to; i++ {
			entries = append(entries, events.Entry{Heading: fmt.Sprint(file, " ", i)})
		}
		seq++
		apply(t, fold, eventstest.Wrap(t, events.FileObserved{Path: file, Kind: events.StockFile, Entries: entries, Digest: fmt.Sprint(seq)},
			events.Meta{Project: "p", Session: "s", Seq: seq}))
	}
	held := func(deleted, live int, oldest string) {
		t.Helper()
		s := projections.Stock.In(fold)
		gone := 0
		for _, l := range s.Learnings {
			if l.DeletedSeq != 0 {
				gone++
			}
		}
		if gone != deleted || len(s.Learnings)-gone != live || s.Confidence().Entries != live || s.Learnings[0].Title != oldest {
			t.Errorf("at %d: %d deleted and %d others, the oldest %s; want %d, %d, %s",
				seq, gone, len(s.Learnings)-gone, s.Learnings[0].Title, deleted, live, oldest)
		}
	}
	observe("a", 0, 1500)
	observe("a", 1100, 1500)
	held(1100, 400, "a 0")
	observe("b", 0, 500)
	held(1100, 900, "a 0") // as many as are held
	observe("b", 0, 1500)
	held(100, 1900, "a 1000")
	observe("c", 0, 300)
	held(0, most, "a 1300")
}
