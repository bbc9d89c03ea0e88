package ui

import (
	"context"
	"sync"

	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// maxOpen bounds the sessions that are kept ready, the last used ones.
const maxOpen = 12

// histories caches the lanes of sessions that somebody looks at. It is safe for concurrent use.
type histories struct {
	log  *reader
	fold func() projections.Config

	confirm func(context.Context, projections.Target) // nil: receipts are not confirmed

	mu   sync.Mutex
	open *replay.Cache[projections.Target, *cachedLane]
}

// cachedLane is one lane of a session, with the audit of the whole session in that of the main thread.
type cachedLane struct {
	*timeline.History
	config projections.Config

	auditing sync.Mutex
	audited  uint64 // the newest event at the audit, 0 before it
	report   audit.Report
}

// clear forgets everything.
func (d *histories) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open.Clear()
}

// rows returns history and its rows. The error is errNoSession if there are none.
func (d *histories) rows(ctx context.Context, t projections.Target) (*timeline.History, []timeline.Row, error) {
	h, err := d.history(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	all := h.Rows()
	if len(all) == 0 {
		return nil, nil, errNoSession
	}
	return h, all, nil
}

// history returns a lane of a session up to the end of the log.
func (d *histories) history(ctx context.Context, t projections.Target) (*timeline.History, error) {
	st, err := d.log.Stats(ctx)
	if err != nil {
		return nil, err
	}
	h := d.lane(t).History
	return h, h.Forward(ctx, st.Last)
}

// lane returns a lane of a session from the cache, and adds it if it is missing. What was read with another configuration is dropped.
func (d *histories) lane(t projections.Target) *cachedLane {
	c := d.fold()
	d.mu.Lock()
	defer d.mu.Unlock()
	f, cached := d.open.Get(t)
	if !cached || !f.config.Equal(c) {
		f = &cachedLane{History: timeline.NewHistory(d.log, t, c), config: c}
		d.open.Put(t, f)
	}
	return f
}

// audit returns the audit of every lane of a session. A session without new events is not audited again.
func (d *histories) audit(ctx context.Context, t projections.Target) (audit.Report, error) {
	_, rows, err := d.rows(ctx, t)
	if err != nil {
		return audit.Report{}, err
	}
	last := rows[len(rows)-1].Seq
	t.Lane = ""
	f := d.lane(t)
	f.auditing.Lock()
	defer f.auditing.Unlock()
	if f.audited == last {
		return f.report, nil
	}
	if f.audited == 0 && d.confirm != nil { // in a running session the owner itself sees what arrives
		d.confirm(ctx, t)
	}
	report, err := audit.Audit(ctx, d.log, t, f.config)
	if err != nil {
		return report, err
	}
	f.audited, f.report = last, report
	return report, nil
}
