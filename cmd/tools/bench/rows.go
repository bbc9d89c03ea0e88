package main

import (
	"fmt"
	"time"
)

// rows are the rows of the table by their number, from 1.
var rows = []func(*bench) []line{
	(*bench).withOwner, (*bench).withoutOwner, (*bench).firstAnswer, (*bench).recovery, (*bench).burst,
	(*bench).readAndFold, (*bench).oneSession, (*bench).killed, (*bench).bySize, (*bench).busy, (*bench).afterCompaction, (*bench).imports,
	(*bench).dialects, (*bench).year, (*bench).teams, (*bench).growth, (*bench).longSessions,
}

// smallCall is the size of the payloads of the recorded tool calls.
const smallCall = "0.7-1.3 KB"

// plain returns a variant that runs a program with an empty stdin.
func (b *bench) plain(name string, args ...string) variant {
	p := process{args: args}
	return variant{name: name, run: func(int) time.Duration { return must(p.run(b.null, b.null)) }}
}

// hello returns a variant that runs a Go program that prints a line: the baseline of everything that agents call.
func (b *bench) hello() variant {
	v := b.plain("hello world", b.tiny)
	v.as = "hello"
	return v
}

// floor is hello without a line of its own in the table.
func (b *bench) floor() variant {
	v := b.hello()
	v.silent = true
	return v
}

// sending returns a variant that runs a hook process with a new payload each time; hook returns the n-th one.
func (b *bench) sending(name string, p process, hook func(n int) payload) variant {
	sent := 0
	return variant{name: name, run: func(int) time.Duration {
		sent++
		return must(b.send(p, hook(sent), b.null))
	}}
}

// calls returns a function that returns the n-th tool call of a session.
func (b *bench) calls(session int) func(int) payload {
	return func(n int) payload { return b.hooks.toolCall(sessionName(session), n) }
}

// withOwner is row 1: whole hook processes while an owner runs. Large payloads are
// rare: a file written whole, the output of a long command.
func (b *bench) withOwner() []line {
	s, few := b.newStore(), max(b.n/4, 1)
	group := append(b.both(s, bar{beyond: 2.2}), b.plain("bare append", b.tiny, b.file("bare")))
	for i, longer := range []struct {
		kb  int
		bar bar
	}{{30, bar{}}, {200, bar{}}, {600, bar{most: 12}}} {
		v := b.sending(fmt.Sprintf("hook, %d KB", longer.kb), s.hook(), func(n int) payload { return b.hooks.write(sessionName(3+i), n, longer.kb<<10) })
		v.n = few
		group = append(group, v.against(1, longer.bar))
	}
	b.start(s) // so that no sample starts the owner
	lines := b.measure(b.n, group...)
	// One payload started the owner. Each variant sent one more than it counted, to warm caches.
	sent, kept := 1+2*(b.n+1)+3*(few+1), b.kept(s)
	lines = append(lines, line{What: "events kept", Value: fmt.Sprintf("%d of %d", kept, sent)}.reached("all", kept == sent))
	return append(lines, b.sizes(s)...)
}

// both returns hello world, and the no-op and the hook of each of both programs. The bar is that of the hook of journal-hook.
func (b *bench) both(s *store, small bar) []variant {
	return []variant{
		b.hello(), b.plain("no-op of journal-hook", b.small.noop), b.plain("no-op of journal", b.journal.noop),
		b.sending("hook of journal-hook, "+smallCall, s.hook(), b.calls(1)).against(1, small),
		b.sending("hook of journal, "+smallCall, s.largeHook(), b.calls(2)).against(1, bar{}),
	}
}

// withoutOwner is row 2: hooks that find no owner and spool. Such a hook starts journal-hook and then journal, which is also
// measured alone. A hook that also starts the owner has no bar.
func (b *bench) withoutOwner() []line {
	s, other := b.newStore(), b.newStore()
	second := b.sending("hook of journal that spools, "+smallCall, s.largeHook("JOURNAL_OWNER=never-spawn"), b.calls(1)).against(1, bar{})
	spooling := b.sending("hook that spools, "+smallCall, s.hook("JOURNAL_OWNER=never-spawn"), b.calls(1)).against(1, bar{beyond: 1.8})
	second.after, spooling.after = s.emptySpool, s.emptySpool
	starting := b.sending("hook that spools and starts the owner", other.hook(), b.calls(1)).against(1, bar{})
	starting.prepare = func() { other.stop(b.ctx) }
	return append(b.measure(b.n, b.floor(), second, spooling), b.measure(max(b.n/20, 3), b.floor(), starting)...)
}

// firstAnswer is row 3: the hook that starts the owner of the long log, which was closed cleanly, and waits for its answer. It
// uses the newest sessions, row 4 the oldest, so that each gets one answer.
func (b *bench) firstAnswer() []line {
	s := b.filled()
	var promised bar // up to a year of use
	switch {
	case b.events <= 1_000_000:
		promised.most = 60
	case b.events <= 2_000_000:
		promised.most = 90
	}
	first := b.answers(s, "first hook with an answer, no owner", func(i int) int { return b.sessions() - 1 - i }).against(1, promised)
	first.prepare = func() { s.stop(b.ctx) }
	return b.measure(min(20, b.sessions()/4), b.floor(), first)
}

