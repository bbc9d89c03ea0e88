package intake

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal/spool/losses"
)

// recordLosses appends a log.gap with the number of events that could be neither stored nor spooled. Its id follows from that count, so
// that the count is not recorded twice if an owner dies before losses.Settle.
func (in *Intake) recordLosses(ctx context.Context) error {
	dir := in.lock.Dir()
	r, err := losses.Read(dir)
	if lost, _ := r.Unrecorded(); err == nil && lost.Events == 0 {
		return nil
	}
	in.onError(err) // nil, or the count is damaged: losses.TakeDue replaces it
	r, err = losses.TakeDue(dir)
	if err != nil || r.Due.Events == 0 {
		return err
	}
	in.writer.Lock()
	defer in.writer.Unlock()
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	d, err := writer.DraftOf(events.LogGap{
		Seq: in.writer.Newest() + 1, Reason: r.DueReason, Count: r.Due.Events, From: r.Due.First, Until: r.Due.Last,
	}, events.Meta{
		ID: events.DerivedID("log.gap", number(r.Due.First), number(r.Due.Last), number(int64(r.Due.Events))), At: r.Due.Last,
	})
	if err != nil {
		return err
	}
	// If an owner died before losses.Settle, the log holds the event: lookUp marks it, and Store does not append it twice.
	if err := in.part(spooled{report: []*writer.Draft{d}}).lookUp(ctx); err != nil {
		return fmt.Errorf("record lost events: %w", err)
	}
	if err := in.writer.Store(ctx, d); err != nil {
		return fmt.Errorf("record lost events: %w", err)
	}
	return losses.Settle(dir)
}

// errSpool is returned if the spool cannot be read. New reports are stored all the same, because they could not be spooled either.
var errSpool = errors.New("the spool cannot be drained")

// overtake records that some events were stored before older ones that may wait in the unreadable spool. The caller holds the writer's
// lock.
func (in *Intake) overtake(count int) {
	in.ahead = true
	in.onError(losses.CountOvertaking(in.lock.Dir(), count, time.Now()))
}

// caughtUp records the number of reports, each a file, that the spool held when it could be read again. They are older than the events
// that overtook them. The caller holds the writer's lock.
func (in *Intake) caughtUp(reports int) {
	if !in.ahead {
		return
	}
	in.ahead = false
	in.onError(losses.CountLate(in.lock.Dir(), reports))
}

// overtaken reports whether an earlier owner stored events while the spool could not be read, and no owner has read the spool since.
func overtaken(dir string) bool {
	r, err := losses.Read(dir)
	return err == nil && r.Ahead.Events > 0 && r.Late == 0
}
