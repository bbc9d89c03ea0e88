package link

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded"
	"journal/embedded/owner/writer"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/peers"
	"journal/embedded/team/upload"
	"journal/events"
)

const (
	// askWait bounds one look.
	askWait = 30 * time.Second
	// atWork is the time for which a laptop where nothing happens still asks.
	atWork = 5 * time.Minute
	// checkEvery is the interval of checks of a hub that is older than it was.
	checkEvery = 10 * time.Second
)

// asking is the state of the looks at what others share. An idle laptop asks nobody.
type asking struct {
	poller *colleagues.Poller
	chosen string     // what is shared, and how projects are known, at the last look
	nc     *nats.Conn // of the last look; nil: everything has to be asked again
	head   uint64     // end of the log then
	grown  time.Time  // when the log was seen to grow, or the hub was reached

	checked   *nats.Conn // over which the hub was not older than it was seen
	nextCheck time.Time
}

// askOthers asks, while the hub is reached, for the summaries of projects whose context is shared, and keeps them for
// sessions that start: they never wait for the hub (J.9). It asks when the hub is reached, and while sessions are at work:
// each second for the news, and each member every ten seconds.
func (t *Team) askOthers(ctx context.Context, l *upload.Link, m team.Membership) {
	state := &asking{poller: colleagues.NewPoller(m)}
	warned := ""
	for range embedded.Ticks(ctx, teamLook) {
		nc := l.Conn()
		err := errors.Join(t.askOnce(ctx, state, nc), t.checkHub(ctx, state, nc, m))
		if err != nil && err.Error() != warned && ctx.Err() == nil {
			t.Logger.Warn("team", "error", err.Error())
			warned = err.Error()
		}
	}
}

// askOnce asks if it is time to. nc is nil while there is no connection.
func (t *Team) askOnce(ctx context.Context, state *asking, nc *nats.Conn) error {
	share, err := team.LoadShare(t.Dir)
	if err != nil {
		return err
	}
	if chosen := fmt.Sprint(share, t.identified.Load()); chosen != state.chosen {
		own, err := t.own(ctx, share)
		if err != nil {
			return err
		}
		if len(own) == 0 {
			if err := t.keep(ctx, colleagues.Found{}); err != nil {
				return err
			}
		}
		state.poller.Want(own)
		state.chosen, state.nc = chosen, nil
	}
	if nc == nil || len(state.poller.Own()) == 0 {
		return nil
	}
	linked, now := nc != state.nc, time.Now()
	if !state.due(linked, t.Copy.Head(), now) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	state.nc = nc
	found, some, trouble := state.poller.Look(ctx, nc, linked)
	if !some || trouble != nil && reflect.DeepEqual(found, colleagues.Found{}) {
		return trouble // what is known may still be so
	}
	return errors.Join(t.keep(ctx, found), trouble)
}

// due reports whether it is time for a look: over a new connection, and while sessions are at work, also between their events.
func (a *asking) due(linked bool, head uint64, now time.Time) bool {
	if linked || head != a.head {
		a.head, a.grown = head, now
	}
	return now.Sub(a.grown) < atWork
}

// checkHub looks, over each new connection and while the hub is older than it was, whether it is: the roster, and the copies of
// members with fewer events there than were seen. A hub is set back while it is down.
func (t *Team) checkHub(ctx context.Context, state *asking, nc *nats.Conn, m team.Membership) error {
	now := time.Now()
	if nc == nil || nc == state.checked || now.Before(state.nextCheck) {
		return nil
	}
	state.nextCheck = now.Add(checkEvery)
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	hub, err := peers.Reach(ctx, m.Member)
	if err != nil {
		return err
	}
	defer hub.Close() // keeps what was seen
	notice, err := hub.Recheck(ctx)
	if err == nil && notice == "" {
		state.checked = nc
	}
	return err
}

// own returns the projects of this log whose context is shared.
func (t *Team) own(ctx context.Context, share team.Share) ([]colleagues.Project, error) {
	own, err := colleagues.Projects(ctx, t.Log)
	return slices.DeleteFunc(own, func(p colleagues.Project) bool { return !share.SharesContext(p.Key) }), err
}

// keep stores what was found for sessions that start, also if it is known: people change the files too.
func (t *Team) keep(ctx context.Context, f colleagues.Found) error {
	for _, h := range f.Handovers {
		if err := t.recordTakeover(ctx, h); err != nil {
			return err
		}
	}
	return f.Save(t.Dir)
}

// recordTakeover records that somebody goes on with what this log left, once.
func (t *Team) recordTakeover(ctx context.Context, h colleagues.Handover) error {
	id := events.DerivedID("handover", h.Project, h.ID)
	known, err := t.Log.Find(ctx, 0, events.Selector{Project: h.Project, Session: events.None, Type: events.TypeOf[events.HandoverNoticed]()}, id)
	if err != nil || len(known) > 0 {
		return err
	}
	d, err := writer.DraftOf(h.HandoverNoticed, events.Meta{ID: id, At: time.Now().UnixNano(), Project: h.Project})
	if err != nil {
		return err
	}
	return t.Writer.Append(ctx, d)
}
