package owner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"journal/events"
	"journal/projections"
)

const (
	// followed is how many sessions' transcripts are followed at once; of one more the
	// oldest is forgotten, and read again when it speaks again.
	followed = 32
	// stepBytes is what is read of a transcript at once. aheadWait is how long an answer
	// waits for its turn to read, and after which no further row is read before it; what
	// the rows say is still found and stored then.
	stepBytes = 1 << 20
	aheadWait = 3 * time.Millisecond
	// recent is how long ago a session may have begun that is looked at when a pause
	// ends, though it has said nothing to this owner.
	recent = 24 * time.Hour
	// lastRead bounds the reading of what is left when the owner leaves.
	lastRead = 2 * time.Second
)

// followers knows the sessions at work whose transcripts are read while they grow:
// for what no hook tells, and for receipts. Hooks never read them. It is guarded by
// the writer's mu.
type followers struct {
	on     bool // somebody reads: an owner that serves one hook follows nothing
	all    map[projections.Target]*follower
	order  []projections.Target // oldest first
	woken  map[projections.Target]bool
	lifted bool          // a pause was, and where the transcripts end then is not recorded yet
	bell   chan struct{} // that some are
}

func newFollowers() followers {
	return followers{all: map[projections.Target]*follower{}, woken: map[projections.Target]bool{}, bell: make(chan struct{}, 1)}
}

// follower follows the transcript of one session. Who holds turn reads; the fields
// below mu are guarded by the writer's mu.
type follower struct {
	target projections.Target
	turn   chan struct{}

	// mu
	barred bool              // what the file holds is not to be read
	end    fs.FileInfo       // of the file when that was said, nil for the end that it has by now
	path   string            // of the transcript, empty as long as nobody looked
	moved  bool              // the log may tell another path
	lanes  map[string]bool   // subagents whose task is not known yet
	tasked map[string]uint64 // where the transcript told a subagent's task, by lane

	// turn
	file  reading
	known known
	facts *delivery // nil until a receipt is due
	shown int       // rows of contexts that were compared with facts
}

// get gives the follower of a session, a new one if need be. The caller holds the
// writer's mu.
func (f *followers) get(t projections.Target) *follower {
	t.Lane = ""
	one := f.all[t]
	if one == nil {
		if len(f.order) == followed {
			delete(f.all, f.order[0])
			f.order = f.order[1:]
		}
		one = &follower{target: t, turn: make(chan struct{}, 1), moved: true, lanes: map[string]bool{}, tasked: map[string]uint64{}}
		f.all[t] = one
		f.order = append(f.order, t)
	}
	return one
}

// note takes an event that was stored now. The caller holds the writer's mu.
func (f *followers) note(e events.Envelope) {
	switch {
	case !f.on:
		return
	case e.Type == events.TypeOf[events.RecordingPaused](), e.Type == events.TypeOf[events.RecordingResumed]():
		for t, one := range f.all {
			if project, all := switched(e); all || project == t.Project {
				one.bar(e.Type == events.TypeOf[events.RecordingResumed]())
			}
		}
		if e.Type == events.TypeOf[events.RecordingResumed]() {
			f.lifted = true
			f.ring()
		}
		return
	case e.Agent == "" || e.Session == events.None || e.EchoOf != 0 || events.Reserved(e.Type):
		return // no hook of an agent at work
	}
	t := projections.Target{Project: e.Project, Session: e.Session}
	if events.Derived(e.ID) {
		if one := f.all[t]; one != nil {
			one.noteTold(e)
		}
		return // a transcript told it
	}
	one := f.get(t)
	switch e.Type {
	case events.TypeOf[events.SessionStarted]():
		one.moved = true
	case events.TypeOf[events.SubagentStarted]():
		one.lanes[e.Lane] = true
	case events.TypeOf[events.SubagentEnded]():
		delete(one.lanes, e.Lane)
	}
	f.wake(t)
}

// wake has the transcript of a session read soon. The caller holds the writer's mu.
func (f *followers) wake(t projections.Target) {
	f.woken[t] = true
	f.ring()
}

func (f *followers) ring() {
	select {
	case f.bell <- struct{}{}:
	default:
	}
}

