//go:build unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
	"journal/journal/wire/sock"
)

// tortured is the number of rounds of a battery: a few, or as many as
// JOURNAL_TORTURE says (make torture).
func tortured(t *testing.T, few int) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("JOURNAL_TORTURE"))
	if err != nil {
		return few
	}
	return n
}

// battery sends hooks to one journal while its processes are stopped and killed,
// and then counts.
type battery struct {
	*world
	seed   uint64
	chance *rand.Rand

	mu    sync.Mutex
	shots []*shot
	told  []string // what hooks told the person, of a full disk
	live  map[*exec.Cmd]bool
}

// shot is one hook: a session of its own, so that trouble in the log file names
// it. A clock of the test says when its process was there.
type shot struct {
	session      string
	process      *os.Process
	began, ended time.Time
	finished     bool // it ended by itself
}

func newBattery(t *testing.T) *battery {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("JOURNAL_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("JOURNAL_SEED=%d", seed)
	b := &battery{world: newWorld(t), seed: seed, chance: rand.New(rand.NewPCG(seed, 0)), live: map[*exec.Cmd]bool{}}
	b.keepsTime()
	return b
}

// salvo sends n hooks, so many at once. Before each of them meanwhile is called,
// by one goroutine.
func (b *battery) salvo(n, atOnce int, meanwhile func(i int)) {
	b.Helper()
	var all sync.WaitGroup
	gate := make(chan struct{}, atOnce)
	for i := range n {
		gate <- struct{}{}
		meanwhile(i)
		all.Go(func() {
			defer func() { <-gate }()
			b.shoot()
		})
	}
	all.Wait()
}

// shoot runs one hook. One that is not killed has to end with 0, silent.
func (b *battery) shoot() {
	b.mu.Lock()
	s := &shot{session: fmt.Sprintf("shot-%x-%d", b.seed, len(b.shots))}
	b.shots = append(b.shots, s)
	b.mu.Unlock()
	c := b.hooks(claude...)
	var out, errOut strings.Builder
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(prompt(s.session, s.session)), &out, &errOut
	s.began = time.Now()
	if err := c.Start(); err != nil {
		b.Error(err)
		return
	}
	b.mu.Lock()
	s.process = c.Process
	b.live[c] = true
	b.mu.Unlock()
	err := c.Wait()
	b.mu.Lock()
	delete(b.live, c)
	full := strings.HasPrefix(out.String(), `{"systemMessage":"journal cannot keep what happens here: no space left on device.`)
	if full {
		b.told = append(b.told, out.String())
	}
	b.mu.Unlock()
	s.ended = time.Now()
	status := c.ProcessState.Sys().(interface{ Signaled() bool })
	if s.finished = !status.Signaled(); s.finished && (err != nil || out.Len() > 0 && !full || errOut.Len() > 0) {
		b.Errorf("%s ends with %v, stdout %q, stderr %q", s.session, err, &out, &errOut)
	}
}

// killHook kills one of the hooks that run.
func (b *battery) killHook() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.live {
		_ = c.Process.Kill() // it may have ended
		return
	}
}

// signalOwner sends a signal to the owner when one is there.
func (b *battery) signalOwner(sig os.Signal) *os.Process {
	s := b.status()
	if s.Owner == nil {
		return nil
	}
	p, err := os.FindProcess(s.Owner.PID)
	if err != nil || p.Signal(sig) != nil {
		return nil
	}
	return p
}

