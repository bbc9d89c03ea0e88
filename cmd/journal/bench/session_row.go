package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// sessionBar is what the states of a session of 1,000 events may take in the owner,
// in milliseconds.
const sessionBar = 10

// oneSession is row 7: every projection of one session out of the long log, inside
// the owner's process. The session is one of the ten that were at work last; or one
// from the middle of the log, behind which the project went on, so that its fold has
// to hear what all the others decided.
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
		project := journal.ProjectKey(b.root)
		folding := func(name string, first int) variant {
			return variant{name: name, run: func(i int) (time.Duration, error) {
				began := time.Now()
				f := projections.NewFold(projections.Target{Project: project, Session: sessionName(first + i%atATime)}, projections.Config{}, projections.All()...)
				err := replay.Forward(ctx, log, f, st.Last)
				took := time.Since(began)
				if err == nil && f.Count() < sessionEvents {
					err = fmt.Errorf("session %d: %d events", i, f.Count())
				}
				return took, err
			}}
		}
		variants := []variant{
			folding("a session of 1,000 events", b.sessions()-atATime),
			folding("one from the middle of the log", b.sessions()/2/atATime*atATime),
		}
		got, err := interleave(ctx, max(b.n/4, 1), variants...)
		if err != nil {
			return err
		}
		for i, v := range variants {
			l := times(row, v.name, got[i])
			b.add(l.bar(fmt.Sprintf("<= %d", sessionBar), l.P50 <= sessionBar))
		}
		return nil
	})
}
