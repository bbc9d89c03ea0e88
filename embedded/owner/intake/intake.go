// Package intake stores what hooks report, in order: first what waits in the spool, then the report at hand. When a session
// starts it also records which sessions of the project are gone, and what the new session takes over from the one that /clear
// ended.
package intake

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"journal/embedded/owner/answers"
	"journal/embedded/owner/writer"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/spool"
)

// spoolName is the spool's directory inside a journal directory.
const spoolName = "spool"

// Intake takes reports into a log.
type Intake struct {
	lock     *ownership.Lock
	log      *journal.Log
	writer   *writer.Writer
	sessions *answers.Sessions
	spool    *spool.Dir
	trouble  func(error)

	// The writer's lock guards what follows. stuck are files of the spool that are stored and cannot be removed; ahead says
	// that events were stored while the spool could not be read.
	stuck map[string]bool
	ahead bool
}

// New makes the intake of the directory that a lock guards. Errors that keep no event out of the log go to trouble, also nil.
func New(lock *ownership.Lock, log *journal.Log, w *writer.Writer, s *answers.Sessions, trouble func(error)) *Intake {
	return &Intake{
		lock: lock, log: log, writer: w, sessions: s, spool: spool.Open(filepath.Join(lock.Dir(), spoolName)),
		trouble: trouble, stuck: map[string]bool{}, ahead: overtaken(lock.Dir()),
	}
}

// Append stores what waits in the spool, then the events of a request, which may be none.
func (in *Intake) Append(ctx context.Context, report []*writer.Draft, root string) error {
	in.writer.Lock()
	defer in.writer.Unlock()
	unread := in.drain(ctx)
	switch {
	case len(report) == 0 || unread != nil && !errors.Is(unread, errSpool):
		return unread
	case unread != nil:
		in.trouble(unread)
	}
	root, err := in.writer.Settle(ctx, report, root)
	if err == nil {
		err = in.take(ctx, report, root)
	}
	if err == nil && unread != nil {
		in.overtake(len(report))
	}
	return err
}

// take stores a report whose project is settled, and what follows from each session that begins with it: an import tells of
// several. The caller holds the writer's lock.
func (in *Intake) take(ctx context.Context, report []*writer.Draft, root string) error {
	starts := startsOf(report)
	if len(starts) > 0 {
		in.trouble(in.writer.Reap(ctx, report[0].Project))
	}
	if err := in.writer.Report(ctx, report, root); err != nil {
		return err
	}
	for _, s := range starts {
		if s.Source == "clear" {
			in.trouble(in.carry(ctx, s.Draft))
		}
	}
	return nil
}

// start is an event of a report with which a session begins.
type start struct {
	*writer.Draft
	events.SessionStarted
}

// startsOf finds the sessions that begin with a report, in their main threads.
func startsOf(report []*writer.Draft) (all []start) {
	for _, d := range report {
		if s, ok := events.As[events.SessionStarted](d.Envelope); ok && d.Lane == "" {
			all = append(all, start{d, s})
		}
	}
	return all
}

// Count says how many reports wait in the spool, and how many were set aside.
func (in *Intake) Count() (waiting, aside int, err error) { return in.spool.Count() }

// Sweep drains the spool, complete files of dead writers included, and removes their incomplete ones.
func (in *Intake) Sweep(ctx context.Context) {
	in.writer.Lock()
	defer in.writer.Unlock()
	_, err := in.drainAll(ctx)
	in.trouble(err)
	_, err = in.spool.Sweep(time.Now())
	in.trouble(err)
}
