package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/journal/snapshots"
	"journal/journal"
	"journal/journal/client"
	"journal/projections"
	"journal/replay"
)

// sessionBar is what the states of a session of 1,000 events may take in the
// owner, with a snapshot (DESIGN 13), in milliseconds.
const sessionBar = 5

// oneSession is row 7: every projection of one session out of the long log, inside
// the owner's process, from the session's beginning, and from a snapshot that was
// taken before the last tenth of it. The session is one of the ten that were at work
// last; or one from the middle of the log, behind which the project went on, so that
// its fold has to hear what all the others decided.
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
		dir, config, project := snapshots.In(s.dir), projections.Config{}, client.ProjectKey(b.root)
		newest, middle := b.sessions()-atATime, b.sessions()/2/atATime*atATime
		target := func(first, i int) projections.Target {
			return projections.Target{Project: project, Session: sessionName(first + i%atATime)}
		}
		for _, first := range []int{newest, middle} {
			for i := range atATime {
				f := projections.NewFold(target(first, i), config, projections.All()...)
				if err := replay.Forward(ctx, log, f, uint64(first/atATime*blockEvents+blockEvents*9/10)); err != nil {
					return err
				}
				if err := dir.Save(ctx, log, f, config); err != nil {
					return err
				}
			}
		}
		folding := func(name string, first int, begin func(t projections.Target) *projections.Fold) variant {
			return variant{name: name, run: func(i int) (time.Duration, error) {
				began := time.Now()
				f := begin(target(first, i))
				from := f.Count()
				err := replay.Forward(ctx, log, f, st.Last)
				took := time.Since(began)
				if err == nil && (f.Count() < sessionEvents || from != 0 && from < sessionEvents*8/10) {
					err = fmt.Errorf("session %d: %d events from event %d", i, f.Count(), from)
				}
				return took, err
			}}
		}
		whole := func(t projections.Target) *projections.Fold {
			return projections.NewFold(t, config, projections.All()...)
		}
		saved := func(t projections.Target) *projections.Fold {
			return dir.Begin(ctx, log, t, config, st.Last, projections.All()...)
		}
		variants := []variant{
			folding("a session of 1,000 events, whole", newest, whole),
			folding("a session of 1,000 events, snapshot and tail", newest, saved),
			folding("one from the middle of the log, whole", middle, whole),
			folding("one from the middle of the log, snapshot and tail", middle, saved),
		}
		got, err := interleave(ctx, max(b.n/4, 1), variants...)
		if err != nil {
			return err
		}
		for i, v := range variants {
			l := times(row, v.name, got[i])
			if i%2 == 1 {
				l = l.against("whole", got[i-1])
			}
			if i == 1 {
				l = l.bar(fmt.Sprintf("<= %d", sessionBar), l.P50 <= sessionBar)
			}
			b.add(l)
		}
		return nil
	})
}
