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
func (c *histories) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open.Clear()
}

// rows returns a lane of a session and its rows. The error is errNoSession if it has none.
func (c *histories) rows(ctx context.Context, t projections.Target) (*timeline.History, []timeline.Row, error) {
	h, err := c.history(ctx, t)
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
func (c *histories) history(ctx context.Context, t projections.Target) (*timeline.History, error) {
	st, err := c.log.Stats(ctx)
	if err != nil {
		return nil, err
	}
	h := c.lane(t).History
	return h, h.Forward(ctx, st.Last)
}

// lane returns a lane of a session from the cache, and adds it if it is missing. What was read with another configuration is dropped.
func (c *histories) lane(t projections.Target) *cachedLane {
	config := c.fold()
	c.mu.Lock()
	defer c.mu.Unlock()
	lane, cached := c.open.Get(t)
	if !cached || !lane.config.Equal(config) {
		lane = &cachedLane{History: timeline.NewHistory(c.log, t, config), config: config}
		c.open.Put(t, lane)
	}
	return lane
}

// audit returns the audit of every lane of a session. A session without new events is not audited again.
func (c *histories) audit(ctx context.Context, t projections.Target) (audit.Report, error) {
	_, rows, err := c.rows(ctx, t)
	if err != nil {
		return audit.Report{}, err
	}
	last := rows[len(rows)-1].Seq
	t.Lane = ""
	lane := c.lane(t)
	lane.auditing.Lock()
	defer lane.auditing.Unlock()
	if lane.audited == last {
		return lane.report, nil
	}
	if lane.audited == 0 && c.confirm != nil { // in a running session the owner itself sees what arrives
		c.confirm(ctx, t)
	}
	report, err := audit.Audit(ctx, c.log, t, lane.config)
	if err != nil {
		return report, err
	}
	lane.audited, lane.report = last, report
	return report, nil
}
