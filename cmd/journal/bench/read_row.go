package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal"
	"journal/projections"
)

// The bars of reading (DESIGN 13).
const (
	rebuildBar  = 350_000   // events a second
	orderedBar  = 0.8       // of what a bare ordered consumer delivers
	residentBar = 100 << 20 // bytes of the owner's memory afterwards
)

const readRow = 6

// rawEvents bounds how many encoded events are held in memory at a time.
const rawEvents = 100_000

// readAndFold is row 6: a rebuild of all projections of all sessions from the
// log, beside the parts that it consists of. Once through the owner's socket, as
// commands read, and once inside the process of the owner, as answers are derived.
func (b *bench) readAndFold(ctx context.Context) error {
	s, err := b.filled(ctx)
	if err != nil {
		return err
	}
	// A hook starts the owner.
	if _, err := b.send(s.hook(), b.hooks.toolCall(sessionName(b.sessions()), 1), b.null); err != nil {
		return err
	}
	var memory line
	if err := s.with(ctx, func(log *journal.Log, js jetstream.JetStream) error {
		if err := b.reading(ctx, "through the socket", log, js); err != nil {
			return err
		}
		bytes, err := s.resident(ctx)
		memory = line{Row: readRow, What: "memory of the owner after that", Value: fmt.Sprintf("%d MB", bytes>>20)}.
			bar(fmt.Sprintf("<= %d MB", residentBar>>20), bytes <= residentBar)
		return err
	}); err != nil {
		return err
	}
	b.add(memory)
	if err := s.stop(ctx); err != nil {
		return err
	}
	return owning(ctx, s.dir, func(log *journal.Log, js jetstream.JetStream) error {
		return b.reading(ctx, "in the owner", log, js)
	})
}

// reading measures reading and folding over one connection.
func (b *bench) reading(ctx context.Context, where string, log *journal.Log, js jetstream.JetStream) error {
	const rounds = 3
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	raw, err := encoded(ctx, log, int(min(st.Events, rawEvents)))
	if err != nil {
		return err
	}
	timed := func(name string, f func() error) variant {
		return variant{name: name, run: func(int) (time.Duration, error) {
			began := time.Now()
			err := f()
			return time.Since(began), err
		}}
	}
	variants := []variant{
		timed("bare ordered consumer", func() error { return ordered(ctx, js, log.Stream(), int(st.Events)) }),
		timed("read the log", func() error { return read(ctx, log) }),
		timed("read and fold all", func() error { return rebuild(ctx, log) }),
		timed("decode in memory", func() error { return decode(raw) }),
	}
	got, err := interleave(ctx, rounds, variants...)
	if err != nil {
		return err
	}
	consumer := float64(st.Events) / got[0].median().Seconds()
	for i, v := range variants {
		n := float64(st.Events)
		if i == 3 {
			n = float64(len(raw))
		}
		rate := n / got[i].median().Seconds()
		l := line{Row: readRow, What: v.name + ", " + where, Value: fmt.Sprintf("%.0fk events/s", rate/1000), N: len(got[i])}
		if i > 0 {
			l.Baseline = fmt.Sprintf("ordered %.0fk", consumer/1000)
			l.Beyond = fmt.Sprintf("%.0f %%", 100*rate/consumer)
		}
		if i == 2 {
			l = l.bar(fmt.Sprintf(">= %dk and >= %.0f %%", rebuildBar/1000, 100*orderedBar), rate >= rebuildBar && rate >= orderedBar*consumer)
		}
		b.add(l)
	}
	return nil
}

// encoded gives the stored bytes of the first n events.
func encoded(ctx context.Context, log *journal.Log, n int) ([][]byte, error) {
	var raw [][]byte
	for e, err := range log.Events(ctx, events.Span{Until: uint64(n)}) {
		if err != nil {
			return nil, err
		}
		b, err := events.Encode(e)
		if err != nil {
			return nil, err
		}
		raw = append(raw, b)
	}
	return raw, nil
}

// decode opens encoded events, envelope and body.
func decode(raw [][]byte) error {
	for i, b := range raw {
		e, err := events.Decode(b, uint64(i+1))
		if err != nil {
			return err
		}
		if _, err := events.Open(e); err != nil {
			return err
		}
	}
	return nil
}

// ordered takes n messages from an ordered consumer and looks at none.
func ordered(ctx context.Context, js jetstream.JetStream, stream string, n int) error {
	c, err := js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	done := make(chan struct{})
	left := n
	consuming, err := c.Consume(func(jetstream.Msg) {
		if left--; left == 0 {
			close(done)
		}
	}, jetstream.PullMaxMessages(orderedPull))
	if err != nil {
		return err
	}
	defer consuming.Stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// orderedPull is how many messages the ordered consumer asks for at a time.
const orderedPull = 5000

func read(ctx context.Context, log *journal.Log) error {
	for _, err := range log.Events(ctx, events.Span{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// rebuild folds the whole log in one pass: each projection once for everything
// that has a state of its own in it, a lane, a session, a project or the user. A
// narrow projection is only told of its own session here, so what it takes from
// the whole project in a real replay is missing; such events are rare.
func rebuild(ctx context.Context, log *journal.Log) error {
	byScope := map[projections.Scope][]projections.Projection{}
	for _, p := range projections.All() {
		byScope[p.Scope()] = append(byScope[p.Scope()], p)
	}
	type place struct {
		scope  projections.Scope
		target projections.Target
	}
	folds := map[place]*projections.Fold{}
	for e, err := range log.Events(ctx, events.Span{}) {
		if err != nil {
			return err
		}
		for _, p := range [...]place{
			{projections.Lane, projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane}},
			{projections.Session, projections.Target{Project: e.Project, Session: e.Session}},
			{projections.Project, projections.Target{Project: e.Project}},
			{projections.User, projections.Target{}},
		} {
			f := folds[p]
			if f == nil {
				f = projections.NewFold(p.target, projections.Config{}, byScope[p.scope]...)
				folds[p] = f
			}
			if err := f.Apply(e); err != nil {
				return err
			}
		}
	}
	return nil
}