// recovery is row 4: the two answers at a compaction of a session of 1,000 events while an owner runs, first the guidance for the
// summary, then the recovery text. The bars are those of a session that the owner has answered before, as it does at every
// prompt. A session that is new to the owner is measured, too. A machine is slower after a pause, so hello world also runs after
// one.
func (b *bench) recovery() []line {
	s := b.filled()
	b.start(s)
	paused := b.hello()
	paused.name, paused.prepare = "hello world, after the same pause", pause
	promised := bar{beyond: 4, times: 3.2}
	announced := b.announced(s, 1).against(1, promised)
	known := b.answers(s, "recovery text, session known to the owner", func(int) int { return 0 }).against(1, promised)
	known.as, known.prepare = "known", b.compacting(s, 0)
	first := b.answers(s, "recovery text, session new to the owner", func(i int) int { return 2 + i }).against(3, bar{})
	first.n = min(b.n/4, b.sessions()/2)
	return b.measure(max(b.n/2, 1), paused, announced, known, first)
}

// announced returns a variant that announces a compaction, each time after some work.
func (b *bench) announced(s *store, session int) variant {
	calls := sessionEvents
	v := variant{name: "compaction announced, session known to the owner", run: func(int) time.Duration { return must(b.announce(s, session)) }}
	v.prepare = func() {
		calls++
		must(b.send(s.hook(), b.calls(session)(calls), b.null))
		pause()
	}
	return v
}

// announce runs the hook before a compaction of a session.
func (b *bench) announce(s *store, session int) (time.Duration, error) {
	return b.send(s.hook(), b.hooks.named("PreCompact")[0].with(payload{"session_id": sessionName(session)}), b.null)
}

// answers returns a variant that runs the hook after a compaction, which must get a recovery text.
func (b *bench) answers(s *store, name string, session func(i int) int) variant {
	return variant{name: name, run: func(i int) time.Duration { return b.restart(s, sessionName(session(i)), nil) }}
}

// summarised is a lower bound of the time between the announcement of a compaction and its end; agents take seconds. What the
// owner does at the announcement, such as reading the state of the checkout, takes less.
const summarised = 200 * time.Millisecond

// pause waits as long as a short summary takes.
func pause() { time.Sleep(summarised) }

// compacting returns a function that works in a session and announces a compaction. Without it the next answer would belong to
// the same compaction.
func (b *bench) compacting(s *store, session int) func() {
	calls := sessionEvents
	return func() {
		calls++
		must(b.send(s.hook(), b.calls(session)(calls), b.null))
		must(b.announce(s, session))
		pause()
	}
}

// killed is row 8: the owner of the long log is killed, and the next hook starts another one, which checks the whole store before
// it opens it. Meanwhile 20 hooks a second run, many more than one agent has.
func (b *bench) killed() []line {
	const pace, n = 50 * time.Millisecond, 5
	s := b.filled()
	hook := b.sending("hooks", s.hook(), b.calls(b.sessions()+1)).run
	opening := func(name string, before func(), during *series) variant {
		return variant{name: "until the log serves again, " + name, n: n, prepare: before, run: func(i int) time.Duration {
			began := time.Now()
			for next := began; ; time.Sleep(time.Millisecond) {
				if now := time.Now(); !now.Before(next) {
					*during, next = append(*during, hook(i)), now.Add(pace)
				}
				if nc := s.drained(b.ctx); nc != nil {
					nc.Close()
					return time.Since(began)
				}
			}
		}}
	}
	b.start(s)
	var calm, during series
	clean := opening("after a clean stop", func() { s.stop(b.ctx) }, &calm)
	clean.as = "clean"
	killed := opening("owner killed", func() { s.kill(b.ctx) }, &during).against(2, bar{most: 1000})
	meanwhile := variant{name: "hooks meanwhile, which spool"}.against(1, bar{beyond: 10})
	group := []variant{b.floor(), clean, killed}
	got := b.interleave(20, group...)
	return linesOf(append(group, meanwhile), append(got, during))
}

// bySize is row 9: the same hooks on a log of 10,000 events and on the long one, in
// turns, about a session that both logs have.
func (b *bench) bySize() []line {
	const session = 9
	short, group := b.newStore(), []variant{b.floor()}
	b.generate(short, blockEvents, sessionEvents)
	for i, s := range []*store{short, b.filled()} {
		events := fmt.Sprint([]int{blockEvents, b.events}[i])
		hook := b.sending("hook, log of "+events+" events", s.hook(), func(n int) payload { return b.calls(session)(10*sessionEvents + n) })
		text := b.answers(s, "recovery text, log of "+events+" events", func(int) int { return session })
		text.n, text.prepare = max(b.n/4, 1), b.compacting(s, session)
		hook.as, text.as = events, events
		if s == short {
			group = append(group, hook.against(1, bar{}), text.against(1, bar{}))
		} else {
			group = append(group, hook.against(2, bar{within: 0.2}), text.against(3, bar{within: 0.2}))
		}
		b.start(s)
	}
	return b.measure(b.n, group...)
}
