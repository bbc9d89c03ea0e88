//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"journal/cmd/testkit/powercut"
	"journal/cmd/testkit/ptrace"
	"journal/journal/wire/sock"
)

// The disk below the hooks and the owner fails by a seed: writes in part, syncs that end with EIO, no
// room from some byte on, interrupted calls, names that cannot be changed, files that cannot be
// opened. Every hook ends with 0, and every event whose hook noted nothing undelivered is in the log
// once the disk is well again, once and in its order (J.1, ADR-0004).
func TestBadDiskBattery(t *testing.T) {
	t.Parallel()
	n := max(2, 5*tortured(t, 0)) // of a second each
	first := seedOf(t)
	var all tally
	gate := make(chan struct{}, 3) // each has its processes
	for i := range n {
		t.Run(fmt.Sprint(first+uint64(i)), func(t *testing.T) {
			t.Parallel()
			gate <- struct{}{}
			defer func() { <-gate }()
			badDisk(t, first+uint64(i), &all)
		})
	}
	t.Cleanup(func() {
		t.Logf("%d hooks, %d acknowledged, %d cuts of the power afterwards; failed on purpose: %v", all.hooks, all.acknowledged, all.cuts, all.faults)
	})
}

// tally adds up what happened on all disks.
type tally struct {
	sync.Mutex
	hooks, acknowledged, cuts int
	faults                    map[string]int
}

// badDisk plays one seed.
func badDisk(t *testing.T, seed uint64, all *tally) {
	w := newHome(t)
	w.keepsTime()
	name := fmt.Sprintf("disk-%d-%d-", os.Getpid(), seed)
	steps := weather(seed, name)
	recording, said := w.followed(steps, ptrace.RandomPlan(seed), seed%8 != 0)
	var words []string
	for i, s := range steps {
		for _, s := range append(s.Together, s) {
			if s.Keeps != "" {
				words = append(words, s.Keeps)
			}
		}
		if s.Hook != "" && (said[i].Code != 0 || said[i].Err != "") {
			t.Errorf("hook %d ends with %d, stderr %q", i, said[i].Code, said[i].Err)
		}
	}
	noted := w.undelivered()
	keeps := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(noted, `"`+name+word+`"`) })
	c := &cuts{world: w, steps: steps, ops: recording.Ops, tmp: t.TempDir()}
	cut := 0
	if len(recording.Ops) > 100 {
		cut = c.amid(keeps, seed)
	}
	w.env = append(w.env, alone[0])
	_ = os.Remove(filepath.Join(w.dir, "owner.failed")) // half a minute later
	if problem := c.judge(w, keeps, nil); problem != "" {
		t.Errorf("%s\nfaults %v", problem, recording.Faults)
	}
	t.Logf("%d hooks, %d acknowledged, %d cuts, failed on purpose: %v", len(words), len(keeps), cut, recording.Faults)
	all.Lock()
	defer all.Unlock()
	all.hooks += len(words)
	all.acknowledged += len(keeps)
	all.cuts += cut
	if all.faults == nil {
		all.faults = map[string]int{}
	}
	for name, n := range recording.Faults {
		all.faults[name] += n
	}
}

// weather is what happens on the disk of a seed: hooks alone and at once, with an owner and without
// one, which stops or is killed meanwhile. In the end the disk is well.
func weather(seed uint64, name string) (steps []step) {
	chance := rand.New(rand.NewPCG(seed, 3))
	n := 0
	hook := func() step {
		n++
		word := fmt.Sprint("word-", n, ".")
		s := prompted(name+word, word, strings.Repeat("x", chance.IntN(2000)))
		if chance.IntN(6) == 0 {
			s.Env = alone
		}
		return s
	}
	for range 8 {
		switch chance.IntN(8) {
		case 0:
			steps = append(steps, stops)
		case 1:
			steps = append(steps, step{Kill: true})
		case 2:
			steps = append(steps, step{Together: []step{hook(), hook(), hook()}})
		default:
			steps = append(steps, hook())
		}
	}
	return append(steps, step{Mark: ptrace.Healed}, hook())
}

// undelivered are the lines of hooks that could keep nothing, also those that the journal's directory
// did not take.
func (w *world) undelivered() string {
	w.Helper()
	dir, err := sock.Shared()
	if err != nil {
		w.Fatal(err)
	}
	var said strings.Builder
	for _, path := range []string{w.dir, dir} {
		for _, name := range []string{"journal.log", "journal.log.1"} {
			b, _ := os.ReadFile(filepath.Join(path, name)) // it need not be there
			for line := range bytes.Lines(b) {
				if bytes.Contains(line, []byte(`"undelivered"`)) {
					said.Write(line)
				}
			}
		}
	}
	return said.String()
}

// amid cuts the power at a few places of the recording: on a disk that failed, a sync that did not
// say so may have lost what an earlier one said it lost.
func (c *cuts) amid(keeps []string, seed uint64) (n int) {
	c.matches()
	chance := rand.New(rand.NewPCG(seed, 4))
	for i, s := range c.steps {
		if !slices.Contains(keeps, s.Keeps) {
			c.steps[i].Keeps = ""
		}
		for j, s := range s.Together {
			if !slices.Contains(keeps, s.Keeps) {
				c.steps[i].Together[j].Keeps = ""
			}
		}
	}
	for range 3 {
		n++
		c.one(chance.IntN(len(c.ops)+1), powercut.Luck(chance.IntN(int(powercut.Lucks))), chance.Uint64(), map[string]bool{})
	}
	return n
}