// awake gives those that were woken. The caller holds the writer's mu.
func (f *followers) awake() (all []*follower) {
	for t := range f.woken {
		if one := f.all[t]; one != nil {
			all = append(all, one)
		}
	}
	clear(f.woken)
	return all
}

// following reads transcripts until ctx ends. Appenders do not wait for it.
func (o *Owner) following(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.writer.followers.bell:
			o.readAwake(ctx)
		}
	}
}

// readAwake reads the transcripts of the sessions that were woken, to their ends.
func (o *Owner) readAwake(ctx context.Context) {
	if err := o.wakeRecent(ctx); err != nil && ctx.Err() == nil {
		o.trouble(err) // what their transcripts hold when they speak is passed then
	}
	o.writer.mu.Lock()
	all := o.writer.followers.awake()
	o.writer.mu.Unlock()
	for len(all) > 0 && ctx.Err() == nil {
		one := all[0]
		all = all[1:]
		select {
		case one.turn <- struct{}{}:
		case <-ctx.Done():
			return
		}
		more := o.readOn(ctx, one, time.Time{})
		<-one.turn
		if more {
			all = append(all, one) // the others are not kept waiting by a long one
		}
	}
}

// wakeRecent has the transcripts of sessions looked at that may be at work, when a pause
// has ended: what they hold by now is passed, and what comes is read.
func (o *Owner) wakeRecent(ctx context.Context) error {
	f := &o.writer.followers
	o.writer.mu.Lock()
	lifted := f.lifted
	f.lifted = false
	if lifted {
		for t := range f.all {
			f.wake(t)
		}
	}
	o.writer.mu.Unlock()
	if !lifted {
		return nil
	}
	since := time.Now().Add(-recent).UnixNano()
	for e, err := range o.log.Events(ctx, events.Span{}, events.Selector{Type: events.TypeOf[events.SessionStarted]()}) {
		if err != nil {
			return err
		}
		if e.At < since || e.Lane != "" || events.Derived(e.ID) {
			continue
		}
		o.writer.mu.Lock()
		t := projections.Target{Project: e.Project, Session: e.Session}
		f.get(t)
		f.wake(t)
		o.writer.mu.Unlock()
	}
	return nil
}

// readAhead reads what the transcript of a session says before its next report, so
// that an answer knows it; what takes longer is read afterwards.
func (o *Owner) readAhead(ctx context.Context, m events.Meta) {
	o.writer.mu.Lock()
	on := o.writer.followers.on && m.Session != events.None && m.Agent != ""
	var one *follower
	if on {
		one = o.writer.followers.get(projections.Target{Project: m.Project, Session: m.Session})
	}
	o.writer.mu.Unlock()
	if !on {
		return
	}
	deadline := time.Now().Add(aheadWait)
	wait := time.NewTimer(aheadWait)
	defer wait.Stop()
	select {
	case one.turn <- struct{}{}:
	case <-wait.C:
		return
	case <-ctx.Done():
		return
	}
	defer func() { <-one.turn }()
	o.readOn(ctx, one, deadline)
}

// readLast reads what was written until the owner left. Nobody else reads any more.
func (o *Owner) readLast() {
	ctx, cancel := context.WithTimeout(context.Background(), lastRead)
	defer cancel()
	o.writer.mu.Lock()
	for t := range o.writer.followers.all {
		o.writer.followers.wake(t)
	}
	o.writer.mu.Unlock()
	o.readAwake(ctx)
	o.writer.mu.Lock()
	o.writer.followers.on = false
	o.writer.mu.Unlock()
}

// readOn reads a transcript on for a step, until a deadline, which may be zero, and
// stores what it says. more says that there is more to read now. The caller has turn.
func (o *Owner) readOn(ctx context.Context, one *follower, deadline time.Time) (more bool) {
	more, err := o.follow(ctx, one, deadline)
	if err == nil {
		err = o.tasks(ctx, one)
	}
	if err == nil && !more {
		err = o.receipt(ctx, one)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
		o.trouble(fmt.Errorf("transcript of session %s: %w", one.target.Session, err))
	}
	return more && err == nil
}
