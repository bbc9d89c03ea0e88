package client_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"journal/embedded/owner/ownertest"
	"journal/events"
	"journal/events/eventstest"
	"journal/journal/spool/losses"
	"journal/journal/testutil"
	"journal/journal/wire/client"
)

// block puts a file in the place of the spool, and gives what takes it away.
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

// Nobody owns the log and nothing can be spooled: an owner is started and waited for.
func TestUnusableSpoolStartsAnOwner(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	defer block(t, dir)()
	started := false
	a := client.Open(dir, client.Options{Pace: unhurried, Start: func(string) error {
		if !started {
			ownertest.Serve(t, dir)
		}
		started = true
		return nil
	}})
	r, err := a.Append(t.Context(), client.About{Agent: "go", Session: "s"}, events.PromptSubmitted{Text: "one"})
	if err != nil || !started || !slices.Equal(r.Seqs, []uint64{1}) {
		t.Fatalf("%+v, error %v", r, err)
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

// What waited in a spool that nobody could read comes into the log before what follows;
// that it was overtaken is remembered.
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
	said := func() (got []string) {
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
	testutil.Eventually(t, "three prompts", func() bool { return len(said()) == 3 })
	if got := said(); !slices.Equal(got, []string{"overtakes", "waits", "follows"}) {
		t.Errorf("in the log: %q", got)
	}
}
