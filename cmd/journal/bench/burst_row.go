package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A burst: so many hooks, so many of them at the same moment (DESIGN 13).
const (
	burstHooks  = 40
	burstAtOnce = 20
	burstBar    = 400 // milliseconds in all
	burstRounds = 5
)

// burst is row 5: many hooks at once, with an owner and without one.
func (b *bench) burst(ctx context.Context) error {
	const row = 5
	type outcome struct {
		took                 series
		kept, sent, maxOwner int
	}
	outcomes := make([]outcome, 2)
	var floor series
	for range burstRounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		took, err := atOnce(func(int) error {
			_, err := process{path: b.noop}.run(b.null, b.null)
			return err
		})
		if err != nil {
			return err
		}
		floor = append(floor, took)
		for i := range outcomes {
			o := &outcomes[i]
			s := b.newStore()
			if i == 0 {
				if _, err := b.send(s.hook(), b.hooks.toolCall(sessionName(0), 0), b.null); err != nil {
					return err
				}
				if _, err := s.kept(ctx); err != nil {
					return err
				}
				o.sent++
			}
			took, err := atOnce(func(n int) error {
				_, err := b.send(s.hook(), b.hooks.toolCall(sessionName(1), n), b.null)
				return err
			})
			if err != nil {
				return err
			}
			o.took = append(o.took, took)
			o.sent += burstHooks
			owners, err := s.owners(ctx)
			if err != nil {
				return err
			}
			o.maxOwner = max(o.maxOwner, owners)
			kept, err := s.kept(ctx)
			if err != nil {
				return err
			}
			o.kept += kept
			if err := s.stop(ctx); err != nil {
				return err
			}
		}
	}
	b.add(times(row, fmt.Sprintf("%d no-ops, %d at once", burstHooks, burstAtOnce), floor))
	for i, name := range []string{"an owner running", "no owner at first"} {
		o := outcomes[i]
		l := times(row, fmt.Sprintf("%d hooks, %d at once, %s", burstHooks, burstAtOnce, name), o.took).against("no-ops", floor)
		b.add(l.bar(fmt.Sprintf("<= %d", burstBar), l.P50 <= burstBar))
		b.add(line{Row: row, What: "  events kept; owners afterwards", Value: fmt.Sprintf("%d of %d; %d", o.kept, o.sent, o.maxOwner)}.
			bar("all; 1", o.kept == o.sent && o.maxOwner == 1))
	}
	return nil
}

// atOnce does something burstHooks times, burstAtOnce of them at a time, and
// gives how long all of it took.
func atOnce(do func(n int) error) (time.Duration, error) {
	var wg sync.WaitGroup
	errs := make([]error, burstHooks)
	turn := make(chan struct{}, burstAtOnce)
	began := time.Now()
	for n := range burstHooks {
		turn <- struct{}{}
		wg.Go(func() {
			errs[n] = do(n + 1)
			<-turn
		})
	}
	wg.Wait()
	return time.Since(began), errors.Join(errs...)
}
