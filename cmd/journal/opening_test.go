//go:build unix

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/ptrace"
	"journal/cmd/testkit/testutil"
)

// The server deletes a stream that it cannot open, and here it cannot make a file of no bytes while an
// owner starts: what was acknowledged and is in no archive yet is there again with the next start.
func TestServerThatOpensNothing(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	w.keepsTime()
	steps := append(promptedTimes("s1", "before", 3), step{Kill: true}, step{Remove: "archive"}, prompted("s1", "meanwhile."), step{Appears: "owner.failed"}, step{Mark: ptrace.Healed}, step{Remove: "owner.failed"}, prompted("s1", "after."))
	recording, _ := w.followed(steps, ptrace.Plan{
		Part: "/JOURNAL_1/_test_", From: 2, // the first owner makes and removes one too
		Rates: map[ptrace.Call]ptrace.Chance{ptrace.Creating: {OneIn: 1, Errors: []string{"ENOSPC"}}},
	}, true)
	if len(recording.Faults) == 0 {
		t.Fatal("nothing failed")
	}
	w.env = append(w.env, alone[0]) // no owner outlives the test
	c := &cuts{world: w}
	if problem := c.judge(w, []string{"before-0.", "before-1.", "before-2.", "meanwhile.", "after."}, nil); problem != "" {
		t.Error(problem)
	}
}

// From some call on nothing of the store can be opened and nothing made: an owner that starts then
// takes none of it for damage, and everything is there afterwards. Without JOURNAL_TORTURE a few
// places are drawn.
func TestFailingOpeningBattery(t *testing.T) {
	t.Parallel()
	const calls = 330 // of two owners; more fail nowhere
	chance := rand.New(rand.NewPCG(seedOf(t), 6))
	gate := make(chan struct{}, 6) // each has its processes
	for _, from := range chance.Perm(calls)[:min(calls, max(4, tortured(t, 0)))] {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			t.Parallel()
			gate <- struct{}{}
			defer func() { <-gate }()
			w := newHome(t)
			w.keepsTime()
			steps := append(promptedTimes("s1", "before", 3), stops, prompted("s1", "meanwhile."), step{Mark: ptrace.Healed}, step{Remove: "owner.failed"}, prompted("s1", "after."))
			recording, _ := w.followed(steps, ptrace.Plan{
				Part: "/store/", From: from,
				Rates: map[ptrace.Call]ptrace.Chance{ptrace.Opening: {OneIn: 1, Errors: []string{"EMFILE"}}, ptrace.Creating: {OneIn: 1, Errors: []string{"ENOSPC"}}},
			}, true)
			if log := w.logFile(); strings.Contains(log, "is rebuilt") {
				t.Errorf("after %v:\n%s", recording.Faults, log)
			}
			w.env = append(w.env, alone[0])
			c := &cuts{world: w}
			if problem := c.judge(w, []string{"before-0.", "before-1.", "before-2.", "meanwhile.", "after."}, nil); problem != "" {
				t.Error(problem)
			}
		})
	}
}

// A power cut in the middle of a write leaves a newest record whose checksum does not hold, where a
// file system makes a file longer before it writes the bytes. That may happen more than once a
// day: it is mended each time.
func TestInterruptedWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "0"))
	for range 2 {
		if err := w.owner().Kill(); err != nil {
			t.Fatal(err)
		}
		testutil.Eventually(t, "the owner is gone", func() bool { return w.status().Owner == nil })
		found, err := filepath.Glob(filepath.Join(w.dir, "store", "jetstream", "*", "streams", "*", "msgs", "*.blk"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		f, err := os.OpenFile(found[0], os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		fi, err := f.Stat()
		if err == nil {
			_, err = f.WriteAt(make([]byte, 8), fi.Size()-8)
		}
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		// Nobody remembers a record that was not acknowledged.
		if err := os.Remove(filepath.Join(w.dir, "head")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		w.hook(prompt("s1", "again"))
		if out, errOut, code := w.run("", "log", "--type", "prompt.submitted"); code != cli.ExitOK {
			t.Fatalf("log ends with %d: %s%s\n%s", code, out, errOut, w.logFile())
		}
	}
}

// A report that the disk does not give holds up none of those behind it, and is taken when it can be
// read.
func TestUnreadableReport(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	w.keepsTime()
	made := filepath.Join(t.TempDir(), "made")
	if err := os.MkdirAll(filepath.Join(made, "spool"), 0o700); err != nil {
		t.Fatal(err)
	}
	const name = "00000000-%016x-file-%d.ev"
	for n := 1; n <= 3; n++ {
		report := fmt.Sprintf(`{"type":"note.recorded","data":{"text":"waits-%d."},"session":"s"}`, n)
		file := fmt.Sprintf("journal-spool 1 json %d %x\n%s", len(report), sha256.Sum256([]byte(report)), report)
		if err := os.WriteFile(filepath.Join(made, "spool", fmt.Sprintf(name, n, n)), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	steps := []step{{Copy: made}, prompted("s", "first."), reads, {Mark: ptrace.Healed}, reads}
	_, said := w.followed(steps, ptrace.Plan{
		Part:  "/spool/" + fmt.Sprintf(name, 1, 1),
		Rates: map[ptrace.Call]ptrace.Chance{ptrace.Opening: {OneIn: 1, Errors: []string{"EIO"}}},
	}, true)
	for _, word := range []string{"waits-2.", "waits-3.", "first."} {
		if !strings.Contains(said[2].Out, word) {
			t.Errorf("%s is held up: %s%s", word, said[2].Out, said[2].Err)
		}
	}
	if strings.Contains(said[2].Out, "waits-1.") || !strings.Contains(said[4].Out, "waits-1.") {
		t.Errorf("what could not be read is in the log first\n%s\nand then\n%s\n%s", said[2].Out, said[4].Out, w.logFile())
	}
}

// A server whose disk failed to sync answers nothing any more. Nobody waits for it: it is asked how it
// is, and left.
func TestServerThatStoresNothing(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	w.env = append(w.env, ownPace+"=5") // a busy machine spools the first prompt within the budget, and nothing fails
	steps := []step{prompted("s1", "first."), prompted("s1", "second."), {Mark: ptrace.Healed}, {Remove: "owner.failed"}, prompted("s1", "third.")}
	recording, _ := w.followed(steps, ptrace.Plan{
		Part: "/msgs/", Rates: map[ptrace.Call]ptrace.Chance{ptrace.Syncing: {OneIn: 1, Errors: []string{"EIO"}}},
	}, true)
	if log := w.logFile(); len(recording.Faults) == 0 || !strings.Contains(log, "the store takes no writes") || strings.Contains(log, "deadline exceeded") {
		t.Errorf("after %v:\n%s", recording.Faults, log)
	}
	w.env = append(w.env, alone[0])
	c := &cuts{world: w}
	if problem := c.judge(w, []string{"first.", "second.", "third."}, nil); problem != "" {
		t.Error(problem)
	}
}
