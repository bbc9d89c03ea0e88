package client_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/events"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
)

// hang listens for dir like an owner that was stopped: connections succeed and
// nothing ever comes.
func hang(t *testing.T, dir string) {
	t.Helper()
	path, err := sock.Prepare(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close() // when the listener ends
		}
	}()
}

// budgets are the time budgets of an appender.
type budgets []time.Duration

// spend is an appender's Pace.
func (b *budgets) spend(d time.Duration) time.Duration {
	*b = append(*b, d)
	return d
}

// TestAHungOwnerCostsLittle (ADR-0004 rules 11 and 12): the first appender
// gives up in time, the second remembers that it did, and the rest do not wait.
func TestAHungOwnerCostsLittle(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	hang(t, dir)
	started := 0
	var spent budgets
	a := client.Open(dir, client.Options{Pace: spent.spend, Start: func(string) error { started++; return nil }})
	appendOne := func(want ...time.Duration) {
		t.Helper()
		spent = nil
		r, err := a.Append(t.Context(), client.About{Agent: "go"}, events.TurnEnded{})
		if err != nil || !r.Spooled {
			t.Fatalf("%+v, error %v; want it spooled", r, err)
		}
		if !slices.Equal(spent, want) {
			t.Errorf("waits for %v, want %v", spent, want)
		}
	}
	forget := func() {
		t.Helper()
		// Behind a spool that is not empty nobody asks the owner at all.
		if err := os.RemoveAll(filepath.Join(dir, "spool")); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(mark string) bool {
		_, err := os.Stat(filepath.Join(dir, mark))
		return err == nil
	}

	aged := func(mark string, age time.Duration) {
		t.Helper()
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, mark), at, at); err != nil {
			t.Fatal(err)
		}
	}

	const budget = 250 * time.Millisecond
	appendOne(budget)
	if !exists("owner.slow") || exists("owner.hung") {
		t.Errorf("after one timeout: slow %v, hung %v", exists("owner.slow"), exists("owner.hung"))
	}
	forget()
	aged("owner.slow", -9*time.Second) // however busy the machine is
	appendOne(budget)
	if !exists("owner.hung") {
		t.Error("two timeouts are not remembered")
	}
	for range 5 {
		forget()
		aged("owner.hung", -time.Second)
		appendOne()
	}
	if started != 2 {
		t.Errorf("%d starts, want one per timeout and none while the owner hangs", started)
	}

	// After the mark's time an appender asks the owner again.
	aged("owner.hung", 3*time.Second)
	forget()
	appendOne(budget)

	// So it does after the clock was set back.
	aged("owner.hung", -time.Hour)
	forget()
	appendOne(budget)
}

// TestAnAbsentOwnerIsNotSlow: only a timeout is a sign of a hung owner.
func TestAnAbsentOwnerIsNotSlow(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	a := client.Open(dir, client.Options{})
	for range 3 {
		if err := os.RemoveAll(filepath.Join(dir, "spool")); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Append(t.Context(), client.About{Agent: "go"}, events.TurnEnded{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, mark := range []string{"owner.slow", "owner.hung"} {
		if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
			t.Errorf("%s was left", mark)
		}
	}
}
