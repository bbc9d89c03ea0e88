package catalogue_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/projections"
	"journal/replay/search"
)

// writerDir is the variable with the directory of a process that writes tables until it is killed, or words if writerWords is set.
const (
	writerDir   = "CATALOGUE_TEST_WRITER"
	writerWords = "CATALOGUE_TEST_WORDS"
)

// TestWriter is that process.
func TestWriter(t *testing.T) {
	dir := os.Getenv(writerDir)
	if dir == "" {
		t.Skip("only for TestKilledWriter")
	}
	k := catalogue.Keeper{Dir: dir, Config: func() projections.Config { return projections.Config{} }}
	if os.Getenv(writerWords) != "" {
		log := talks(t, 1, 600)
		for n := search.RowSpan; n <= len(log.records); n += search.RowSpan {
			k.Log = log.first(n)
			fmt.Println("begun")
			if err := k.KeepWords(t.Context(), 1, always); err != nil {
				t.Fatal(err)
			}
		}
		select {} // its parent ends it
	}
	log := sessions(t)
	for n := len(log.records) / 2; n <= len(log.records); n++ {
		k.Log = log.first(n)
		if err := k.Keep(t.Context(), 1, func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		fmt.Println("kept")
	}
	select {} // its parent ends it
}

// sessions returns a log whose table has some hundred kilobytes.
func sessions(t *testing.T) stored {
	log := stored{name: "JOURNAL_1"}
	for i := range 1000 {
		log.add(t, events.PromptSubmitted{Text: fmt.Sprint("request ", i)}, events.Meta{ID: events.DerivedID("killed", fmt.Sprint(i)), Project: "p", Session: fmt.Sprint(i), At: int64(i + 1)})
	}
	return log
}

// After a kill at any moment readers get the same as from the log, and the next owner's table is whole and the only file.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	log := sessions(t)
	want := shown(t, "", log)
	dir := t.TempDir()
	for range 8 {
		killWriter(t, dir, rand.IntN(40)+1, 0)
		if catalogue.Cached(t.Context(), dir, log) == nil {
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
	if catalogue.Cached(t.Context(), dir, log) == nil || shown(t, dir, log) != want {
		t.Error("no whole table was written")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("beside the table lie %v, error %v", left, err)
	}
}

// killWriter starts a writer, and kills it some time after it has printed some lines.
func killWriter(t *testing.T, dir string, lines int, after time.Duration, env ...string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestWriter$")
	c.Env = append(append(os.Environ(), writerDir+"="+dir), env...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for printed := bufio.NewScanner(out); lines > 0 && printed.Scan(); lines-- {
	}
	<-time.After(after)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
}

// After a kill at any moment, and any damage of the file, searches find the same as without the words, and the next owner completes them.
func TestKilledWriterOfWords(t *testing.T) {
	t.Parallel()
	log := talks(t, 1, 600)
	want := answered(t, "", log)
	path := func(dir string) string { return filepath.Join(dir, catalogue.WordsName) }
	for what, damage := range map[string]func(b []byte) []byte{
		"as it was left":             func(b []byte) []byte { return b },
		"with a flipped bit":         func(b []byte) []byte { b[rand.IntN(len(b))] ^= 1 << rand.IntN(8); return b },
		"truncated":                  func(b []byte) []byte { return b[:rand.IntN(len(b))] },
		"with a page of zeros":       func(b []byte) []byte { clear(b[rand.IntN(len(b))/4096*4096:][:4096]); return b },
		"of another program":         func([]byte) []byte { return []byte("something else") },
		"with the end written twice": func(b []byte) []byte { return append(b, b[len(b)/2:]...) },
	} {
		dir := t.TempDir()
		for range 2 {
			killWriter(t, dir, rand.IntN(9)+1, time.Duration(rand.IntN(3000))*time.Microsecond, writerWords+"=1")
			b, err := os.ReadFile(path(dir))
			if len(b) > 0 {
				err = os.WriteFile(path(dir), damage(b), 0o600)
			} else if errors.Is(err, fs.ErrNotExist) {
				err = nil // it was killed before
			}
			if diff := cmp.Diff(want, answered(t, dir, log)); err != nil || diff != "" {
				t.Fatalf("%s: %v (-without +with):\n%s", what, err, diff)
			}
		}
		keepWords(t, dir, log, always) // finds it out
		keepWords(t, dir, log, always)
		if until := keptUntil(t, dir, log); until != uint64(len(log.records)/search.RowSpan*search.RowSpan) {
			t.Errorf("%s: made anew up to %d", what, until)
		}
		if diff := cmp.Diff(want, answered(t, dir, log)); diff != "" {
			t.Errorf("%s, made anew (-without +with):\n%s", what, diff)
		}
	}
}
