package rebuild_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/embedded/store/archive"
	"journal/events"
	marks "journal/journal/forgotten"
)

// No file of the directory has a forgotten event, also no replaced copy, and all other events keep their sequences (ADR-0017).
func TestWhatIsForgottenIsGone(t *testing.T) {
	t.Parallel()
	es := wishes(t, 30, 10)
	const secret = "the name of a customer"
	for _, i := range []int{4, 20} {
		e, err := events.Wrap(events.PromptSubmitted{Text: "write to " + secret}, es[i].Meta)
		if err != nil {
			t.Fatal(err)
		}
		es[i] = e
	}
	w := newWorld(t, 3, es...)
	w.rebuild(rebuild.Options{}) // leaves a copy with the words in it
	if !holds(t, w.dir, secret) {
		t.Fatal("nothing holds the words that are to be forgotten")
	}
	r := w.rebuild(rebuild.Options{Reason: "asked for by match", Forget: func(e events.Envelope) bool { return rebuild.Mentions(e, secret) }})
	if r.Forgotten != 2 || !r.Archive {
		t.Errorf("result %+v", r)
	}
	if holds(t, w.dir, secret) {
		t.Error("a file still holds the words")
	}
	if left := rebuild.Suspects(w.dir); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	w.wantKept(map[uint64]events.Type{5: forgotten, 21: forgotten}, repaired)
	if i := w.inspect(); !i.OK {
		t.Errorf("after: %+v", i)
	}
	// The marks reveal nothing about the removed events.
	got, _ := w.log()
	if m := got[4].Meta; m.Session != events.None || m.Project != events.None || m.Agent != "" || m.At == es[4].At {
		t.Errorf("the mark says %+v", m)
	}
	// Marks stay for any selection.
	if r := w.rebuild(rebuild.Options{Reason: "all", Forget: func(events.Envelope) bool { return true }}); r.Forgotten != 28 {
		t.Errorf("forgot %d, want 28", r.Forgotten)
	}
}

// A session is forgotten even if the archive is behind or has it at other sequences, and not if a copy is damaged.
func TestForgetASession(t *testing.T) {
	t.Parallel()
	es := wishes(t, 600, 16_000)
	for i := 300; i < 310; i++ {
		es[i].Session = "gone"
	}
	gone, stored := rebuild.Selection{Session: "gone"}, newWorld(t, 0, es...)
	for what, change := range map[string]func(*world){
		"whole": func(*world) {},
		"archive behind": func(w *world) {
			remove(t, w.path("archive"))
			w.archive(305)
		},
		"archive with it elsewhere": func(w *world) {
			kept := w.all[6]
			w.all[6] = w.all[305]
			remove(t, w.path("archive"))
			w.archive(600)
			w.all[6] = kept
		},
	} {
		w := stored.duplicate(t)
		change(w)
		if r := w.rebuild(rebuild.Options{Reason: gone.Reason(), Forget: gone.Selects}); r.Forgotten != 10 || !r.Archive {
			t.Errorf("%s: result %+v", what, r)
		}
		marks := map[uint64]events.Type{}
		for i := 300; i < 310; i++ {
			marks[uint64(i+1)] = forgotten
		}
		w.wantKept(marks)
		if i := w.inspect(); !i.OK {
			t.Errorf("%s: after: %+v", what, i)
		}
		for r, err := range archive.Read(t.Context(), w.path("archive"), 0) {
			if err != nil || r.Subject == w.all[305].Subject {
				t.Errorf("%s: #%d: the archive holds it, or cannot be read: %v", what, r.Seq, err)
			}
		}
	}
	for _, damage := range []func(*world){(*world).damageArchive, func(w *world) { w.flip(4) }} {
		w := stored.duplicate(t)
		damage(w)
		_, err := rebuild.Rebuild(t.Context(), w.lock, rebuild.Options{Forget: gone.Selects})
		testutil.WantError(t, err, rebuild.ErrDamaged)
	}
}

