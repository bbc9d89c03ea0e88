package owner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/owner"
	"journal/embedded/store/archive"
	"journal/events"
	"journal/journal/record"
	"journal/journal/wire"
)

// copied gives the archive's records, which have to be whole.
func copied(t testing.TB, dir string) (all []record.Record) {
	t.Helper()
	for r, err := range archive.Read(context.Background(), filepath.Join(dir, "archive"), 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// sameAsLog compares the archive with the log byte for byte.
func sameAsLog(t testing.TB, h *home) {
	t.Helper()
	all, n := copied(t, h.dir), 0
	for m, err := range h.o.Log().Stored(context.Background(), events.Span{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n >= len(all) {
			t.Fatalf("the archive ends before #%d", m.Seq)
		}
		if r := all[n]; r.Seq != m.Seq || r.ID != m.ID || r.Subject != m.Subject || string(r.Data) != string(m.Data) {
			t.Fatalf("#%d is another record in the archive: #%d %s", m.Seq, r.Seq, r.ID)
		}
		n++
	}
	if n != len(all) || n == 0 {
		t.Fatalf("%d records for %d events", len(all), n)
	}
}

// TestSecondCopy: the archive follows the log, also in a message that is no
// event, over a restart, and status says how far it is (ADR-0012 rule 8).
func TestSecondCopy(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	for n := range 5 {
		h.handle(prompt(t, about(time.Duration(n)*time.Minute), numbered(n)))
	}
	nc := h.dial()
	if err := nc.PublishMsg(&nats.Msg{Subject: wire.Status, Reply: "journal.guest.none.note"}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	h.handle(prompt(t, about(0), "two"))
	testutil.Eventually(t, "the archive has the log's head", func() bool {
		s := h.status()
		return s.Last > 5 && s.Archived == s.Last
	})
	sameAsLog(t, h)
	h.restart()
	h.handle(prompt(t, about(0), "three"))
	h.restart()
	sameAsLog(t, h)
	r, err := archive.Check(context.Background(), filepath.Join(h.dir, "archive"))
	if err != nil || len(r.Damage) > 0 || r.Segments != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSecondCopyIsSealedInQuiet: when nothing comes for a while the newest segment is
// compressed, and what comes then goes into the same one (ADR-0050 rule 7).
func TestSecondCopyIsSealedInQuiet(t *testing.T) {
	t.Parallel()
	h := homeIn(t, ownertest.Dir(t), owner.Config{Quiet: time.Millisecond})
	segments := func(pattern string) int {
		names, err := filepath.Glob(filepath.Join(h.dir, "archive", pattern))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	for n := range 3 {
		h.handle(prompt(t, about(time.Duration(n)*time.Minute), numbered(n)))
		last := uint64(n + 1)
		testutil.Eventually(t, "the segment is sealed", func() bool {
			return segments("*.open") == 0 && segments(fmt.Sprintf("*-%016x.zst", last)) == 1
		})
	}
	sameAsLog(t, h)
	if n := segments("*"); n != 1 {
		t.Errorf("%d files, want one", n)
	}
}

// TestSecondCopyOfEveryAppend: whatever is appended, the archive has it soon after,
// also when nothing is appended after it.
func TestSecondCopyOfEveryAppend(t *testing.T) {
	t.Parallel()
	c := newAgent(t)
	remember(c.home)
	e := restarted(t, time.Minute)
	var text string
	nc := c.dial()
	for _, step := range []struct {
		name   string
		append func()
	}{
		{"what stands", func() {}},
		{"a report", func() { c.handle(prompt(t, about(0), "one"), prompt(t, about(0), "two")) }},
		{"a project's path", func() {
			r := request(t, prompt(t, about(0), "three"))
			r.Root = "/src/p"
			if reply := c.o.Handle(t.Context(), r); len(reply.Seqs) != 1 {
				t.Errorf("reply %+v", reply)
			}
		}},
		{"a script's event", func() {
			c.ask(wire.Append, []byte(`{"type":"checkpoint.recorded","data":{"summary":"x"}}`))
		}},
		{"the spool", func() { c.leave(0, prompt(t, about(0), "four")); c.drain() }},
		{"many events", func() {
			var all []events.Envelope
			for i := range 100 {
				all = append(all, prompt(t, about(0), numbered(i)))
			}
			c.handle(all...)
		}},
		{"what is answered", func() { c.handle(e) }},
		{"an answer", func() {
			text = c.o.Handle(t.Context(), wire.Request{Wire: wire.Version, Answer: owed(e)}).Text
		}},
		{"a receipt", func() {
			c.write(map[string]any{"type": "system", "subtype": "compact_boundary", "uuid": "b1"})
			c.arrives(text)
			c.confirm()
		}},
	} {
		before := c.o.Head()
		step.append()
		if c.o.Head() == before && step.name != "what stands" {
			t.Errorf("%s: nothing was appended", step.name)
		}
		testutil.Eventually(t, "the archive has "+step.name, func() bool {
			m, err := nc.Request(wire.Status, nil, testutil.Patience)
			if err != nil {
				t.Fatal(err)
			}
			var s wire.StatusReply
			if err := wire.Decode(m.Data, &s); err != nil {
				t.Fatal(err)
			}
			return s.Archived == s.Last
		})
	}
	sameAsLog(t, c.home)
}

// TestStopSeals: at a stop the archive is complete and sealed (ADR-0012 rule 8).
func TestStopSeals(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(prompt(t, about(0), "one"), prompt(t, about(0), "two"))
	h.close()
	r, err := archive.Check(context.Background(), filepath.Join(h.dir, "archive"))
	if err != nil || len(r.Damage) > 0 || r.Open || r.Last < 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestArchiveAhead: an archive that holds more than the log says that the store
// lost acknowledged events; it is reported and not written over (ADR-0012 rule 9).
func TestArchiveAhead(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*record.Record){
		"acknowledged events are lost": nil,
		"differ at #":                  func(r *record.Record) { r.Data = []byte("other") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.handle(prompt(t, about(0), "one"))
			h.close()
			all := copied(t, h.dir)
			dir := filepath.Join(h.dir, "archive")
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			w, err := archive.Open(dir, archive.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if alter == nil {
				all = append(all, record.Record{Seq: uint64(len(all)) + 1, Subject: "journal.p.s.x"})
			} else {
				alter(&all[len(all)-1])
			}
			for _, r := range all {
				if err := w.Append(r); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			h.open()
			h.serve()
			testutil.Eventually(t, "status says so", func() bool { return strings.Contains(h.status().Problem, name) })
			h.handle(prompt(t, about(0), "two"))
			h.close()
			if got := copied(t, h.dir); len(got) != len(all) {
				t.Errorf("%d records, had %d", len(got), len(all))
			}
		})
	}
}

// TestArchiveFails: an archive that cannot be written stops no append, and is
// caught up when it can be (ADR-0012 rule 9).
func TestArchiveFails(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	blocked := filepath.Join(dir, "archive")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := homeIn(t, dir, owner.Config{})
	h.serve()
	h.handle(prompt(t, about(0), "one"))
	testutil.Eventually(t, "status says so", func() bool { return strings.Contains(h.status().Problem, "second copy") })
	h.handle(prompt(t, about(0), "two"))
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	testutil.Eventually(t, "the archive catches up", func() bool {
		s := h.status()
		return s.Archived == s.Last
	})
	sameAsLog(t, h)
}
