package main

import (
	"context"
	"fmt"
	"math"
	"time"
)

// sizeBar is how much the time of a hook may differ between a short and a long log.
const sizeBar = 0.2

// bySize is row 9: the same hooks on a log of 10,000 events and on the long one, in
// turns.
func (b *bench) bySize(ctx context.Context) error {
	const row = 9
	long, err := b.filled(ctx)
	if err != nil {
		return err
	}
	script, err := b.hooks.script()
	if err != nil {
		return err
	}
	short := b.newStore()
	if err := generate(ctx, short.dir, b.root, script, blockEvents); err != nil {
		return err
	}
	variants := []variant{b.floor()}
	for i, s := range []*store{short, long} {
		// The session is one that both logs have.
		id, calls := sessionName(9), sessionEvents*(1+row)
		call := func(int) (time.Duration, error) {
			calls++
			return b.send(s.hook(), b.hooks.toolCall(id, calls), b.null)
		}
		name := fmt.Sprintf("%d events", []int{blockEvents, b.events}[i])
		variants = append(variants,
			variant{name: "hook, log of " + name, run: call},
			variant{name: "recovery text, log of " + name, n: max(b.n/4, 1),
				prepare: func(ctx context.Context, i int) error {
					if _, err := call(i); err != nil {
						return err
					}
					_, err := b.send(s.hook(), with(b.hooks.named("PreCompact")[0], map[string]any{"session_id": id}), b.null)
					return err
				},
				run: func(int) (time.Duration, error) { return b.restart(s, id) }})
		if _, err := call(0); err != nil { // starts the owner
			return err
		}
		if _, err := s.owner(ctx); err != nil { // it is up
			return err
		}
	}
	got, err := interleave(ctx, b.n, variants...)
	if err != nil {
		return err
	}
	for i := 1; i <= 2; i++ {
		b.add(times(row, variants[i].name, got[i]).against("no-op", got[0]))
	}
	for i := 3; i <= 4; i++ {
		l := times(row, variants[i].name, got[i]).against(fmt.Sprint(blockEvents), got[i-2])
		ratio := float64(got[i].median()) / float64(got[i-2].median())
		b.add(l.bar(fmt.Sprintf("within %.0f %%", 100*sizeBar), math.Abs(ratio-1) <= sizeBar))
	}
	if err := short.stop(ctx); err != nil {
		return err
	}
	return long.stop(ctx)
}
