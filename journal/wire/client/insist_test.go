package client_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/spool/losses"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// block puts a file in place of the spool, and returns a function that removes it.
func block(t testing.TB, dir string) (unblock func()) {
	t.Helper()
	path := filepath.Join(dir, "spool")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A spool that cannot be used loses nothing beside an owner.
func TestUnusableSpoolBesideAnOwner(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	o, _ := ownertest.Serve(t, dir)
	defer block(t, dir)()
	a := client.Open(dir, client.Options{Pace: unhurried})
	for n := range 5 {
		r, err := a.Append(t.Context(), client.About{Agent: "go", Session: "s"}, events.PromptSubmitted{Text: fmt.Sprint(n)})
		if err != nil || r.Spooled || !slices.Equal(r.Seqs, []uint64{uint64(n) + 1}) {
			t.Fatalf("%+v, error %v", r, err)
		}
	}
	if got, err := eventstest.All(o.Log().Events(t.Context(), events.Span{})); err != nil || len(got) != 5 {
		t.Errorf("%d events, error %v", len(got), err)
	}
}

// Nobody owns the log and nothing can be spooled: an owner is started and waited for, as long as a hook's budget lasts and
// no longer. The budget is counted by the bubble's clock, which stands still while the real owner works.
func TestUnusableSpoolStartsAnOwner(t *testing.T) {
	t.Parallel()
	const budget, poll = 800 * time.Millisecond, 5 * time.Millisecond
	for name, c := range map[string]struct {
		starts, waits time.Duration // when the owner starts, and how long the appender waits
		lost          bool
	}{
		"at once":        {0, poll, false},
		"just in time":   {budget - 2*poll, budget - poll, false},
		"a moment later": {budget, budget, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			defer block(t, dir)()
			start, started := make(chan struct{}), make(chan struct{}) // no channels of the bubble: whoever waits for them stops its clock
			go func() {
				defer close(started)
				select {
				case <-start:
					ownertest.Serve(t, dir)
				case <-t.Context().Done():
				}
			}()
			synctest.Test(t, func(t *testing.T) {
				began, once := time.Now(), sync.OnceFunc(func() { close(start); <-started })
				a := client.Open(dir, client.Options{Start: func(string) error {
					if time.Since(began) >= c.starts {
						once()
					}
					return nil
				}})
				r, err := a.Append(t.Context(), client.About{Agent: "go", Session: "s"}, events.PromptSubmitted{Text: "one"})
				if waited := time.Since(began); waited != c.waits {
					t.Errorf("it waits for %v, want %v", waited, c.waits)
				}
				if errors.Is(err, client.ErrUndelivered) != c.lost || !c.lost && !slices.Equal(r.Seqs, []uint64{1}) {
					t.Errorf("%+v, error %v", r, err)
				}
			})
		})
	}
}

// An event of a paused project is not lost, also if the owner refuses it after the spool failed. The session began in that
// project, and works in another.
func TestUnusableSpoolWhilePaused(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	home, away := client.About{Agent: "go", Session: "s", Root: t.TempDir()}, client.About{Agent: "go", Session: "s", Root: t.TempDir()}
	_, stop := ownertest.Serve(t, dir)
	if _, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), home, events.PromptSubmitted{Text: "begins"}); err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := client.Pause(dir, client.ProjectKey(home.Root)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "spool")); err != nil {
		t.Fatal(err)
	}
	defer block(t, dir)()
	start := sync.OnceFunc(func() { ownertest.Serve(t, dir) })
	a := client.Open(dir, client.Options{Pace: unhurried, Start: func(string) error { start(); return nil }})
	if _, err := a.Append(t.Context(), away, events.PromptSubmitted{Text: "secret"}); !errors.Is(err, client.ErrPaused) || errors.Is(err, client.ErrUndelivered) {
		t.Errorf("error %v", err)
	}
}

// An owner whose reply was lost may have claimed the answer. So a later request asks for it again, also if nothing can be spooled.
func TestUnusableSpoolAndALostReply(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	defer block(t, dir)()
	r := request(t, prompt(t, ""))
	r.Answer = &wire.AnswerRequest{Kind: wire.RecoveryText}
	s := newServer(t, dir)
	var again []bool
	_, err := s.Conn().Subscribe(wire.Append, func(m *nats.Msg) {
		got, err := wire.DecodeRequest(m.Data)
		if err != nil {
			t.Error(err)
		}
		if again = append(again, got.Answer.Again); len(again) < 3 {
			_ = m.Respond([]byte("lost"))
			return
		}
		b, err := wire.Encode(wire.Reply{Wire: wire.Version, Seqs: []uint64{1}, Text: "remember"})
		_ = m.Respond(b)
		if err != nil {
			t.Error(err)
		}
	})
	if err := errors.Join(err, s.Conn().Flush(), s.Serve()); err != nil {
		t.Fatal(err)
	}
	got, err := client.Open(dir, client.Options{Pace: unhurried}).Send(t.Context(), r, 0)
	if err != nil || got.Text != "remember" || !slices.Equal(again, []bool{false, true, true}) {
		t.Errorf("%+v, error %v, Again %v", got, err, again)
	}
}

// Only then are events given up, with every reason.
func TestUnusableSpoolAndNoOwner(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	defer block(t, dir)()
	why := errors.New("no owner can start here")
	for _, start := range []func(string) error{nil, func(string) error { return why }} {
		_, err := client.Open(dir, client.Options{Pace: unhurried, Start: start}).Append(t.Context(), client.About{Agent: "go"}, events.PromptSubmitted{})
		if !errors.Is(err, client.ErrUndelivered) || start != nil && !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
	}
}

// Reports in a spool that was unreadable are stored before later ones, and those that overtook them
// are counted.
func TestOvertakenSpool(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	path := filepath.Join(dir, "spool")
	prompt := func(text string) {
		t.Helper()
		if _, err := client.Open(dir, client.Options{Pace: unhurried}).Append(t.Context(), client.About{Agent: "go"}, events.PromptSubmitted{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	prompt("waits")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	unblock := block(t, dir)
	_, stop := ownertest.Serve(t, dir)
	prompt("overtakes")
	if r, err := losses.Read(dir); err != nil || r.Ahead.Events != 1 || r.Disordered() {
		t.Errorf("%+v, error %v", r, err)
	}
	stop() // the next owner knows as well
	unblock()
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	o, _ := ownertest.Serve(t, dir)
	prompt("follows")
	testutil.Eventually(t, "what waited is counted", func() bool { // the owner drains beside its service
		r, err := losses.Read(dir)
		return err == nil && r.Disordered() && r.Late == 1
	})
	prompts := func() (got []string) {
		for e, err := range o.Log().Events(t.Context(), events.Span{}) {
			if err != nil {
				t.Fatal(err)
			}
			ev, _ := events.Open(e)
			if p, ok := ev.(events.PromptSubmitted); ok {
				got = append(got, p.Text)
			}
		}
		return got
	}
	testutil.Eventually(t, "three prompts", func() bool { return len(prompts()) == 3 })
	if got := prompts(); !slices.Equal(got, []string{"overtakes", "waits", "follows"}) {
		t.Errorf("in the log: %q", got)
	}
}
