package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/journal/snapshots"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// sessionBar is what the states of a session of 1,000 events may take in the
// owner, with a snapshot (DESIGN 13), in milliseconds.
const sessionBar = 5

// oneSession is row 7: every projection of one session out of the long log, inside
// the owner's process, from the session's beginning, and from a snapshot that was
// taken before the last tenth of it.
func (b *bench) oneSession(ctx context.Context) error {
	const row = 7
	s, err := b.filled(ctx)
	if err != nil {
		return err
	}
	return owning(ctx, s.dir, func(log *journal.Log, _ jetstream.JetStream) error {
		st, err := log.Stats(ctx)
		if err != nil {
			return err
		}
		n := min(b.n/4, b.sessions()/2-1)
		dir, config, project := snapshots.In(s.dir), projections.Config{}, journal.ProjectKey(b.root)
		target := func(i int) projections.Target {
			return projections.Target{Project: project, Session: sessionName(b.sessions()/2 + i)}
		}
		for i := range n + 1 {
			f := projections.NewFold(target(i), config, projections.All()...)
			block := uint64((b.sessions()/2 + i) / atATime * blockEvents)
			if err := replay.Forward(ctx, log, f, block+blockEvents*9/10); err != nil {
				return err
			}
			if err := dir.Save(ctx, log, f, config); err != nil {
				return err
			}
		}
		folding := func(name string, begin func(t projections.Target) *projections.Fold) variant {
			return variant{name: name, run: func(i int) (time.Duration, error) {
				began := time.Now()
				f := begin(target(i))
				from := f.Count()
				err := replay.Forward(ctx, log, f, st.Last)
				took := time.Since(began)
				if err == nil && (f.Count() < sessionEvents || from != 0 && from < sessionEvents*8/10) {
					err = fmt.Errorf("session %d: %d events from event %d", i, f.Count(), from)
				}
				return took, err
			}}
		}
		got, err := interleave(ctx, n,
			folding("a session of 1,000 events, whole", func(t projections.Target) *projections.Fold {
				return projections.NewFold(t, config, projections.All()...)
			}),
			folding("a session of 1,000 events, snapshot and tail", func(t projections.Target) *projections.Fold {
				return dir.Begin(ctx, log, t, config, st.Last, projections.All()...)
			}))
		if err != nil {
			return err
		}
		b.add(times(row, "a session of 1,000 events, whole", got[0]))
		l := times(row, "a session of 1,000 events, snapshot and tail", got[1]).against("whole", got[0])
		b.add(l.bar(fmt.Sprintf("<= %d", sessionBar), l.P50 <= sessionBar))
		return nil
	})
}
