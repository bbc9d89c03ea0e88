// Package transcripts reads agents' transcripts of their sessions while they grow: for facts that no hook reports, for proof that a
// recovery text was delivered, and for the parents of forks. To pass a part of a transcript is to skip it for good. A portion is the part
// that is read at once; a step is what the transcript's reader reports of a row.
package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal"
	"journal/journal/wire"
	"journal/projections"
)

const (
	// followed is the number of sessions whose transcripts are followed at once. One more session evicts the oldest that does not wait to
	// be read. An evicted session is followed again from its next event.
	followed = 32
	// portionBytes is the greatest size of a portion of a transcript.
	portionBytes = 1 << 20
	// aheadWait bounds the time for which ReadAhead waits until it may read. After that time it reads one more row of each transcript at most.
	aheadWait = 3 * time.Millisecond
	// recent is the age up to which a session counts as running when a pause ends. The present content of its transcript is passed, even if
	// the session sent this owner no event.
	recent = 24 * time.Hour
	// lastRead bounds the time in which an owner that leaves reads the rest of the transcripts.
	lastRead = 2 * time.Second
)

// Reader reads the transcripts of running sessions while they grow, for facts that no hook reports and for receipts. Hooks never
// read them. It is a listener of the writer.
type Reader struct {
	log      *journal.Log
	writer   Writer
	receipts *Receipts
	dir      string        // of the journal
	killed   bool          // the previous owner did not read the transcripts to their ends
	ahead    time.Duration // aheadWait, at the pace of the configuration
	onError  func(error)
	due      chan struct{} // notifies Run of woken sessions, or of the end of a pause

	// The writer's lock guards these fields.

	follows bool                                  // set by Begin; an owner that serves only one verb follows no transcript
	all     map[projections.Target]*sessionReader // of the followed sessions
	order   []projections.Target                  // of all, oldest first
	woken   map[projections.Target]bool           // sessions whose transcripts have to be read
	lifted  bool                                  // a pause ended, and wakeRecent has to be called
}

// Writer stores facts from transcripts. Its lock guards the set of followed sessions.
type Writer interface {
	sync.Locker
	// Head returns the sequence of the newest event. Newest returns the same, for a holder of the lock.
	Head() uint64
	Newest() uint64
	// Store appends events; the caller holds the lock.
	Store(ctx context.Context, all ...*writer.Draft) error
	// Record appends one event under an id.
	Record(ctx context.Context, t projections.Target, agent, id string, ev events.Event) error
}

// NewReader returns a reader for the log in a directory. It reads nothing before Begin. killed is true if the previous owner did not read
// the transcripts to their ends. onError gets the errors.
func NewReader(log *journal.Log, w Writer, receipts *Receipts, dir string, killed bool, pace wire.Pace, onError func(error)) *Reader {
	return &Reader{
		log: log, writer: w, receipts: receipts, dir: dir, killed: killed, ahead: pace.Of(aheadWait), onError: onError, due: make(chan struct{}, 1),
		all: map[projections.Target]*sessionReader{}, woken: map[projections.Target]bool{},
	}
}

// Begin makes the reader follow sessions. Before Begin, Stored and ReadAhead do nothing.
func (rd *Reader) Begin() {
	rd.writer.Lock()
	defer rd.writer.Unlock()
	rd.follows = true
}

// Remember receives an event that the log held when the owner started. A session is followed from its next event. If the previous owner was
// killed, that next event may never come. Then the transcript is read at the next event of any session, or soon after the start if a turn had
// ended (see scheduleUsage).
func (rd *Reader) Remember(e events.Envelope) {
	if rd.killed && fromHook(e) && !events.Derived(e.ID) {
		rd.noteHookEvent(e)
	}
}

// fromHook reports whether an event may have come from a hook of a running agent.
func fromHook(e events.Envelope) bool {
	return e.Agent != "" && e.Session != events.None && e.EchoOf == 0 && !events.Reserved(e.Type)
}

// laneReader holds what is read of the transcript of a lane, and which of its facts the log has.
type laneReader struct {
	target   projections.Target // the session
	file     reading
	recorded inventory
}