// TestASessionOfTwoProjects: a session whose events of one project are removed goes on in the other, so an import still adds its rows.
func TestASessionOfTwoProjects(t *testing.T) {
	t.Parallel()
	es, long := wishes(t, 6, 10), strings.Repeat("긴", 100) // two events of each of three sessions
	es[4].Project = "q"
	es[2].Session, es[5].Session = "셋 *.> "+long, "셋 *.> "+long // of a subject that names it in part
	log, err := copies.Offline(t.Context(), newWorld(t, 0, es...).dir)
	if err != nil {
		t.Fatal(err)
	}
	digests, err := marks.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, n, err := (rebuild.Selection{Project: "p"}).Collect(t.Context(), log, digests); n != 5 || err != nil {
		t.Fatalf("%d events, %v", n, err)
	}
	for session, whole := range map[string]bool{"s0": true, "s1": false, es[2].Session: true} {
		if digests.HasSession(session) != whole {
			t.Errorf("%s counts as removed: %v, want %v", session, !whole, whole)
		}
	}
}

// Forgetting an event in one of many archive segments leaves the other files unchanged, and no file has the event.
func TestForgetInOneSegment(t *testing.T) {
	t.Parallel()
	es := wishes(t, 900, 16_000)
	w := newWorld(t, 0, es...)
	before, err := filepath.Glob(w.path("archive", "*.zst"))
	if err != nil || len(before) < 3 {
		t.Fatalf("%d segments, error %v", len(before), err)
	}
	was := map[string][]byte{}
	for _, path := range before {
		if was[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	secret := "wish 301 "
	if r := w.rebuild(rebuild.Options{Reason: "asked for by match", Forget: func(e events.Envelope) bool { return rebuild.Mentions(e, secret) }}); r.Forgotten != 1 || !r.Archive {
		t.Errorf("result %+v", r)
	}
	w.wantKept(map[uint64]events.Type{301: forgotten})
	if i := w.inspect(); !i.OK {
		t.Errorf("after: %+v", i)
	}
	others := 0
	for path, b := range was {
		if is, err := os.ReadFile(path); err != nil || !bytes.Equal(is, b) {
			others++
		}
	}
	if others != 1 {
		t.Errorf("%d of %d segments are others", others, len(was))
	}
	for r, err := range archive.Read(t.Context(), w.path("archive"), 0) {
		if err != nil || bytes.Contains(r.Data, []byte(secret)) {
			t.Errorf("#%d: the archive holds it, or cannot be read: %v", r.Seq, err)
		}
	}
}

// No file has a redacted secret any more, and its event keeps its sequence, id and subject (ADR-0017 rule 6).
func TestWhatIsRedactedIsGone(t *testing.T) {
	t.Parallel()
	es := wishes(t, 30, 10)
	const secret = "open sesame"
	e, err := events.Wrap(events.PromptSubmitted{Text: "say " + secret + " there"}, es[7].Meta)
	if err != nil {
		t.Fatal(err)
	}
	es[7] = e
	w := newWorld(t, 3, es...)
	w.rebuild(rebuild.Options{}) // leaves a copy with the words in it
	r := w.rebuild(rebuild.Options{Reason: "asked for by secrets", Redact: func(e events.Envelope) (events.Envelope, bool, error) {
		if !rebuild.Mentions(e, secret) {
			return e, false, nil
		}
		e, err := events.MapEnvelope(e, func(s string) string { return strings.ReplaceAll(s, secret, "[redacted:password]") })
		return e, true, err
	}})
	if r.Forgotten != 0 || !r.Archive {
		t.Errorf("result %+v", r)
	}
	if holds(t, w.dir, secret) || len(rebuild.Suspects(w.dir)) > 0 {
		t.Error("a file still holds the words")
	}
	if i := w.inspect(); !i.OK {
		t.Errorf("after: %+v", i)
	}
	got, _ := w.log()
	if m := got[7].Meta; m.ID != es[7].ID || m.Type != es[7].Type || m.Session != es[7].Session || m.At != es[7].At {
		t.Errorf("the event is %+v, was %+v", m, es[7].Meta)
	}
	if ev, err := events.Open(got[7]); err != nil || ev != (events.PromptSubmitted{Text: "say [redacted:password] there"}) {
		t.Errorf("%+v, error %v", ev, err)
	}
}

// Forgetting deletes replaced copies, but never damaged ones.
func TestADamagedLogForgetsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	w.flip(4)
	_, err := rebuild.Rebuild(t.Context(), w.lock, rebuild.Options{Reason: "test", Forget: func(events.Envelope) bool { return true }})
	testutil.WantError(t, err, rebuild.ErrDamaged)
	w.rebuild(rebuild.Options{})
	w.wantKept(nil, repaired)
}

// holds reports whether a file below a directory has a text.
func holds(t *testing.T, dir, text string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		found = found || bytes.Contains(b, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
