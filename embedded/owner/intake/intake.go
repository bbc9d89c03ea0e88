// Package intake stores the reports of hooks in order: first the files of the spool, then the report at hand. When a session
// starts it also records the sessions of the project that are gone, and the work that the new session takes over from the one
// that /clear ended.
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

// Intake stores reports in a log.
type Intake struct {
	lock     *ownership.Lock
	log      *journal.Log
	writer   *writer.Writer
	sessions *answers.Sessions
	spool    *spool.Dir
	onError  func(error)

	// The writer's lock guards these fields.
	stuck map[string]bool // files of the spool that are stored and cannot be removed
	ahead bool            // events were stored while the spool could not be read
}

// New returns the intake of the directory that a lock guards. Errors that keep no event out of the log go to onError, which must
// accept nil.
func New(lock *ownership.Lock, log *journal.Log, w *writer.Writer, s *answers.Sessions, onError func(error)) *Intake {
	return &Intake{
		lock: lock, log: log, writer: w, sessions: s, spool: spool.Open(filepath.Join(lock.Dir(), spoolName)),
		onError: onError, stuck: map[string]bool{}, ahead: overtaken(lock.Dir()),
	}
}

// Append stores the files of the spool, then the events of a request, which may be none.
func (in *Intake) Append(ctx context.Context, report []*writer.Draft, root string) error {
	in.writer.Lock()
	defer in.writer.Unlock()
	unread := in.drain(ctx)
	switch {
	case len(report) == 0 || unread != nil && !errors.Is(unread, errSpool):
		return unread
	case unread != nil:
		in.onError(unread)
	}
	root, err := in.writer.Settle(ctx, report, root)
	if err != nil {
		return err
	}
	if err := in.storeReport(ctx, report, root); err != nil {
		return err
	}
	if unread != nil {
		in.overtake(len(report))
	}
	return nil
}

// storeReport stores a report whose project is settled, and the events that follow from each session that begins with it. The
// report of an import has several. The caller holds the writer's lock.
func (in *Intake) storeReport(ctx context.Context, report []*writer.Draft, root string) error {
	starts := startsOf(report)
	if len(starts) > 0 {
		in.onError(in.writer.Reap(ctx, report[0].Project))
	}
	if err := in.writer.Report(ctx, report, root); err != nil {
		return err
	}
	for _, s := range starts {
		if s.Source == "clear" {
			in.onError(in.carry(ctx, s.Draft))
		}
	}
	return nil
}

// start is an event of a report with which a session begins.
type start struct {
	*writer.Draft
	events.SessionStarted
}

// startsOf returns the starts of sessions in a report, in their main threads.
func startsOf(report []*writer.Draft) (all []start) {
	for _, d := range report {
		if s, ok := events.As[events.SessionStarted](d.Envelope); ok && d.Lane == "" {
			all = append(all, start{d, s})
		}
	}
	return all
}

// Count returns the number of reports in the spool, and of those that were set aside.
func (in *Intake) Count() (waiting, aside int, err error) { return in.spool.Count() }

// Sweep drains the spool, including complete files of dead writers, and removes their incomplete ones.
func (in *Intake) Sweep(ctx context.Context) {
	in.writer.Lock()
	defer in.writer.Unlock()
	_, err := in.drainAll(ctx)
	in.onError(err)
	_, err = in.spool.Sweep(time.Now())
	in.onError(err)
}