// sessionReader follows the transcript of one session. The holder of sem uses the fields of its laneReader, except target, which never changes.
type sessionReader struct {
	laneReader
	// sem is a semaphore of one: its holder reads the transcript.
	sem chan struct{}

	// The writer's lock guards these fields.
	excluded bool              // the next reading passes content (see exclude)
	end      fs.FileInfo       // the file when exclude was called: its content is passed; nil if all content is passed
	path     string            // of the transcript, empty before the first reading
	moved    bool              // the log may name another path
	lanes    map[string]bool   // the subagents with rows to read, and whether they have ended
	tasked   map[string]uint64 // sequences of subagents' tasks from the transcript, by lane
	// compacted is the event of a compaction whose moment is not recorded yet, zero for none.
	compacted events.Envelope
	usage     usageState
	agent     string // of the session's newest event
	restarted bool   // a new process of the client continues the session, so calls without an end ended with the old process

	// The holder of sem uses these fields.
	facts    *delivery              // nil until a receipt is due
	shown    int                    // number of rows (see Watcher.Context) when the context was last compared with facts
	subs     map[string]*laneReader // for the subagents, by lane
	subPaths []string               // paths of the subagents' transcripts
	moment   string                 // id of the newest recorded moment
}

// readerOf returns the session reader of a lane. It makes one if there is none. The caller holds the writer's lock.
func (rd *Reader) readerOf(t projections.Target) *sessionReader {
	t.Lane = ""
	sr := rd.all[t]
	if sr == nil {
		for len(rd.order) >= followed {
			i := slices.IndexFunc(rd.order, func(old projections.Target) bool { return !rd.woken[old] })
			if i < 0 {
				break
			}
			delete(rd.all, rd.order[i])
			rd.order = slices.Delete(rd.order, i, i+1)
		}
		sr = &sessionReader{laneReader: laneReader{target: t}, sem: make(chan struct{}, 1), moved: true, lanes: map[string]bool{}, subs: map[string]*laneReader{}, tasked: map[string]uint64{}}
		rd.all[t] = sr
		rd.order = append(rd.order, t)
	}
	return sr
}

// Stored receives an event that was just stored. The caller holds the writer's lock.
func (rd *Reader) Stored(e events.Envelope) {
	switch {
	case !rd.follows:
		return
	case e.Type == events.TypeOf[events.RecordingPaused](), e.Type == events.TypeOf[events.RecordingResumed]():
		for t, sr := range rd.all {
			if project, all := pauseScope(e); all || project == t.Project {
				sr.exclude(e.Type == events.TypeOf[events.RecordingResumed]())
			}
		}
		if e.Type == events.TypeOf[events.RecordingResumed]() {
			rd.lifted = true
			rd.notifyRun()
		}
		return
	case !fromHook(e):
		return
	}
	if events.Derived(e.ID) {
		if sr := rd.all[projections.Target{Project: e.Project, Session: e.Session}]; sr != nil {
			if t, ok := events.As[events.SubagentTasked](e); ok { // a hook will report it too, later
				sr.tasked[t.Lane] = e.Seq
			}
		}
		return // the event comes from a transcript
	}
	rd.noteHookEvent(e)
	rd.notifyRun()
}

// noteHookEvent processes an event that a hook reported, and wakes its session without notifying Run. The caller holds the writer's lock.
func (rd *Reader) noteHookEvent(e events.Envelope) {
	t := projections.Target{Project: e.Project, Session: e.Session}
	sr := rd.readerOf(t)
	switch e.Type {
	case events.TypeOf[events.SessionStarted]():
		sr.moved = true
	case events.TypeOf[events.SubagentStarted]():
		sr.lanes[e.Lane] = false
	case events.TypeOf[events.SubagentEnded]():
		if _, open := sr.lanes[e.Lane]; open {
			sr.lanes[e.Lane] = true
		}
	}
	sr.agent = e.Agent
	rd.scheduleUsage(sr, e)
	rd.woken[t] = true
}

// wake makes Run read a session's transcript. The caller holds the writer's lock.
func (rd *Reader) wake(t projections.Target) {
	rd.woken[t] = true
	rd.notifyRun()
}

// notifyRun makes Run read the transcripts of woken sessions.
func (rd *Reader) notifyRun() { writer.Notify(rd.due) }

// Run reads transcripts until ctx ends. Appenders do not wait for it.
func (rd *Reader) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-rd.due:
			rd.readWoken(ctx, false)
		}
	}
}

