package service_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/embedded/owner"
	"journal/embedded/owner/answers"
	"journal/embedded/rebuild"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal/spool/losses"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
	"journal/projections"
)

func newDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "j")
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func config() owner.Config {
	return owner.Config{
		Logger: slog.New(slog.DiscardHandler), Version: "test", Idle: time.Minute,
		Settings: func() owner.Settings {
			return owner.Settings{Settings: answers.Settings{Template: func(string) string { return "" }}}
		},
	}
}

// serve owns dir in this process; the channel gets the result of Serve.
func serve(t *testing.T, dir string) <-chan error {
	t.Helper()
	lock, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	ready, served := make(chan struct{}), make(chan error, 1)
	go func() {
		served <- service.Serve(context.Background(), lock, config(), func(*owner.Owner) error {
			close(ready)
			return nil
		})
	}()
	select {
	case <-ready:
	case err := <-served:
		t.Fatal("no owner:", err)
	}
	t.Cleanup(func() {
		if err := service.Stop(context.Background(), dir); err != nil && !errors.Is(err, sock.ErrNoOwner) {
			t.Error(err)
		}
	})
	return served
}

// unhurried returns a longer time budget, for busy machines.
func unhurried(budget time.Duration) time.Duration { return 100 * budget }

// An owner that serves is in the status, answers, and leaves when another process takes over.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	if s := service.ReadStatus(t.Context(), dir); s.Owner != nil || !s.Healthy {
		t.Errorf("before: %+v", s)
	}
	served := serve(t, dir)
	nc, err := service.Connect(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	receipt, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Session: "s", Root: "/p"}, events.DecisionRecorded{Text: "keep it"})
	if err != nil {
		t.Fatal(err)
	}
	if left, err := service.Drain(t.Context(), nc); left != "" || err != nil {
		t.Errorf("drained: %q left, error %v", left, err)
	}
	last := receipt.Seqs[len(receipt.Seqs)-1]
	if s := service.ReadStatus(t.Context(), dir); s.Owner == nil || s.Owner.Version != "test" || s.LastSeq != last || !s.Healthy {
		t.Errorf("status %+v, want #%d", s, last)
	}
	target := projections.Target{Project: client.ProjectKey("/p"), Session: "s"}
	if err := service.Confirm(t.Context(), dir, target); err != nil {
		t.Error(err)
	}
	if live, err := service.Live(t.Context(), dir, target); err != nil || live.Seq != 0 {
		t.Errorf("the state of a lane that nobody asked about: %+v, error %v", live, err)
	}
	if err := service.With(t.Context(), dir, time.Millisecond, config(), nil); !errors.Is(err, client.ErrBusy) {
		t.Errorf("a second owner: %v", err)
	}
	lock, err := service.TakeOver(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-served, lock.Release()); err != nil {
		t.Error(err)
	}
}

// TestReplacedWhileUnhealthy: the directory of an owner that cannot write is replaced, before it left or while it waits for the disk.
func TestReplacedWhileUnhealthy(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{0, 100 * time.Millisecond} {
		dir := newDir(t)
		lock, err := ownership.TryLock(dir)
		if err != nil {
			t.Fatal(err)
		}
		moved := make(chan error, 1)
		replace := func() { moved <- errors.Join(os.Rename(dir, dir+".gone"), ownership.Prepare(dir)) }
		err = service.Serve(t.Context(), lock, config(), func(*owner.Owner) error {
			if wait == 0 {
				replace()
			} else {
				time.AfterFunc(wait, replace)
			}
			return owner.ErrUnhealthy
		})
		if err := <-moved; err != nil {
			t.Skip(err) // Windows keeps what is open
		}
		testutil.WantError(t, err, ownership.ErrReplaced)
		if all, err := os.ReadDir(dir); wait == 0 && len(all) > 1 { // Prepare makes one file
			t.Errorf("it wrote %v into the new directory (%v)", all, err)
		}
	}
}

// leavingContext calls leave when somebody first waits for its end.
type leavingContext struct {
	context.Context
	leave func()
}

