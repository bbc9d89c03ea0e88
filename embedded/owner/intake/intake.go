// Package intake stores the reports of hooks in order: first the files of the spool, then the new report. When a session starts it also
// records which sessions of the project have died, and the work that the new session takes over after a /clear.
package intake

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
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
	stuck map[string]bool // names of spool files that are stored and could not be removed
	ahead bool            // events were stored while the spool could not be read
}

// New returns the intake of the directory that a lock guards. onError gets the errors that stop neither a drain nor a report. It must accept
// nil.
func New(lock *ownership.Lock, log *journal.Log, w *writer.Writer, s *answers.Sessions, onError func(error)) *Intake {
	return &Intake{
		lock: lock, log: log, writer: w, sessions: s, spool: spool.Open(filepath.Join(lock.Dir(), spoolName)),
		onError: onError, stuck: map[string]bool{}, ahead: overtaken(lock.Dir()),
	}
}

// Append stores the files of the spool, then the events of a report, which may be none. root is the path of the report's project, or empty.
// If the spool cannot be read, Append stores the report all the same and returns nil; without a report it returns the error.
func (in *Intake) Append(ctx context.Context, report []*writer.Draft, root string) error {
	in.writer.Lock()
	defer in.writer.Unlock()
	drainErr := in.drain(ctx)
	if len(report) == 0 || drainErr != nil && !errors.Is(drainErr, errSpool) {
		return drainErr
	}
	in.onError(drainErr)
	root, err := in.writer.Settle(ctx, report, root)
	if err != nil {
		return err
	}
	if err := in.storeReport(ctx, report, root); err != nil {
		return err
	}
	if drainErr != nil {
		in.overtake(len(report))
	}
	return nil
}

// storeReport stores a settled report. Before a start of a session it records the dead sessions of the project, and after a start by /clear
// the work that the session takes over. The report of an import may have several starts. The caller holds the writer's lock.
func (in *Intake) storeReport(ctx context.Context, report []*writer.Draft, root string) error {
	if slices.ContainsFunc(report, isStart) {
		in.onError(in.writer.Reap(ctx, report[0].Project))
	}
	if err := in.writer.Report(ctx, report, root); err != nil {
		return err
	}
	for _, d := range report {
		if s, ok := events.As[events.SessionStarted](d.Envelope); ok && isStart(d) && s.Source == "clear" {
			in.onError(in.carry(ctx, d))
		}
	}
	return nil
}

// isStart reports whether an event is the start of a session, in its main lane.
func isStart(d *writer.Draft) bool {
	return d.Type == events.TypeOf[events.SessionStarted]() && d.Lane == ""
}

// Count returns the number of files that wait in the spool, and of those that were set aside.
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
