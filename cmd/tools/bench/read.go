package main

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal"
	"journal/journal/wire/client"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
)

// readAndFold is row 6: folding all projections of all sessions from the log, and the parts of that. It is measured through the
// owner's socket, as commands read, and in the process of the owner, as for answers.
func (b *bench) readAndFold() (lines []line) {
	const mostMemory = 100 << 20
	s := b.filled()
	reading := func(where string) func(*journal.Log, jetstream.JetStream) {
		return func(log *journal.Log, js jetstream.JetStream) { lines = append(lines, b.reading(where, log, js)...) }
	}
	b.start(s)
	s.with(b.ctx, reading("through the socket"))
	memory := s.resident(b.ctx)
	lines = append(lines, line{What: "memory of the owner after that", Value: fmt.Sprintf("%d MB", memory>>20)}.
		reached(fmt.Sprintf("<= %d MB", mostMemory>>20), memory <= mostMemory))
	s.stop(b.ctx)
	b.owning(s, reading("in the owner"))
	return lines
}

// reading measures reading and folding over one connection.
func (b *bench) reading(where string, log *journal.Log, js jetstream.JetStream) []line {
	const mostRaw = 100_000 // encoded events in memory
	n, raw := int(must(log.Stats(b.ctx)).Events), [][]byte(nil)
	b.each(log, func(e events.Envelope) {
		if len(raw) < mostRaw {
			raw = append(raw, must(events.Encode(e)))
		}
	})
	timed := func(name string, n int, f func()) variant {
		return variant{name: name + ", " + where, events: n, run: func(int) time.Duration {
			began := time.Now()
			f()
			return time.Since(began)
		}}
	}
	ordered := timed("bare ordered consumer", n, func() { b.ordered(js, log.Stream(), n) })
	ordered.as = "ordered"
	return b.measure(3, ordered,
		timed("read the log", n, func() { b.each(log, func(events.Envelope) {}) }).against(1, bar{}),
		timed("read and fold all", n, func() { b.rebuild(log) }).against(1, bar{rate: 350_000, share: 0.8}),
		timed("decode in memory", len(raw), func() {
			for i, b := range raw {
				must(events.Open(must(events.Decode(b, uint64(i+1)))))
			}
		}).against(1, bar{}),
	)
}

// ordered receives n messages from an ordered consumer.
func (b *bench) ordered(js jetstream.JetStream, stream string, n int) {
	done := make(chan struct{})
	consumer := must(js.OrderedConsumer(b.ctx, stream, jetstream.OrderedConsumerConfig{}))
	consuming := must(consumer.Consume(func(jetstream.Msg) {
		if n--; n == 0 {
			close(done)
		}
	}, jetstream.PullMaxMessages(5000)))
	defer consuming.Stop()
	select {
	case <-done:
	case <-b.ctx.Done():
		check(b.ctx.Err())
	}
}

// each passes every event of a log to f.
func (b *bench) each(log *journal.Log, f func(events.Envelope)) {
	for e, err := range log.Events(b.ctx, events.Span{}) {
		check(err)
		f(e)
	}
}

// rebuild folds the whole log in one pass: each projection for each lane, session or project that has a state of its own, or for
// the user. Here the projections of a session get only the events of that session, without the rare ones of the project that
// they get in a real replay.
func (b *bench) rebuild(log *journal.Log) {
	byScope := map[projections.Scope][]projections.Projection{}
	for _, p := range projections.All() {
		byScope[p.Scope()] = append(byScope[p.Scope()], p)
	}
	type place struct {
		scope  projections.Scope
		target projections.Target
	}
	folds := map[place]*projections.Fold{}
	b.each(log, func(e events.Envelope) {
		for _, p := range [...]place{
			{projections.Lane, projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane}},
			{projections.Session, projections.Target{Project: e.Project, Session: e.Session}},
			{projections.Project, projections.Target{Project: e.Project}},
			{projections.User, projections.Target{}},
		} {
			if folds[p] == nil {
				folds[p] = projections.NewFold(p.target, projections.Config{}, byScope[p.scope]...)
			}
			folds[p].Apply(e)
		}
	})
}

// oneSession is row 7: folding every projection of one session of the long log, in the owner's process. The session is one of the
// last ten, or one from the middle of the log, whose fold also gets the later decisions of the project. It also has the first
// answer in a very long session, by the hook that starts the owner after an idle time.
func (b *bench) oneSession() (lines []line) {
	const many = 20_000
	b.owning(b.filled(), func(log *journal.Log, _ jetstream.JetStream) {
		last := must(log.Stats(b.ctx)).Last
		folding := func(name string, first int) variant {
			return variant{name: name, bar: bar{most: 10}, run: func(i int) time.Duration {
				t := projections.Target{Project: client.ProjectKey(b.root), Session: sessionName(first + i%atATime)}
				began := time.Now()
				f := projections.NewFold(t, projections.Config{}, projections.All()...)
				check(replay.Forward(b.ctx, log, f, last))
				took := time.Since(began)
				if f.Count() < sessionEvents {
					check(fmt.Errorf("session %d: %d events", i, f.Count()))
				}
				return took
			}}
		}
		lines = b.measure(max(b.n/4, 1),
			folding("a session of 1,000 events", b.sessions()-atATime),
			folding("one from the middle of the log", b.sessions()/2/atATime*atATime))
	})
	s := b.newStore()
	b.generate(s, many, many)
	work := b.compacting(s, 0)
	idle := b.answers(s, "first answer in a session of 20,000, no owner", func(int) int { return 0 }).against(1, bar{most: 150})
	idle.prepare = func() { work(); s.stop(b.ctx) }
	return append(lines, b.measure(max(b.n/20, 3), b.floor(), idle)...)
}
