package projections_test

import (
	"fmt"
	"testing"

	"journal/events"
	"journal/projections"
)

func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(target, projections.Config{}, projections.Files)
	var seq uint64
	use := func(path string) {
		seq++
		apply(t, fold, wrap(t, events.FileWritten{Path: path, Op: "edit"}, events.Meta{Project: "p", Session: "s", Seq: seq}))
	}
	for i := range 1200 {
		use(fmt.Sprint("/", i))
	}
	use("/200") // the oldest of those that are held
	got := projections.Files.In(fold)
	if len(got) != 1000 {
		t.Fatalf("%d files are held, want 1000", len(got))
	}
	if got[0].Path != "/200" || got[0].Count != 2 || got[1].Path != "/1199" || got[999].Path != "/201" {
		t.Errorf("newest %v, then %v, oldest %v", got[0], got[1], got[999])
	}
	use("/199") // not held any more: a new one
	if got := projections.Files.In(fold); len(got) != 1000 || got[0].Count != 1 || got[999].Path != "/202" {
		t.Errorf("%d files, newest %v, oldest %v", len(got), got[0], got[len(got)-1])
	}
}

func TestCheckpointsAreBounded(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(target, projections.Config{}, projections.Checkpoints)
	if c, ok := projections.Checkpoints.In(fold).Newest(); ok {
		t.Errorf("there is a checkpoint before any was made: %v", c)
	}
	ids := map[string]bool{}
	for i := range 150 {
		apply(t, fold, wrap(t, events.CheckpointRecorded{Summary: fmt.Sprint(i)}, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
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
