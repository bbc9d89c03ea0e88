package owner_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// status asks the owner over the socket.
func (h *home) status() wire.StatusReply {
	h.t.Helper()
	var s wire.StatusReply
	if err := wire.Decode(h.ask(wire.Status, nil), &s); err != nil {
		h.t.Fatal(err)
	}
	return s
}

func reply(t testing.TB, b []byte) wire.Reply {
	t.Helper()
	var r wire.Reply
	if err := wire.Decode(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStatus(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(report(t, about(0), events.TurnEnded{}, events.PromptSubmitted{})...)
	h.serve()
	s := h.status()
	if s.Wire != wire.Version || s.PID != os.Getpid() || s.Version != "test" || s.Events != 2 || s.First != 1 || s.Last != 2 ||
		s.Bytes == 0 || s.Deleted != 0 || s.Spooled != 0 || s.Aside != 0 || s.Problem != "" {
		t.Errorf("status %+v", s)
	}
	if since := time.Since(time.Unix(0, s.Since)); since < 0 || since > time.Hour {
		t.Errorf("owner since %v", since)
	}
	h.foreignFile(1, "broken")
	h.foreignFile(2, content(2, "json", "{}"))
	h.ask(wire.Drain, nil)
	if s := h.status(); s.Spooled != 1 || s.Aside != 1 || s.Problem == "" {
		t.Errorf("status %+v, want one left and one aside", s)
	}
}

func TestRequestsOverTheSocket(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	newer, err := wire.Encode(wire.Request{Wire: wire.Version + 1})
	if err != nil {
		t.Fatal(err)
	}
	good, err := wire.Encode(request(t, prompt(t, about(0), "x")))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body    string
		stored  int
		refused bool
	}{
		"msgpack":        {string(good), 1, false},
		"newer":          {string(newer), 0, false},
		"garbage":        {"\xc1", 0, true},
		"nothing":        {"", 0, true},
		"json":           {`{"type":"checkpoint.recorded","data":{"summary":"x"}}`, 1, false},
		"json, no type":  {`{"session":"s"}`, 0, true},
		"json, reserved": {`{"type":"notice.sent"}`, 0, true},
		"json, torn":     {`{"type":`, 0, true},
	} {
		b := h.ask(wire.Append, []byte(c.body))
		var r wire.Reply
		if strings.HasPrefix(c.body, "{") {
			if err := json.Unmarshal(b, &r); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else {
			r = reply(t, b)
		}
		if len(r.Seqs) != c.stored || r.Refused != c.refused || (r.Error == "") != (c.stored > 0) || r.Wire != wire.Version {
			t.Errorf("%s: reply %+v", name, r)
		}
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	if r := reply(t, h.ask(wire.Stop, nil)); r.Error != "" {
		t.Errorf("reply %+v", r)
	}
	if err := h.ends(); err != nil {
		t.Error(err)
	}
	h.o.Leave() // again
	h.close()
	if _, err := journal.Connect(t.Context(), h.dir); err == nil {
		t.Error("somebody answers")
	}
	if clean, why := embedded.WasClean(h.dir); !clean {
		t.Error(why)
	}
}

// TestRetire: only a newer program makes an owner leave (ADR-0004 rule 8).
func TestRetire(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	for _, version := range []string{"0", strconv.Itoa(wire.Version), "", "-1", "next", "9999999999999999999999"} {
		if r := reply(t, h.ask(wire.Retire, []byte(version))); !r.Refused {
			t.Errorf("version %q: %+v", version, r)
		}
	}
	h.status()
	if r := reply(t, h.ask(wire.Retire, []byte(strconv.Itoa(wire.Version+1)))); r.Error != "" {
		t.Errorf("reply %+v", r)
	}
	if err := h.ends(); err != nil {
		t.Error(err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.o.Serve(ctx, nil); err != nil {
		t.Error(err)
	}
}

func TestIdleOwnerLeaves(t *testing.T) {
	t.Parallel()
	h := homeIn(t, ownertest.Dir(t), owner.Config{Idle: time.Millisecond})
	h.serve()
	if err := h.ends(); err != nil {
		t.Error(err)
	}
}

// TestConnectedOwnerStays: an owner with a follower is not idle.
func TestConnectedOwnerStays(t *testing.T) {
	t.Parallel()
	h := homeIn(t, ownertest.Dir(t), owner.Config{Idle: time.Millisecond})
	h.served = make(chan error, 1)
	go func() { h.served <- h.o.Serve(context.Background(), nil) }()
	testutil.Eventually(t, "connected", func() bool {
		nc, err := journal.Connect(t.Context(), h.dir)
		if err == nil {
			t.Cleanup(nc.Close)
		}
		return err == nil
	})
	// Two ticks: the spool is looked at once a tick.
	for n := range 2 {
		h.leave(0, prompt(t, about(0), numbered(n)))
		testutil.Eventually(t, "a tick", func() bool { entries, _ := h.waiting(); return entries == 0 })
	}
	select {
	case err := <-h.served:
		h.served = nil
		t.Errorf("left: %v", err)
	default:
	}
}

// TestServeDrains: what waits when the owner comes, and what comes to wait.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.leave(0, prompt(t, about(0), "before"))
	h.serve()
	testutil.Eventually(t, "what waited is drained", func() bool { return len(h.log()) == 1 })
	h.leave(0, prompt(t, about(0), "after"))
	if r := reply(t, h.ask(wire.Drain, nil)); r.Error != "" || len(h.log()) != 2 {
		t.Errorf("reply %+v, %d events", r, len(h.log()))
	}
	h.leave(0, prompt(t, about(0), "in its own time"))
	testutil.Eventually(t, "drained", func() bool { entries, _ := h.waiting(); return entries == 0 })
}

// TestReplaced: an owner whose directory was removed and made anew leaves, and
// the new directory stays as its new owner made it (ADR-0004 rule 5).
func TestReplaced(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(prompt(t, about(0), "old"))
	h.serve()
	h.replaced = true
	if err := os.Rename(h.dir, h.dir+".gone"); err != nil {
		t.Skip(err) // Windows keeps what is open
	}
	if err := ownership.Prepare(h.dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(h.dir, "owner.lock"), "")
	r := request(t, prompt(t, about(0), "new"))
	if err := client.Open(h.dir, client.Options{}).Save(r); err != nil {
		t.Fatal(err)
	}
	before := tree(t, h.dir)

	// Until it notices, the spool of the new directory is not its own either.
	if err := h.o.Drain(t.Context()); err == nil {
		t.Error("drained the spool of another directory")
	}
	testutil.WantError(t, h.ends(), ownership.ErrReplaced)
	testutil.WantError(t, h.o.Close(), ownership.ErrReplaced)
	if after := tree(t, h.dir); after != before {
		t.Errorf("the new directory held\n%s\nand now\n%s", before, after)
	}
	if err := h.lock.Release(); err != nil {
		t.Error(err)
	}
}

// tree lists the files below dir with their contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		b.WriteString(strings.TrimPrefix(path, dir) + " " + strconv.Quote(string(content)) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHeadFile: appenders learn from a file how far the log reaches at least.
func TestHeadFile(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if got := client.Head(h.dir); got != 0 {
		t.Errorf("head of an empty log is %d", got)
	}
	remember(h)
	e := restarted(t, time.Minute)
	h.asks(e, owed(e))
	head := h.o.Head()
	if n := uint64(len(h.log())); head != n {
		t.Errorf("head %d, %d events", head, n)
	}
	h.close()
	if got := client.Head(h.dir); got != head {
		t.Errorf("head file says %d, want %d", got, head)
	}
	h.open()
	if got := h.o.Head(); got != head {
		t.Errorf("head of a new owner is %d, want %d", got, head)
	}
}

// TestOldHintsAreSwept: what statuslines and observations leave beside the store
// does not stay for ever.
func TestOldHintsAreSwept(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	then := time.Now().Add(-8 * 24 * time.Hour)
	kinds := []string{"usage", "observed"}
	for _, kind := range kinds {
		write(t, filepath.Join(h.dir, kind, "young"), "")
		write(t, filepath.Join(h.dir, kind, "old"), "")
		if err := os.Chtimes(filepath.Join(h.dir, kind, "old"), then, then); err != nil {
			t.Fatal(err)
		}
	}
	h.serve()
	for _, kind := range kinds {
		if _, err := os.Stat(filepath.Join(h.dir, kind, "old")); err == nil {
			t.Errorf("a hint of last week is still in %s", kind)
		}
		if _, err := os.Stat(filepath.Join(h.dir, kind, "young")); err != nil {
			t.Error(err)
		}
	}
}

// TestOwnUndoesItself: after an error the directory is free for the next try.
func TestOwnUndoesItself(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.close()
	lock, err := ownership.TryLock(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := owner.Own(ctx, lock, h.config); err == nil {
		t.Fatal("owned with a context that was over")
	}
	if !lock.Intact() {
		t.Error("the lock is gone")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.handle(prompt(t, about(0), "x"))
}

// TestNothingOutlivesTheOwner: when an owner has left, none of its goroutines is left,
// whatever was asked of it meanwhile, and each asker that was answered is in the log.
// It is not parallel: another test's owner would be counted.
func TestNothingOutlivesTheOwner(t *testing.T) {
	h := newHome(t)
	h.serve()
	nc := h.dial()
	inbox := make(chan *nats.Msg, 400)
	if _, err := nc.ChanSubscribe("_INBOX.left", inbox); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		body, err := wire.Encode(request(t, prompt(t, about(time.Duration(i)*time.Minute), numbered(i))))
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range []string{wire.Append, wire.Status, wire.Drain} {
			if err := nc.PublishRequest(subject, "_INBOX.left", body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	h.o.Leave()
	if err := h.ends(); err != nil {
		t.Fatal(err)
	}
	if left := ownerGoroutines(); left != "" {
		t.Errorf("Serve has returned, and these run:\n%s", left)
	}
	nc.Close()
	if err := errors.Join(h.o.Close(), h.lock.Release()); err != nil {
		t.Fatal(err)
	}
	h.o = nil
	if left := ownerGoroutines(); left != "" {
		t.Errorf("the owner is closed, and these run:\n%s", left)
	}
}

// ours finds a call of the owner's packages in a stack.
var ours = regexp.MustCompile(`(?m)^(created by )?journal/embedded/owner[./]`)

// ownerGoroutines gives the stacks of the goroutines that work for an owner, but for the
// one that copies the log: that ends with Close.
func ownerGoroutines() string {
	stacks := make([]byte, 1<<20)
	var left []string
	for one := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		waiting := strings.Contains(one, "testing.(*T).Parallel(") // a test that has its turn later
		if ours.MatchString(one) && !waiting && !strings.Contains(one, "(*Archiver).run") {
			left = append(left, one)
		}
	}
	return strings.Join(left, "\n\n")
}
