package ui

import (
	"context"
	"sync"

	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// maxOpen bounds the cached lanes. The last used ones are kept.
const maxOpen = 12

// histories caches lanes of sessions for the pages about them. It is safe for concurrent use.
type histories struct {
	log    *reader
	config Config

	mu   sync.Mutex
	open *replay.Cache[projections.Target, *cachedLane]
}

// cachedLane is one lane of a session. That of the main lane also has the audit of the whole session.
type cachedLane struct {
	*timeline.History
	fold projections.Config // the configuration with which it was read

	auditing sync.Mutex
	audited  uint64 // sequence of the session's newest event at the audit; 0: not audited yet
	report   audit.Report
}

// clear empties the cache.
func (c *histories) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open.Clear()
}

// history returns a lane of a session up to the end of the log, and the rows of all its lanes. If there is no row, the error is
// errNoSession.
func (c *histories) history(ctx context.Context, t projections.Target) (*timeline.History, []timeline.Row, error) {
	st, err := c.log.Stats(ctx)
	if err != nil {
		return nil, nil, err
	}
	h := c.lane(t).History
	if err := h.Forward(ctx, st.Last); err != nil {
		return nil, nil, err
	}
	rows := h.Rows()
	if len(rows) == 0 {
		return nil, nil, errNoSession
	}
	return h, rows, nil
}

// lane returns a lane of a session from the cache. If it is missing there, or was read with another configuration, lane adds a
// new one.
func (c *histories) lane(t projections.Target) *cachedLane {
	fold := c.config.Fold()
	c.mu.Lock()
	defer c.mu.Unlock()
	lane, cached := c.open.Get(t)
	if !cached || !lane.fold.Equal(fold) {
		lane = &cachedLane{History: timeline.NewHistory(c.log, t, fold), fold: fold}
		c.open.Put(t, lane)
	}
	return lane
}

// audit returns the audit of a session with all its lanes. A session without new events is not audited again.
func (c *histories) audit(ctx context.Context, t projections.Target) (audit.Report, error) {
	_, rows, err := c.history(ctx, t)
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
	if lane.audited == 0 && c.config.Confirm != nil { // once is enough: the owner itself records what arrives from now on
		c.config.Confirm(ctx, t)
	}
	report, err := audit.Audit(ctx, c.log, t, lane.fold)
	if err != nil {
		return report, err
	}
	lane.audited, lane.report = last, report
	return report, nil
}
