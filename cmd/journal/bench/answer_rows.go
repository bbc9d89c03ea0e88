package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The bars of hooks that an answer is owed to (DESIGN 13), in milliseconds.
const (
	firstAnswerBar = 60 // without an owner, of a log that was closed cleanly
	recoveryBar    = 10 // with one
)

// filled gives the store with the generated log, made at the first call.
func (b *bench) filled(ctx context.Context) (*store, error) {
	if b.full != nil {
		return b.full, nil
	}
	script, err := b.hooks.script()
	if err != nil {
		return nil, err
	}
	s := b.newStore()
	if err := generate(ctx, s.dir, b.root, script, b.events); err != nil {
		return nil, err
	}
	// The project's path is recorded once; that is nobody's sample.
	if _, err := b.send(s.hook(), b.hooks.toolCall(sessionName(b.sessions()), 0), b.null); err != nil {
		return nil, err
	}
	if err := s.copied(ctx); err != nil {
		return nil, err
	}
	if err := s.stop(ctx); err != nil {
		return nil, err
	}
	b.full = s
	return s, nil
}

// sessions is how many sessions the generated log has.
func (b *bench) sessions() int { return b.events / sessionEvents }

// restart runs the hook of a context that starts anew after a compaction, which
// has to be answered with a recovery text.
func (b *bench) restart(s *store, session string) (time.Duration, error) {
	var hook map[string]any
	for _, h := range b.hooks.named("SessionStart") {
		if h["source"] == "compact" {
			hook = with(h, map[string]any{"session_id": session})
		}
	}
	out, err := os.Create(filepath.Join(b.dir, "answer"))
	if err != nil {
		return 0, err
	}
	defer out.Close()
	took, err := b.send(s.hook(), hook, out)
	if err != nil {
		return 0, err
	}
	if fi, err := out.Stat(); err != nil || fi.Size() < 500 {
		return 0, errors.Join(fmt.Errorf("session %s got no recovery text within %v", session, took), err)
	}
	return took, nil
}

// firstAnswer is row 3: the hook that starts the owner of a long log and waits
// for its answer.
func (b *bench) firstAnswer(ctx context.Context) error {
	const row, n = 3, 20
	s, err := b.filled(ctx)
	if err != nil {
		return err
	}
	first := variant{
		name:    "first hook with an answer, no owner",
		prepare: func(ctx context.Context, _ int) error { return s.stop(ctx) },
		// Sessions from the newest: rows 3 and 4 ask each session once.
		run: func(i int) (time.Duration, error) { return b.restart(s, sessionName(b.sessions()-1-i)) },
	}
	got, err := interleave(ctx, min(n, b.sessions()/4), b.floor(), first)
	if err != nil {
		return err
	}
	l := times(row, first.name, got[1]).against("no-op", got[0])
	b.add(l.bar(fmt.Sprintf("<= %d", firstAnswerBar), l.P50 <= firstAnswerBar))
	return s.stop(ctx)
}

// recovery is row 4: the recovery text of a session of 1,000 events while an owner
// runs. The bar is for a session that the owner has answered before, as it has at
// every prompt of a session at work; beside it one that the owner hears of for the
// first time and that has no snapshot, as after a kill.
func (b *bench) recovery(ctx context.Context) error {
	const row, known = 4, 0
	s, err := b.filled(ctx)
	if err != nil {
		return err
	}
	calls := sessionEvents
	prepare := func(context.Context, int) error {
		// Work, and the intention to compact: else it were the same compaction.
		calls++
		for _, h := range []map[string]any{
			b.hooks.toolCall(sessionName(known), calls),
			with(b.hooks.named("PreCompact")[0], map[string]any{"session_id": sessionName(known)}),
		} {
			if _, err := b.send(s.hook(), h, b.null); err != nil {
				return err
			}
		}
		return nil
	}
	// Sessions from the oldest, while row 3 takes the newest.
	new := variant{
		name: "recovery text, session new to the owner", n: min(b.n/4, b.sessions()/2),
		run: func(i int) (time.Duration, error) { return b.restart(s, sessionName(1+i)) },
	}
	again := variant{
		name: "recovery text, session known to the owner", prepare: prepare,
		run: func(int) (time.Duration, error) { return b.restart(s, sessionName(known)) },
	}
	if _, err := b.send(s.hook(), b.hooks.toolCall(sessionName(known), calls), b.null); err != nil {
		return err
	}
	if _, err := s.resident(ctx); err != nil { // it is up
		return err
	}
	got, err := interleave(ctx, max(b.n/2, 1), b.floor(), again, new)
	if err != nil {
		return err
	}
	l := times(row, again.name, got[1]).against("no-op", got[0])
	b.add(l.bar(fmt.Sprintf("<= %d", recoveryBar), l.P50 <= recoveryBar))
	b.add(times(row, new.name, got[2]).against("known", got[1]))
	return s.stop(ctx)
}
