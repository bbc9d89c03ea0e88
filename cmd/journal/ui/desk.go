package ui

import (
	"context"
	"sync"

	"journal/projections"
	"journal/replay/audit"
	"journal/replay/history"
)

// maxOpen bounds the sessions that are kept ready, the last used ones.
const maxOpen = 12

// desk caches the sessions that somebody looks at. It is safe for concurrent use.
type desk struct {
	log  *reader
	fold func() projections.Config

	confirm func(context.Context, projections.Target) // nil: receipts are not confirmed

	mu     sync.Mutex
	open   map[projections.Target]*file
	clock  uint64
	audits map[projections.Target]*finding
}

// file is one lane of a session on the desk.
type file struct {
	*history.History
	config projections.Config
	used   uint64
}

// finding is the audit of a session as of one of its events.
type finding struct {
	mu     sync.Mutex
	last   uint64 // the session's newest event
	config projections.Config
	report audit.Report
}

func newDesk(log *reader, fold func() projections.Config, confirm func(context.Context, projections.Target)) *desk {
	d := &desk{log: log, fold: fold, confirm: confirm}
	d.clear()
	return d
}

// clear forgets everything.
func (d *desk) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open, d.audits = map[projections.Target]*file{}, map[projections.Target]*finding{}
}

// rows returns history and its rows. The error is errNoSession if there are none.
func (d *desk) rows(ctx context.Context, t projections.Target) (*history.History, []history.Row, error) {
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
func (d *desk) history(ctx context.Context, t projections.Target) (*history.History, error) {
	st, err := d.log.Stats(ctx)
	if err != nil {
		return nil, err
	}
	h := d.file(t)
	return h, h.Forward(ctx, st.Last)
}

func (d *desk) file(t projections.Target) *history.History {
	c := d.fold()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock++
	f := d.open[t]
	if f == nil || !f.config.Equal(c) {
		f = &file{History: history.New(d.log, t, c), config: c}
		d.open[t] = f
	}
	f.used = d.clock
	for len(d.open) > maxOpen {
		oldest := t
		for t, f := range d.open {
			if f.used < d.open[oldest].used {
				oldest = t
			}
		}
		delete(d.open, oldest)
	}
	return f.History
}

// audit returns the audit of every lane of a session. It is made once per newest event: a session
// without new events is not audited again.
func (d *desk) audit(ctx context.Context, t projections.Target, last uint64) (audit.Report, error) {
	t.Lane = ""
	c := d.fold()
	d.mu.Lock()
	f := d.audits[t]
	if f == nil {
		f = &finding{}
		d.audits[t] = f
	}
	d.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == last && last != 0 && f.config.Equal(c) {
		return f.report, nil
	}
	if f.last == 0 && d.confirm != nil { // in a running session the owner itself sees what arrives
		d.confirm(ctx, t)
	}
	report, err := audit.Audit(ctx, d.log, t, c)
	if err == nil {
		f.last, f.config, f.report = last, c, report
	}
	return report, err
}
