package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/embedded/store/ownership"
)

// newer links the programs as later ones would be, with a wire version and a format of
// the directory that these do not know, into a directory.
var newer = sync.OnceValues(func() (string, error) {
	return linked("later", "-s -w -X journal/journal/wire/frame.built=2 -X journal/journal/wire.later=x -X journal/events.later=x")
})

// An upgrade while sessions run: hooks of two versions and owners of two versions
// meet, and every event is in the log once (ADR-0004 rule 8).
func TestVersionSkew(t *testing.T) {
	t.Parallel()
	later, err := newer()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("new hook, old owner", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.hook(prompt("s1", "0"))
		first := w.owner().Pid
		w.use(later)
		w.hook(prompt("s1", "1"))
		testutil.Eventually(t, "the old owner makes way for one of the new version", func() bool {
			w.hook(prompt("s2", "again"))
			s := w.status()
			return s.Owner != nil && s.Owner.PID != first
		})
		w.hook(prompt("s1", "2"))
		w.use(filepath.Dir(program))
		w.hook(prompt("s1", "3"))
		if s := w.status(); s.Aside != 0 {
			t.Errorf("%d reports set aside", s.Aside)
		}
		if got := w.prompts("--session", "s1"); !slices.Equal(got, []string{"0", "1", "2", "3"}) {
			t.Errorf("prompts %q", got)
		}
	})
	t.Run("old hook, new owner", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.use(later)
		w.hook(prompt("s1", "0"))
		owner := w.owner().Pid
		w.use(filepath.Dir(program))
		w.hook(prompt("s1", "1"))
		w.once(2)
		if now := w.owner().Pid; now != owner {
			t.Error("an older hook made the newer owner leave")
		}
	})
	t.Run("new spool, old owner", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.use(later)
		w.env = append(w.env, "JOURNAL_OWNER=never-spawn")
		w.hook(prompt("s1", "0"))
		w.use(filepath.Dir(program))
		w.env = w.env[:len(w.env)-1]
		w.hook(prompt("s1", "1"))
		w.owner()
		s := w.status()
		if s.Spooled != 1 || s.Aside != 0 {
			t.Errorf("%d reports in the spool and %d aside, want one that waits", s.Spooled, s.Aside)
		}
		if s.Healthy || len(s.Problems) == 0 || !strings.Contains(strings.Join(s.Problems, "\n"), "newer") {
			t.Errorf("status does not say that a newer program is needed: %q", s.Problems)
		}
		w.use(later)
		testutil.Eventually(t, "the spool is empty", func() bool {
			w.hook(prompt("s2", "again"))
			return w.status().Spooled == 0
		})
		if got := w.prompts("--session", "s1"); !slices.Equal(got, []string{"1", "0"}) {
			t.Errorf("prompts %q, want each once, the newer program's when one could read it", got)
		}
	})
}

// An older program that does not know the format of a directory fails to start an owner, and says
// so for itself alone: the newer one starts an owner at its next hook (ADR-0004 rule 7).
func TestOlderProgramFails(t *testing.T) {
	t.Parallel()
	later, err := newer()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.use(later)
	w.hook(prompt("s1", "0"))
	w.once(1)
	w.run("", "stop")
	w.use(filepath.Dir(program))
	w.hook(prompt("s1", "1"))
	failed := filepath.Join(w.dir, "owner.failed")
	testutil.Eventually(t, "the older program says that it failed", func() bool {
		b, err := os.ReadFile(failed)
		return err == nil && strings.HasSuffix(string(b), "upgrade journal\n") && !ownership.Held(w.dir)
	})
	if s := w.status(); !strings.Contains(strings.Join(s.Problems, "\n"), "this program knows 3: made by a newer version: upgrade journal, says journal ") {
		t.Errorf("status says %q", s.Problems)
	}
	now := time.Now() // however long the above took
	if err := os.Chtimes(failed, now, now); err != nil {
		t.Fatal(err)
	}
	w.use(later)
	w.hook(prompt("s1", "2"))
	testutil.Eventually(t, "an owner of the newer program", func() bool { return w.status().Owner != nil })
	w.once(3)
}
