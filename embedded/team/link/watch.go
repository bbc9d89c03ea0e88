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

// watch checks, when the hub is reached, whether it was set back, and while it is, whether it still is. A hub is set back while
// it is down: one check for each connection is enough.
func (t *Team) watch(ctx context.Context, l *upload.Link, m team.Membership) {
	var checked *nats.Conn
	var next time.Time
	back := false
	for now := range embedded.Ticks(ctx, teamLook) {
		nc := l.Conn()
		if nc == nil || nc == checked && !back || now.Before(next) {
			continue
		}
		next = now.Add(askEvery)
		isBack, err := t.lookBack(ctx, m)
		if err == nil {
			checked, back = nc, isBack
		} else if ctx.Err() == nil {
			t.Logger.Warn("team", "error", err.Error())
		}
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
