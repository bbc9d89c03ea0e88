package hub

import (
	"context"
	"time"

	"journal/journal/team"
	"journal/journal/team/peers"
	"journal/journal/team/upload"
)

// watch looks, when the hub is reached, whether it is of an older time than it was, and while it is, whether it still is.
func (h *Hub) watch(ctx context.Context, l *upload.Link, m team.Membership) {
	tick := time.NewTicker(teamLook)
	defer tick.Stop()
	var next time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if l.Conn() == nil {
			next = time.Time{}
			continue
		}
		if time.Now().Before(next) {
			continue
		}
		next = time.Now().Add(askEvery)
		if err := h.lookBack(ctx, m); err != nil && ctx.Err() == nil {
			h.Logger.Warn("team", "error", err.Error())
		}
	}
}

// lookBack asks who is in the team, and again of whom there was less than was seen.
func (h *Hub) lookBack(ctx context.Context, m team.Membership) error {
	seen, err := team.LoadSeen(h.Dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	there, err := peers.Reach(ctx, m.Member)
	if err != nil {
		return err
	}
	defer there.Close()
	for _, a := range there.OfEach(ctx, seen.Less()) {
		if a.Err != nil {
			return a.Err
		}
	}
	return nil
}
