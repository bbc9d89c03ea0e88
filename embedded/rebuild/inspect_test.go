package rebuild_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"journal/embedded/rebuild"
	"journal/events"
	"journal/journal"
	"journal/journal/spool"
)

// Records that an owner writes during an inspection are no damage, whichever copy has them first.
func TestInspectWhileAnOwnerWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5, wishes(t, 40, 1000)...)
	w.open(func(l *journal.Log) {
		done := make(chan error, 1)
		go func() {
			for _, e := range wishes(t, 300, 1000) {
				if _, _, err := l.Append(t.Context(), e); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for looks := 0; ; looks++ {
			select {
			case err := <-done:
				if err != nil || looks == 0 {
					t.Errorf("%d looks, error %v", looks, err)
				}
				return
			default:
				if i := w.inspect(); !i.OK || i.Last < 40 {
					t.Errorf("look %d: %+v", looks, i)
				}
			}
		}
	})
	if i := w.inspect(); !i.OK || i.Events != 340 || i.First != 1 || i.Last != 340 {
		t.Errorf("in the end: %+v", i)
	}
}

// A log that an owner is creating is not damaged, although some of its files are missing.
func TestInspectWhileAnOwnerStarts(t *testing.T) {
	t.Parallel()
	for range 10 {
		w := &world{t: t, dir: filepath.Join(t.TempDir(), "j")}
		w.own()
		made := make(chan struct{})
		go func() {
			defer close(made)
			w.open(func(*journal.Log) {})
		}()
		for open := true; open; {
			select {
			case <-made:
				open = false
			default:
				if i := w.inspect(); !i.OK {
					t.Errorf("while the log is made: %+v", i)
				}
			}
		}
	}
}

// An empty directory is reported as empty, and nothing is created.
func TestInspectOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	i, err := rebuild.Inspect(t.Context(), dir, nil)
	if err != nil || !i.OK || i.Bad == nil {
		t.Errorf("%+v, %v", i, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("made %v, %v", names, err)
	}
}

// Broken spool files are faults, those of a newer program are not. The former are set aside, where forget searches them.
func TestTheSpoolIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	d := spool.Open(w.path("spool"))
	if _, err := d.Put(events.NewID(), spool.JSON, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	for i, content := range []string{"journal-spool 1 json 900 abc\nof a customer", "journal-spool 7 words\n"} {
		name := fmt.Sprintf("00000000-%016x-%s.ev", i, events.NewID())
		if err := os.WriteFile(w.path("spool", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i := w.inspect()
	if i.OK || i.Repairable() || len(i.Bad) != 1 || i.Bad[0].Where != "spool" || i.Spool != (rebuild.SpoolSummary{Files: 3, Broken: 1, Newer: 1}) {
		t.Errorf("%+v", i)
	}
	if n, err := rebuild.SetAside(w.dir); n != 1 || err != nil {
		t.Fatalf("set %d aside, %v", n, err)
	}
	if i := w.inspect(); !i.OK || i.Spool != (rebuild.SpoolSummary{Files: 2, Aside: 1, Newer: 1}) {
		t.Errorf("%+v", i)
	}
	for words, want := range map[string]int{"a customer": 1, "another": 0} {
		found, err := rebuild.Selection{Match: words, Before: wishes(t, 1, 1)[0].Time()}.Aside(w.dir)
		if err != nil || len(found) != 0 {
			t.Errorf("%s, before it was written: %q, %v", words, found, err)
		}
		found, err = rebuild.Selection{Match: words}.Aside(w.dir)
		if err != nil || len(found) != want {
			t.Errorf("%s: %q, %v; want %d", words, found, err, want)
		}
		if err := rebuild.RemoveAside(found); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := os.ReadDir(w.path("spool", "aside")); err != nil || len(names) > 0 {
		t.Errorf("left %v, %v", names, err)
	}
}