// readWoken reads the transcripts of the woken sessions to their ends. last is true if the owner leaves.
func (rd *Reader) readWoken(ctx context.Context, last bool) {
	if err := rd.wakeRecent(ctx); err != nil && ctx.Err() == nil {
		rd.onError(err) // a session that was not woken passes the rows of the pause at its next event
	}
	var all []*sessionReader
	rd.writer.Lock()
	for t := range rd.woken {
		if sr := rd.all[t]; sr != nil {
			all = append(all, sr)
		}
	}
	clear(rd.woken)
	rd.writer.Unlock()
	for len(all) > 0 && ctx.Err() == nil {
		sr := all[0]
		all = all[1:]
		select {
		case sr.sem <- struct{}{}:
		case <-ctx.Done():
			return
		}
		more := rd.readOn(ctx, sr, time.Time{})
		if !more {
			rd.recordMoment(ctx, sr, time.Time{})
			rd.recordUsage(ctx, sr, last)
		}
		<-sr.sem
		if more {
			all = append(all, sr) // a long transcript does not delay the others
		}
	}
}

// wakeRecent does nothing unless a pause has ended. Then it wakes the sessions that may be running. The present content of their
// transcripts is passed, and later rows are read.
func (rd *Reader) wakeRecent(ctx context.Context) error {
	rd.writer.Lock()
	lifted := rd.lifted
	rd.lifted = false
	if lifted {
		for t := range rd.all {
			rd.wake(t)
		}
	}
	rd.writer.Unlock()
	if !lifted {
		return nil
	}
	since := time.Now().Add(-recent).UnixNano()
	for e, err := range rd.log.Events(ctx, events.Span{}, events.Selector{Type: events.TypeOf[events.SessionStarted]()}) {
		if err != nil {
			return err
		}
		if e.At < since || e.Lane != "" || events.Derived(e.ID) {
			continue
		}
		rd.writer.Lock()
		t := projections.Target{Project: e.Project, Session: e.Session}
		rd.readerOf(t)
		rd.wake(t)
		rd.writer.Unlock()
	}
	return nil
}

// ReadAhead reads a session's transcript before the next report is stored and answered, so that the answer knows its rows. It stops after
// aheadWait; Run reads the rest. e is the report's first event. If e reports a compaction, ReadAhead also records the agent's last
// words.
func (rd *Reader) ReadAhead(ctx context.Context, e events.Envelope) {
	rd.writer.Lock()
	if !rd.follows || e.Session == events.None || e.Agent == "" {
		rd.writer.Unlock()
		return
	}
	sr := rd.readerOf(projections.Target{Project: e.Project, Session: e.Session})
	if compacting[e.Type] && e.Lane == "" {
		sr.compacted = e
	}
	sr.restarted = sr.restarted || resumes(e)
	rd.writer.Unlock()
	deadline := time.Now().Add(rd.ahead)
	wait := time.NewTimer(rd.ahead)
	defer wait.Stop()
	select {
	case sr.sem <- struct{}{}:
	case <-wait.C:
		return
	case <-ctx.Done():
		return
	}
	defer func() { <-sr.sem }()
	rd.readOn(ctx, sr, deadline)
	rd.recordMoment(ctx, sr, deadline)
}

// resumes reports whether an event is the start of a client process that continues an older session.
func resumes(e events.Envelope) bool {
	start, ok := events.As[events.SessionStarted](e)
	return ok && start.Source == "resume"
}

// ReadLast reads the transcripts to their ends when the owner leaves, for at most lastRead. The reader then follows none until Begin. No
// other goroutine may read any more.
func (rd *Reader) ReadLast() {
	ctx, cancel := context.WithTimeout(context.Background(), lastRead)
	defer cancel()
	rd.writer.Lock()
	for t := range rd.all {
		rd.wake(t)
	}
	rd.writer.Unlock()
	rd.readWoken(ctx, true)
	rd.writer.Lock()
	rd.follows = false
	rd.writer.Unlock()
}

// readOn calls readNext and reports its errors to onError, except that of a missing file. The caller holds sr.sem.
func (rd *Reader) readOn(ctx context.Context, sr *sessionReader, deadline time.Time) (more bool) {
	more, err := rd.readNext(ctx, sr, deadline)
	if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
		rd.onError(fmt.Errorf("transcript of session %s: %w", sr.target.Session, err))
	}
	return more && err == nil
}

// readNext reads the next portion of the transcripts of a session and of its subagents, until a deadline, which may be zero for none. It
// stores their facts. more is true if rows remain.
func (rd *Reader) readNext(ctx context.Context, sr *sessionReader, deadline time.Time) (more bool, err error) {
	more, err = rd.follow(ctx, sr, deadline)
	if err != nil {
		return false, err
	}
	moreOfSubagents, err := rd.subagents(ctx, sr, deadline)
	if err != nil || more || moreOfSubagents {
		return more || moreOfSubagents, err
	}
	return false, rd.receipts.confirmNewest(ctx, sr)
}
