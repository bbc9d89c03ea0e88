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
	"journal/embedded/team/facts"
	"journal/embedded/team/upload"
	"journal/events"
)

const (
	// askEvery is the interval of queries of all members while sessions here are at work.
	askEvery = 10 * time.Second
	// askAgain lies between a look that failed for all and the next; it doubles up to askLast, after which nobody is asked
	// before something happens here.
	askAgain = 4 * time.Second
	askLast  = 2 * time.Minute
	// askWait bounds one look.
	askWait = 30 * time.Second
	// atWork is the time for which a laptop where nothing happens still asks.
	atWork = 5 * time.Minute
)

// asking is when others are asked. An idle laptop asks nobody.
type asking struct {
	poller *colleagues.Poller
	wish   string             // what was chosen at the last look
	nc     *nats.Conn         // that it went over; nil: it has to be done again
	head   uint64             // end of the log then
	given  []colleagues.Given // that were recorded
	next   time.Time          // not before
	again  time.Duration
	grown  time.Time // when the log was seen to grow
}

// askOthers asks, while the hub is reached, for the summaries of projects whose context is shared, and keeps them for
// sessions that start: they never wait for the hub (J.9). It asks when the hub is reached, and while sessions are at work:
// each second for the news, and each member every ten seconds.
func (t *Team) askOthers(ctx context.Context, l *upload.Link, m team.Membership) {
	state := &asking{poller: colleagues.NewPoller(t.Dir, m)}
	warned := ""
	for range embedded.Ticks(ctx, teamLook) {
		err := t.askOnce(ctx, state, l.Conn())
		if err != nil && err.Error() != warned && ctx.Err() == nil {
			t.Logger.Warn("team", "error", err.Error())
			warned = err.Error()
		}
	}
}

// askOnce asks if it is time to, and nc is a connection.
func (t *Team) askOnce(ctx context.Context, state *asking, nc *nats.Conn) error {
	share, err := team.LoadShare(t.Dir)
	if err != nil {
		return err
	}
	if wish := fmt.Sprint(share, t.identified.Load()); wish != state.wish {
		own, err := t.own(ctx, share)
		if err != nil {
			return err
		}
		if len(own) == 0 {
			if err := t.keep(ctx, state, colleagues.Found{}); err != nil {
				return err
			}
		}
		state.poller.Want(own)
		state.wish, state.nc = wish, nil
	}
	linked, head, now := nc != state.nc, t.Copy.Head(), time.Now()
	if linked || head != state.head {
		state.grown = now
	}
	if nc == nil || len(state.poller.Own()) == 0 {
		return nil
	}
	due := linked || state.due(head, now)
	if !due && (state.again > 0 || now.Sub(state.grown) >= atWork) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	found, news, trouble := state.poller.News(ctx, nc, linked)
	if news && !linked { // at first the news lack what only members' own streams have
		trouble = errors.Join(trouble, t.keep(ctx, state, found))
	}
	if !due {
		state.backOff(trouble, now)
		return trouble
	}
	state.nc, state.head, state.next = nc, head, now.Add(askEvery)
	found, err = state.poller.Poll(ctx, nc, linked)
	trouble = errors.Join(trouble, err)
	state.backOff(trouble, now)
	if trouble != nil && reflect.DeepEqual(found, colleagues.Found{}) {
		return trouble // what is known may still be so
	}
	return errors.Join(t.keep(ctx, state, found), trouble)
}

// backOff delays the next look after trouble that concerns more than one member.
func (is *asking) backOff(trouble error, now time.Time) {
	if trouble == nil || errors.As(trouble, new(*facts.MemberError)) || is.again >= askLast {
		is.again = 0
		return
	}
	is.again = max(askAgain, 2*is.again)
	is.next = now.Add(is.again)
}

// due reports whether it is time for another look over the same connection: while sessions are at work, also between
// their events, and while somebody could not be asked.
func (is *asking) due(head uint64, now time.Time) bool {
	return !now.Before(is.next) && (head != is.head || now.Sub(is.grown) < atWork || is.again > 0)
}

// own returns the projects of this log whose context is shared.
func (t *Team) own(ctx context.Context, share team.Share) ([]colleagues.Project, error) {
	own, err := colleagues.Projects(ctx, t.Log)
	return slices.DeleteFunc(own, func(p colleagues.Project) bool { return !share.SharesContext(p.Key) }), err
}

// keep stores what was found for sessions that start, also if it is known: people change the files too.
func (t *Team) keep(ctx context.Context, state *asking, f colleagues.Found) error {
	if !reflect.DeepEqual(f.Given, state.given) {
		for _, g := range f.Given {
			if err := t.recordTakeover(ctx, g); err != nil {
				return err
			}
		}
		state.given = f.Given
	}
	return f.Save(t.Dir)
}

// recordTakeover records that somebody goes on with what this log left, once.
func (t *Team) recordTakeover(ctx context.Context, g colleagues.Given) error {
	id := events.DerivedID("handover", g.Project, g.ID)
	known, err := t.Log.Find(ctx, 0, events.Selector{Project: g.Project, Session: events.None, Type: events.TypeOf[events.HandoverNoticed]()}, id)
	if err != nil || len(known) > 0 {
		return err
	}
	d, err := writer.DraftOf(g.HandoverNoticed, events.Meta{ID: id, At: time.Now().UnixNano(), Project: g.Project})
	if err != nil {
		return err
	}
	return t.Writer.Append(ctx, d)
}
