package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// A burst has burstHooks hooks, of which burstAtOnce run at once.
const (
	burstHooks  = 40
	burstAtOnce = 20
)

// burst is row 5: many hooks at once, with an owner and without one, each burst on a new log. No event may be lost, and one owner
// runs in the end.
func (b *bench) burst() []line {
	var tallies [3]struct{ kept, sent, owners int }
	hooks := func(i int, name string, run func(*store) process) variant {
		t, s, payloads := &tallies[i], (*store)(nil), [burstHooks]*os.File{}
		v := variant{name: fmt.Sprintf("%d hooks, %d at once, %s", burstHooks, burstAtOnce, name)}.against(1, bar{most: 400})
		v.prepare = func() {
			s = b.newStore()
			if i < 2 { // the hook that starts the owner is not measured
				t.sent++
				b.start(s)
			}
			for n := range payloads {
				payloads[n] = must(b.stdin(b.calls(1)(n + 1)))
			}
		}
		v.run = func(int) time.Duration {
			t.sent += burstHooks
			return atOnce(func(n int) (time.Duration, error) { return run(s).run(payloads[n], b.null) })
		}
		v.after = func() {
			for _, f := range payloads {
				check(f.Close())
			}
			t.owners, t.kept = max(t.owners, s.owners(b.ctx)), t.kept+b.kept(s)
			s.stop(b.ctx)
		}
		return v
	}
	noop := process{args: []string{b.small.noop}}
	small := func(s *store) process { return s.hook() }
	large := hooks(0, "an owner running, the large program", func(s *store) process { return s.largeHook() })
	large.as = "the large program's"
	running := hooks(1, "an owner running", small).against(2, bar{most: 400, times: 0.6})
	floor := variant{name: fmt.Sprintf("%d no-ops, %d at once", burstHooks, burstAtOnce), as: "no-ops", run: func(int) time.Duration {
		return atOnce(func(int) (time.Duration, error) { return noop.run(b.null, b.null) })
	}}
	lines := b.measure(5, floor, large, running, hooks(2, "no owner at first", small))
	all := []line{lines[0]}
	for i, t := range tallies {
		l := line{What: "events kept; owners afterwards", Value: fmt.Sprintf("%d of %d; %d", t.kept, t.sent, t.owners)}
		all = append(all, lines[1+i], l.reached("all; 1", t.kept == t.sent && t.owners == 1))
	}
	return all
}

// atOnce calls do burstHooks times, burstAtOnce times at once, and returns how long all calls took together.
func atOnce(do func(n int) (time.Duration, error)) time.Duration {
	var wg sync.WaitGroup
	errs := make([]error, burstHooks)
	turn := make(chan struct{}, burstAtOnce)
	began := time.Now()
	for n := range burstHooks {
		turn <- struct{}{}
		wg.Go(func() {
			_, errs[n] = do(n)
			<-turn
		})
	}
	wg.Wait()
	took := time.Since(began)
	check(errors.Join(errs...))
	return took
}