// count fails unless every acknowledged event is in the log, none is in it
// twice, and their order is that of their hooks. An event is acknowledged when
// its hook ended by itself and noted nothing undelivered (ADR-0004).
func (b *battery) count() {
	b.Helper()
	lost := b.undelivered()
	place, ids := map[string]uint64{}, map[string]bool{}
	var inOrder []string
	for _, e := range b.events("--type", "prompt.submitted") {
		if ids[e.ID] || place[e.Session] != 0 {
			b.Errorf("%s is in the log twice, at #%d and #%d", e.Session, place[e.Session], e.Seq)
		}
		ids[e.ID], place[e.Session] = true, e.Seq
		inOrder = append(inOrder, e.Session)
	}
	bySession, acknowledged := map[string]*shot{}, 0
	for _, s := range b.shots {
		bySession[s.session] = s
		if !s.finished || lost[s.session] {
			continue
		}
		acknowledged++
		if place[s.session] == 0 {
			b.Errorf("%s is acknowledged and not in the log", s.session)
		}
	}
	// One that began after another had ended has to come after it.
	var latest *shot
	for _, name := range inOrder {
		s := bySession[name]
		if s == nil {
			b.Errorf("%s is in the log and was never sent", name)
			continue
		}
		if latest != nil && s.finished && s.ended.Before(latest.began) {
			b.Errorf("%s (#%d) ended before %s (#%d) began", s.session, place[s.session], latest.session, place[latest.session])
		}
		if latest == nil || s.began.After(latest.began) {
			latest = s
		}
	}
	b.Logf("%d hooks, %d acknowledged, %d in the log", len(b.shots), acknowledged, len(place))
	if s := b.status(); !s.Healthy || s.Spooled != 0 {
		b.Errorf("status %+v", s)
	}
}

// undelivered are the sessions of hooks that noted that nothing keeps what they said.
func (b *battery) undelivered() map[string]bool {
	b.Helper()
	lost := map[string]bool{}
	for line := range strings.Lines(b.logFile() + b.spareLog()) {
		if !strings.Contains(line, `"undelivered"`) {
			continue
		}
		for _, s := range b.shots {
			if strings.Contains(line, `"`+s.session+`"`) {
				lost[s.session] = true
			}
		}
	}
	return lost
}

// spareLog is what was said while the journal's directory took no lines, by
// whatever journal.
func (b *battery) spareLog() string {
	b.Helper()
	dir, err := sock.Shared()
	if err != nil {
		b.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "journal.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.Error(err)
	}
	return string(content)
}

// Hooks, the owner or both are killed at random points under load: nothing
// acknowledged is lost, nothing is there twice, and who was earlier is earlier.
func TestKillBattery(t *testing.T) {
	t.Parallel()
	b := newBattery(t)
	for range tortured(t, 3) {
		killing := b.chance.IntN(3)
		b.salvo(24, 6, func(int) {
			if killing != 0 && b.chance.IntN(6) == 0 {
				b.killHook()
			}
			if killing != 1 && b.chance.IntN(10) == 0 {
				b.signalOwner(unix.SIGKILL)
			}
		})
	}
	b.count()
}

// Many hooks at once against an owner that is stopped, continued, killed and
// started again meanwhile: each event once.
func TestTroubledOwner(t *testing.T) {
	t.Parallel()
	b := newBattery(t)
	hooks, atOnce := 120, 20
	if os.Getenv("JOURNAL_TORTURE") != "" {
		hooks, atOnce = 2000, 50
	}
	var stopped *os.Process
	b.salvo(hooks, atOnce, func(i int) {
		switch i % 40 {
		case 10:
			stopped = b.signalOwner(unix.SIGSTOP)
		case 25:
			if stopped != nil {
				_ = stopped.Signal(unix.SIGCONT) // it may have been killed
			}
		case 35:
			b.signalOwner(unix.SIGKILL)
		}
	})
	if stopped != nil {
		_ = stopped.Signal(unix.SIGCONT)
	}
	for _, s := range b.shots {
		if !s.finished {
			t.Errorf("%s did not end by itself", s.session)
		}
	}
	b.count()
}

// Owners that start at the same moment: never two alive, and no event is lost.
func TestOwnersAtOnce(t *testing.T) {
	t.Parallel()
	b := newBattery(t)
	for range tortured(t, 5) {
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				// Starts an owner when none is there, and waits for it.
				if _, errOut, code := b.run("", "sessions"); code != 0 && !strings.Contains(errOut, "there is no journal") {
					t.Errorf("sessions ends with %d: %s", code, errOut)
				}
			})
			all.Go(b.shoot)
		}
		all.Wait()
		if n := owners(t, b.dir); n > 1 {
			t.Fatalf("%d owners", n)
		}
		if p := b.signalOwner(unix.SIGKILL); p != nil {
			testutil.Eventually(t, "the owner is gone", func() bool { return b.status().Owner == nil })
		}
	}
	b.count()
}
