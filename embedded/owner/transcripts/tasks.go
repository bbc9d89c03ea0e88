package transcripts

import (
	"context"
	"errors"
	"io/fs"

	"journal/events"
	"journal/projections"
)

// tasks stores what the session's subagents were asked to do, where their transcripts
// tell it by now.
func (f *Reader) tasks(ctx context.Context, one *follower) error {
	format, path := one.file.format, one.file.path
	if format == nil || format.Task == nil || path == "" || one.file.paused {
		return nil
	}
	f.writer.Lock()
	var lanes []string
	for lane := range one.lanes {
		lanes = append(lanes, lane)
	}
	f.writer.Unlock()
	for _, lane := range lanes {
		s, err := format.Task(path, lane)
		if errors.Is(err, fs.ErrNotExist) {
			continue // agents write it late
		}
		if err == nil {
			one.file.steps = append(one.file.steps, s)
			err = f.store(ctx, one)
		}
		f.writer.Lock()
		delete(one.lanes, lane)
		f.writer.Unlock()
		if err != nil && !errors.Is(err, fs.ErrInvalid) {
			return err
		}
	}
	return nil
}

// noteTold remembers what a hook will tell as well, later. The caller holds the writer's
// lock.
func (one *follower) noteTold(e events.Envelope) {
	if t, ok := tasked(e); ok {
		one.tasked[t.Lane] = e.Seq
	}
}

func tasked(e events.Envelope) (t events.SubagentTasked, ok bool) {
	if e.Type != events.TypeOf[events.SubagentTasked]() {
		return t, false
	}
	ev, err := events.Open(e)
	t, ok = ev.(events.SubagentTasked)
	return t, ok && err == nil
}

// Repeats gives the place of the event by which a transcript told what a hook tells now,
// 0 for none: the task of a subagent, which the hook tells when that has answered. The
// caller holds the writer's lock.
func (f *Reader) Repeats(e events.Envelope) uint64 {
	t, ok := tasked(e)
	one := f.all[projections.Target{Project: e.Project, Session: e.Session}]
	if !ok || one == nil || events.Derived(e.ID) {
		return 0
	}
	return one.tasked[t.Lane]
}
