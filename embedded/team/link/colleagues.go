package link

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/owner/writer"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
	"journal/embedded/team/upload"
	"journal/events"
)

const (
	// askEvery lies between two looks at what others tell, while sessions here are at work.
	askEvery = 10 * time.Second
	// askAgain lies between a look that failed for all and the next; it doubles up to askLast, after which nobody is asked
	// before something happens here.
	askAgain = 4 * time.Second
	askLast  = 2 * time.Minute
	// askWait bounds one look.
	askWait = 30 * time.Second
	// liveFor is how long a laptop where nothing happens still listens.
	liveFor = 5 * time.Minute
	// liveMost bounds the messages that wait to be heard, and liveBytes what is heard between two looks: beyond that
	// looks have to do, so that nobody can keep a laptop busy.
	liveMost  = 256
	liveBytes = 16 << 20
)

// asking is when others are asked. An idle laptop asks nobody.
type asking struct {
	looker *colleagues.Looker
	wish   string             // what was chosen at the last look
	nc     *nats.Conn         // that it went over; nil: it has to be done again
	head   uint64             // end of the log then
	given  []colleagues.Given // that were recorded
	next   time.Time          // not before
	again  time.Duration
	grown  time.Time // when the log was seen to grow
	live   live
	deaf   time.Time // until when it is not listened
}

// live is what is heard while sessions here are at work.
type live struct {
	ears  []*nats.Subscription
	heard chan *nats.Msg
	of    string // the connection and the topics, empty for none
	bytes int    // since the last look
}

// askOthers asks, while the hub is reached, what others tell of the projects for which that was chosen, and keeps it for
// sessions that start: they never wait for the hub (J.9). It asks when the hub is reached, and while sessions are at work.
func (t *Team) askOthers(ctx context.Context, l *upload.Link, m team.Membership) {
	is := &asking{looker: colleagues.NewLooker(t.Dir, m)}
	tick := time.NewTicker(teamLook)
	defer tick.Stop()
	warned := ""
	defer is.live.end()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case m := <-is.live.heard:
			err = t.hear(ctx, is, m)
		case <-tick.C:
			err = t.askOnce(ctx, is, l.Conn())
		}
		if err != nil && err.Error() != warned && ctx.Err() == nil {
			t.Logger.Warn("team", "error", err.Error())
			warned = err.Error()
		}
	}
}

// askOnce asks if it is time to, and nc is a connection.
func (t *Team) askOnce(ctx context.Context, is *asking, nc *nats.Conn) error {
	share, err := team.LoadShare(t.Dir)
	if err != nil {
		return err
	}
	if wish := fmt.Sprint(share, t.identified.Load()); wish != is.wish {
		own, err := t.own(ctx, share)
		if err == nil {
			err = is.looker.Want(own)
		}
		if err == nil && len(own) == 0 {
			err = t.keep(ctx, is, colleagues.Found{})
		}
		if err != nil {
			return err
		}
		is.wish, is.nc = wish, nil
	}
	linked, head, now := nc != is.nc, t.Copy.Head(), time.Now()
	if linked || head != is.head {
		is.grown = now
	}
	if err := is.live.keep(nc, is.looker.Topics(), now.Sub(is.grown) < liveFor && !now.Before(is.deaf)); err != nil {
		return err
	}
	if nc == nil || len(is.looker.Own()) == 0 || !linked && !is.due(head, now) && !is.looker.Late(now) {
		return nil
	}
	is.nc, is.head, is.next, is.live.bytes = nc, head, now.Add(askEvery), 0
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	found, trouble := is.looker.News(ctx, nc, linked)
	if !reflect.DeepEqual(found, colleagues.Found{}) { // to ask each member takes longer
		trouble = errors.Join(trouble, t.keep(ctx, is, found))
	}
	found, err = is.looker.Look(ctx, nc, linked)
	trouble = errors.Join(trouble, err)
	if trouble != nil && !errors.As(trouble, new(*facts.MemberError)) && is.again < askLast {
		is.again = max(askAgain, 2*is.again)
		is.next = now.Add(is.again)
	} else {
		is.again = 0
	}
	if trouble != nil && reflect.DeepEqual(found, colleagues.Found{}) {
		return trouble // what is known may still be so
	}
	return errors.Join(t.keep(ctx, is, found), trouble)
}

// due reports whether it is time for another look over the same connection: while sessions are at work, also between
// their events, and while somebody could not be asked.
func (is *asking) due(head uint64, now time.Time) bool {
	return !now.Before(is.next) && (head != is.head || now.Sub(is.grown) < liveFor || is.again > 0)
}

// keep listens to some topics over a connection, or to nothing.
func (l *live) keep(nc *nats.Conn, topics []string, at bool) error {
	of := fmt.Sprintf("%p %v", nc, topics)
	if at && of == l.of || !at && l.of == "" {
		return nil
	}
	l.end()
	if !at || nc == nil {
		return nil
	}
	l.of, l.heard = of, make(chan *nats.Msg, liveMost)
	for _, topic := range topics {
		ear, err := nc.ChanSubscribe(facts.Live(topic), l.heard)
		if err != nil {
			return err
		}
		l.ears = append(l.ears, ear)
	}
	return nil
}

// end listens to nothing.
func (l *live) end() {
	for _, ear := range l.ears {
		_ = ear.Unsubscribe() // or the connection is gone
	}
	*l = live{}
}

// hear takes a message that the hub said live, with those that wait behind it. What is missed comes with a look.
func (t *Team) hear(ctx context.Context, is *asking, m *nats.Msg) error {
	var all []dial.Answer
	for more := true; more; {
		if a, err := dial.Heard(m); err == nil { // the hub wrote it
			all = append(all, a)
		}
		is.live.bytes += len(m.Data)
		select {
		case m = <-is.live.heard:
		default:
			more = false
		}
	}
	if is.live.bytes > liveBytes {
		is.live.end()
		is.deaf = is.next
		return errors.New("colleagues tell more at once than is heard live")
	}
	found, trouble := is.looker.Hear(all)
	return errors.Join(trouble, t.keep(ctx, is, found))
}

// own returns the projects of this log whose context is shared.
func (t *Team) own(ctx context.Context, share team.Share) ([]colleagues.Project, error) {
	own, err := colleagues.Projects(ctx, t.Log)
	return slices.DeleteFunc(own, func(p colleagues.Project) bool { return !share.Tells(p.Key) }), err
}

// keep keeps what was found for who starts, where the files say something else: people change them too.
func (t *Team) keep(ctx context.Context, is *asking, f colleagues.Found) error {
	if !reflect.DeepEqual(f.Given, is.given) {
		for _, g := range f.Given {
			if err := t.recordTakeover(ctx, g); err != nil {
				return err
			}
		}
		is.given = f.Given
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