func (c leavingContext) Done() <-chan struct{} {
	c.leave()
	return c.Context.Done()
}

// The lock is free after an owner has left that nobody had to ask.
func TestTakeOverWhileTheOwnerLeaves(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	held, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	release := sync.OnceValue(held.Release)
	lock, err := service.TakeOver(leavingContext{t.Context(), func() { _ = release() }}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(release(), lock.Release()); err != nil {
		t.Error(err)
	}
}

// Without an owner, a reader that must not start one gets an error, and nothing is requested.
func TestNobodyServes(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	if _, err := service.Connect(t.Context(), dir, nil); !errors.Is(err, sock.ErrNoOwner) {
		t.Errorf("connect: %v", err)
	}
	fails := errors.New("no program")
	if _, err := service.Connect(t.Context(), dir, func(string) error { return fails }); !errors.Is(err, fails) {
		t.Errorf("connect with a start that fails: %v", err)
	}
	if err := service.Stop(t.Context(), dir); !errors.Is(err, sock.ErrNoOwner) {
		t.Errorf("stop: %v", err)
	}
	if err := service.Confirm(t.Context(), dir, projections.Target{}); err != nil {
		t.Errorf("confirm: %v", err)
	}
	if live, err := service.Live(t.Context(), dir, projections.Target{}); err != nil || live.Seq != 0 {
		t.Errorf("live: %+v, error %v", live, err)
	}
	head := uint64(1)
	err := service.With(t.Context(), dir, time.Minute, config(), func(o *owner.Owner) error {
		head = o.Head()
		return nil
	})
	if err != nil || head != 0 {
		t.Errorf("the owner for a moment: head %d, error %v", head, err)
	}
}

// The status describes what is wrong with a directory, and starts nothing.
func TestLook(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	lock, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	ownership.RecordFailure(dir, "v1", errors.New("no room"))
	s := service.ReadStatus(t.Context(), dir)
	for _, words := range []string{"could not start", "no room", "holds the lock and does not listen"} {
		if !strings.Contains(strings.Join(s.Problems, "\n"), words) {
			t.Errorf("problems %q, want %q", s.Problems, words)
		}
	}
	if s.Healthy || s.Owner != nil {
		t.Errorf("status %+v", s)
	}
	if err := errors.Join(ownership.ForgetFailure(dir), lock.Beat("v1")); err != nil {
		t.Fatal(err)
	}
	if s := service.ReadStatus(t.Context(), dir); !s.Healthy || len(s.Unknown) == 0 || !strings.Contains(s.Unknown[0], "starts or ends") {
		t.Errorf("while an owner starts: %+v", s)
	}
	// The clock was set back since the last heartbeat.
	ahead := fmt.Sprintf(`{"heartbeat":%d}%500s`, time.Now().Add(time.Hour).UnixNano(), "")
	if err := os.WriteFile(filepath.Join(dir, "owner.lock"), []byte(ahead), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := service.ReadStatus(t.Context(), dir); s.Healthy {
		t.Errorf("an hour before the last heartbeat: %+v", s)
	}
	_, err = losses.Note(dir, 2, time.Now(), "disk full", false)
	if _, taken := losses.TakeDue(dir); err != nil || taken != nil {
		t.Fatal(err, taken)
	}
	if s := service.ReadStatus(t.Context(), dir); !strings.Contains(strings.Join(s.Problems, "\n"), "could be kept nowhere: disk full") {
		t.Errorf("after an owner died before it recorded a loss: %+v", s)
	}
	if s := service.ReadStatus(t.Context(), filepath.Join(dir, "absent")); !s.Healthy {
		t.Errorf("a directory that is not there yet: %+v", s)
	}
}

// A log that is slow to read is not unhealthy: the status has what was not read as unknown.
func TestLookIsLate(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	served := serve(t, dir)
	if _, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Session: "s", Root: "/p"}, events.DecisionRecorded{Text: "keep it"}); err != nil {
		t.Fatal(err)
	}
	if err := service.Stop(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if s := service.ReadStatus(t.Context(), dir); !s.Healthy || len(s.Unknown) > 0 || s.LastSeq == 0 {
		t.Fatalf("in time: %+v", s)
	}
	timedOut, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if s := service.ReadStatus(timedOut, dir); !s.Healthy || len(s.Unknown) == 0 {
		t.Errorf("healthy %t, problems %q, unknown %q", s.Healthy, s.Problems, s.Unknown)
	}
}

// An idle owner removes what the retention does not keep, and the log continues after that (ADR-0052).
func TestIdleOwnerRetains(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := config()
	c.Idle = time.Millisecond
	settings := c.Settings()
	settings.Retention = rebuild.Retention{Age: 48 * time.Hour}
	c.Settings = func() owner.Settings { return settings }
	var old []events.Envelope
	for _, ev := range []events.Event{events.PromptSubmitted{Text: "do it"}, events.DecisionRecorded{Text: "so it is"}} {
		e, err := events.Wrap(ev, events.Meta{Agent: "go", Project: "p", Session: "s", At: time.Now().Add(-72 * time.Hour).UnixNano()})
		if err != nil {
			t.Fatal(err)
		}
		old = append(old, e)
	}
	r, err := client.NewRequest(old, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Open(dir, client.Options{}).Save(r); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds that there was a look today
		lock, err := ownership.TryLock(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := service.Serve(t.Context(), lock, c, nil); err != nil {
			t.Fatal(err)
		}
	}
	var types []events.Type
	err = service.With(t.Context(), dir, time.Minute, config(), func(o *owner.Owner) error {
		for e, err := range o.Log().Events(t.Context(), events.Span{}) {
			if err != nil {
				return err
			}
			types = append(types, e.Type)
		}
		return nil
	})
	want := []events.Type{events.TypeOf[events.LogForgotten](), events.TypeOf[events.DecisionRecorded]()}
	if err != nil || !slices.Equal(types, want) {
		t.Errorf("the log holds %q, %v; want %q", types, err, want)
	}
}

// The status reports messages that clients of the socket had stored, also without an owner, and consumers that they left end no owner.
func TestStrangers(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	serve(t, dir)
	nc, err := service.Connect(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	decide := func(what string) {
		t.Helper()
		_, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Session: "s", Root: "/p"}, events.DecisionRecorded{Text: what})
		if err != nil {
			t.Fatal(err)
		}
	}
	decide("keep it")
	if s := service.ReadStatus(t.Context(), dir); !s.Healthy {
		t.Errorf("before: %v", s.Problems)
	}
	if err := nc.PublishRequest("$JS.API.STREAM.INFO.JOURNAL_1", "journal.x.y.command.ran", nil); err != nil {
		t.Fatal(err)
	}
	told := func(what string) bool {
		return slices.ContainsFunc(service.ReadStatus(t.Context(), dir).Problems, func(p string) bool { return strings.Contains(p, what) })
	}
	testutil.Eventually(t, "the message is told", func() bool { return told("1 message that is no event stands in the log, the first #") })
	for name, to := range map[string]string{"x": "JOURNAL.v1.stop", "y": "JOURNAL.v1.retire", "z": "JOURNAL.v1.append"} {
		_, err := nc.Request("$JS.API.CONSUMER.DURABLE.CREATE.JOURNAL_1."+name, []byte(`{"stream_name":"JOURNAL_1","config":{"durable_name":"`+name+`","deliver_subject":"`+to+`","ack_policy":"none","headers_only":true}}`), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
	}
	decide("and this")
	if _, err := service.Drain(t.Context(), nc); err != nil { // behind what was delivered
		t.Fatal(err)
	}
	if service.ReadStatus(t.Context(), dir).Owner == nil {
		t.Error("a consumer ended the owner")
	}
	if err := service.Stop(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if !told("1 message that is no event") {
		t.Error("without an owner it is not told")
	}
	serve(t, dir)
	if !told("x, which delivered to JOURNAL.v1.stop") {
		t.Errorf("what was left is not told: %v", service.ReadStatus(t.Context(), dir).Problems)
	}
}
