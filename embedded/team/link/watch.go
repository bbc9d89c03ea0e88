package link

import (
	"cmp"
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded"
	"journal/embedded/team"
	"journal/embedded/team/peers"
	"journal/embedded/team/upload"
)

// watched holds the last check whether the hub was set back.
type watched struct {
	nc   *nats.Conn // over which the hub was reached when that was last looked at; nil: it has to be done again
	back bool       // it was of an older time then
	next time.Time  // not before
}

// due reports whether it is time to look. A hub is set back while it is down, so once for each connection is enough, and
// a laptop asks nothing after that, unless it waits for the hub to get again what it lacks.
func (w watched) due(nc *nats.Conn, now time.Time) bool {
	return nc != nil && (nc != w.nc || w.back) && !now.Before(w.next)
}

// watch looks, when the hub is reached, whether it is of an older time than it was, and while it is, whether it still is.
func (t *Team) watch(ctx context.Context, l *upload.Link, m team.Membership) {
	var before watched
	for now := range embedded.Ticks(ctx, teamLook) {
		nc := l.Conn()
		if !before.due(nc, now) {
			continue
		}
		state := watched{nc: nc, next: time.Now().Add(askEvery)}
		var err error
		if state.back, err = t.lookBack(ctx, m); err != nil {
			state.nc = nil
			if ctx.Err() == nil {
				t.Logger.Warn("team", "error", err.Error())
			}
		}
		before = state
	}
}

// lookBack fetches the roster again, and the copies of members with fewer events at the hub than were seen. It reports whether
// the hub is older than it was.
func (t *Team) lookBack(ctx context.Context, m team.Membership) (back bool, err error) {
	seen, err := team.LoadSeen(t.Dir)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	hub, err := peers.Reach(ctx, m.Member)
	if err != nil {
		return false, err
	}
	for _, a := range hub.OfEach(ctx, seen.Less()) {
		err = cmp.Or(err, a.Err)
	}
	hub.Close() // keeps what was seen
	if err != nil {
		return false, err
	}
	seen, err = team.LoadSeen(t.Dir)
	return seen.SetBack() != "", err
}
