package catalogue_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/projections"
)

// writerDir names the directory of a process that writes tables until it is killed.
const writerDir = "CATALOGUE_TEST_WRITER"

// TestWriter is that process.
func TestWriter(t *testing.T) {
	dir := os.Getenv(writerDir)
	if dir == "" {
		t.Skip("only for TestKilledWriter")
	}
	log := sessions(t)
	k := catalogue.Keeper{Dir: dir, Config: func() projections.Config { return projections.Config{} }}
	for n := len(log.records) / 2; n <= len(log.records); n++ {
		k.Log = log.first(n)
		if err := k.Keep(t.Context(), 1, func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		fmt.Println("kept")
	}
	select {} // its parent ends it
}

// sessions is a log whose table is some hundred kilobytes long.
func sessions(t *testing.T) stored {
	log := stored{name: "JOURNAL_1"}
	for i := range 1000 {
		log.add(t, events.PromptSubmitted{Text: fmt.Sprint("request ", i)}, events.Meta{ID: events.DerivedID("killed", fmt.Sprint(i)), Project: "p", Session: fmt.Sprint(i), At: int64(i + 1)})
	}
	return log
}

// Wherever the owner was when it was killed, the answer is that of the log, and the next owner's table is whole and alone.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	log := sessions(t)
	want := shown(t, "", log)
	dir := t.TempDir()
	for range 8 {
		c := exec.Command(os.Args[0], "-test.run=^TestWriter$")
		c.Env = append(os.Environ(), writerDir+"="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for left := rand.IntN(40) + 1; left > 0 && lines.Scan(); left-- {
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it was killed
		if catalogue.Kept(t.Context(), dir, log) == nil {
			t.Fatal("no table of before is whole")
		}
		if got := shown(t, dir, log); got != want {
			t.Fatal("the table of a killed owner says something else than the log")
		}
	}
	aside := filepath.Join(dir, catalogue.Name+".new") // what the last one may have left, for certain
	if err := os.WriteFile(aside, []byte("half of a ta"), 0o600); err != nil {
		t.Fatal(err)
	}
	keep(t, dir, log)
	if catalogue.Kept(t.Context(), dir, log) == nil || shown(t, dir, log) != want {
		t.Error("no whole table was written")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("beside the table lie %v, error %v", left, err)
	}
}
