package owner

import (
	"context"
	"fmt"
	"strconv"

	"journal/events"
	"journal/journal/spool/losses"
)

// account has the log say what could be kept nowhere, now that it takes events again. The
// event is the same however often an owner dies before the count is settled.
func (o *Owner) account(ctx context.Context) error {
	dir := o.lock.Dir()
	r, err := losses.Read(dir)
	if err == nil && r.Lost.Events == 0 && r.Due.Events == 0 {
		return nil
	}
	if err != nil {
		o.trouble(err) // what is damaged is made anew below
	}
	r, err = losses.Due(dir)
	if err != nil || r.Due.Events == 0 {
		return err
	}
	o.writer.mu.Lock()
	defer o.writer.mu.Unlock()
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	d, err := draftOf(events.LogGap{
		Seq: o.writer.head + 1, Reason: r.DueWhy, Count: r.Due.Events, From: r.Due.First, Until: r.Due.Last,
	}, events.Meta{
		ID: events.DerivedID("log.gap", number(r.Due.First), number(r.Due.Last), number(int64(r.Due.Events))), At: r.Due.Last,
	})
	if err == nil {
		err = o.drainage(spooled{report: []*draft{d}}).lookUp(ctx)
	}
	if err == nil {
		err = o.writer.store(ctx, d)
	}
	if err != nil {
		return fmt.Errorf("note what could not be kept: %w", err)
	}
	return losses.Settle(dir)
}
