package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// openBar is what the long log may take to serve again after its owner was killed,
// with the check of every block (DESIGN 13), in milliseconds.
const openBar = 1000

// pace is the time between two hooks of agents that work on while the log opens: many
// more than one agent has.
const pace = 50 * time.Millisecond

// killed is row 8: the owner of the long log is killed, and the next hook starts
// another one, which looks at all of the store before it opens it. Hooks go on
// meanwhile, 20 a second.
func (b *bench) killed(ctx context.Context) error {
	const row, n = 8, 5
	s, err := b.filled(ctx)
	if err != nil {
		return err
	}
	sent := 0
	hook := func() (time.Duration, error) {
		sent++
		return b.send(s.hook(), b.hooks.toolCall(sessionName(b.sessions()+1), sent), b.null)
	}
	var during series
	open := func(int) (time.Duration, error) {
		began := time.Now()
		for next := began; ; {
			var took time.Duration
			if now := time.Now(); now.After(next) {
				next = now.Add(pace)
				if took, err = hook(); err != nil {
					return 0, err
				}
			}
			nc, err := s.drained(ctx)
			if err != nil {
				return 0, err
			}
			if nc != nil {
				nc.Close()
				return time.Since(began), nil
			}
			if took > 0 {
				during = append(during, took)
			}
			time.Sleep(time.Millisecond)
		}
	}
	// It serves, and has done everything that it does once.
	if _, err := hook(); err != nil {
		return err
	}
	if _, err := s.resident(ctx); err != nil {
		return err
	}
	clean := variant{name: "clean", prepare: func(ctx context.Context, _ int) error { return s.stop(ctx) }, run: open}
	kill := variant{name: "killed", prepare: func(ctx context.Context, _ int) error { return s.kill(ctx) }, run: open}
	var got [2]series
	for i, v := range []variant{clean, kill} {
		during = nil
		all, err := interleave(ctx, n, v)
		if err != nil {
			return err
		}
		got[i] = all[0]
	}
	meanwhile := during
	floor, err := interleave(ctx, 20, b.floor())
	if err != nil {
		return err
	}
	b.add(times(row, "until the log serves again, after a clean stop", got[0]))
	l := times(row, "until the log serves again, owner killed", got[1]).against("clean", got[0])
	b.add(l.bar(fmt.Sprintf("<= %d", openBar), l.P50 <= openBar))
	l = times(row, "hooks meanwhile, which spool", meanwhile).against("no-op", floor[0])
	b.add(l.bar("<= no-op + 10", l.P50 <= ms(floor[0].median())+10))
	return s.stop(ctx)
}

// kill ends the owner with a signal that cannot be handled, and waits until the
// directory is free.
func (s *store) kill(ctx context.Context) error {
	pid, err := s.owner(ctx)
	if err != nil {
		return err
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		return fmt.Errorf("kill the owner: %w", err)
	}
	return s.free(ctx)
}
