package main

import (
	"context"
	"fmt"
	"time"
)

// The bars of a hook that owes nothing (DESIGN 13), in milliseconds.
const (
	hookBar   = 6.5 // median of a payload up to 2 KB
	floorBar  = 3.0 // and so much beyond a process that does nothing
	largeBar  = 12  // median of a payload of 600 KB
	smallSize = "0.7-1.3 KB"
)

// large are the sizes of payloads that are measured besides the recorded ones, in
// kilobytes. They are rare: a file written whole, the output of a long command.
var large = []int{30, 200, 600}

// calls gives a variant that sends a new tool call each time, and how often it did.
func (b *bench) calls(name string, p process, hook func(n int) map[string]any, n int) (variant, *int) {
	sent := new(int)
	return variant{name: name, n: n, run: func(int) (time.Duration, error) {
		*sent++
		return b.send(p, hook(*sent), b.null)
	}}, sent
}

// small gives the tool calls of the recording in turns.
func (b *bench) small(session string) func(int) map[string]any {
	return func(n int) map[string]any { return b.hooks.toolCall(session, n) }
}

// withOwner is row 1: whole hook processes while an owner runs.
func (b *bench) withOwner(ctx context.Context) error {
	const row = 1
	s := b.newStore()
	var sent []*int
	add := func(name string, session int, hook func(string, int) map[string]any, n int) variant {
		id := sessionName(session)
		v, count := b.calls(name, s.hook(), func(n int) map[string]any { return hook(id, n) }, n)
		sent = append(sent, count)
		return v
	}
	variants := []variant{b.hello(), b.floor(), b.bareAppend(), add("hook, "+smallSize, 1, b.hooks.toolCall, 0)}
	for i, kb := range large {
		variants = append(variants, add(fmt.Sprintf("hook, %d KB", kb), 2+i, func(id string, n int) map[string]any {
			return b.hooks.write(id, n, kb<<10)
		}, max(b.n/4, 1)))
	}
	// The first hook starts the owner; it is no sample of a running one.
	if _, err := b.send(s.hook(), b.hooks.toolCall(sessionName(0), 0), b.null); err != nil {
		return err
	}
	total := 1
	if _, err := s.kept(ctx); err != nil {
		return err
	}
	got, err := interleave(ctx, b.n, variants...)
	if err != nil {
		return err
	}
	for i, v := range variants[:3] {
		b.add(times(row, v.name, got[i]))
	}
	floor := got[1]
	for i, v := range variants[3:] {
		l := times(row, v.name, got[3+i]).against("no-op", floor)
		switch {
		case i == 0:
			l = l.bar(fmt.Sprintf("<= %.1f and <= no-op + %.0f", hookBar, floorBar), l.P50 <= hookBar && l.P50 <= ms(floor.median())+floorBar)
		case i == len(large):
			l = l.bar(fmt.Sprintf("<= %d", largeBar), l.P50 <= largeBar)
		}
		b.add(l)
	}
	for _, n := range sent {
		total += *n
	}
	kept, err := s.kept(ctx)
	if err != nil {
		return err
	}
	b.add(line{Row: row, What: "events kept", Value: fmt.Sprintf("%d of %d", kept, total)}.bar("all", kept == total))
	return s.stop(ctx)
}

// withoutOwner is row 2: hooks that find no owner and spool.
func (b *bench) withoutOwner(ctx context.Context) error {
	const row = 2
	s := b.newStore()
	spooling, _ := b.calls("hook that spools, "+smallSize, s.hook("JOURNAL_OWNER=never-spawn"), b.small(sessionName(1)), 0)
	spooling.prepare = func(context.Context, int) error { return s.emptySpool() }
	run := spooling.run
	spooling.run = func(i int) (time.Duration, error) {
		took, err := run(i)
		if n, werr := s.waiting(); err == nil && (werr != nil || n != 1) {
			err = fmt.Errorf("%d files in the spool after one hook, want 1: %w", n, werr)
		}
		return took, err
	}
	got, err := interleave(ctx, b.n, b.floor(), spooling)
	if err != nil {
		return err
	}
	l := times(row, spooling.name, got[1]).against("no-op", got[0])
	b.add(l.bar(fmt.Sprintf("<= %.1f", hookBar), l.P50 <= hookBar))

	// What the bar leaves out: a hook that also starts the owner.
	s = b.newStore()
	starting, _ := b.calls("hook that spools and starts the owner", s.hook(), b.small(sessionName(1)), 0)
	starting.prepare = func(ctx context.Context, _ int) error { return s.stop(ctx) }
	got, err = interleave(ctx, max(b.n/20, 3), b.floor(), starting)
	if err != nil {
		return err
	}
	b.add(times(row, starting.name, got[1]).against("no-op", got[0]))
	return s.stop(ctx)
}
