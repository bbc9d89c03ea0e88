package ui

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/journal/team"
	"journal/journal/team/peers"
)

// rosterLife is how long the pages take for true who shares what.
const rosterLife = 5 * time.Second

// uiTeam reads for the pages what verbs read with --team.
type uiTeam struct {
	*cli.App
	member team.Membership

	mu     sync.Mutex
	asked  time.Time
	places []Place
	unread []string
}

// teamOf gives what the pages read of others; nil without --team.
func teamOf(a *cli.App) (*Team, error) {
	if a.Colleague == "" {
		return nil, nil
	}
	m, err := team.Load(a.Dir)
	if err != nil {
		return nil, cli.WithHint(err, "journal team join INVITATION")
	}
	t := &uiTeam{App: a, member: m}
	return &Team{Places: t.known, Open: t.open}, nil
}

// known gives who shares what, as it was asked a moment ago.
func (t *uiTeam) known(ctx context.Context) ([]Place, []string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.asked) < rosterLife {
		return t.places, t.unread, nil
	}
	nc, err := peers.Connect(ctx, t.member.Member)
	if err != nil {
		return nil, nil, err
	}
	defer nc.Close()
	all, unread, err := cli.Copies(ctx, t.App, nc, t.member)
	if err != nil {
		return nil, nil, err
	}
	t.places, t.unread, t.asked = nil, nil, time.Now()
	for _, c := range all {
		t.places = append(t.places, Place{Member: c.Member, Device: c.Device})
	}
	for _, err := range unread {
		t.unread = append(t.unread, err.Error())
	}
	return t.places, t.unread, nil
}

// open reaches the newest copy of a device.
func (t *uiTeam) open(ctx context.Context, p Place) (Log, func(), error) {
	nc, err := peers.Connect(ctx, t.member.Member)
	if err != nil {
		return nil, nil, err
	}
	all, err := peers.Of(ctx, nc, p.Member)
	for _, c := range all {
		if c.Device == p.Device {
			return copyLog{c.Log(), nc}, nc.Close, nil
		}
	}
	nc.Close()
	return nil, nil, errors.Join(errors.New("nothing of it is shared any more"), err)
}

// copyLog is a copy at the hub as the pages follow it: a member may ask for what it holds, and may not be
// told of it.
type copyLog struct {
	*journal.Log
	nc *nats.Conn
}

// Follow asks every second.
func (l copyLog) Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for ctx.Err() == nil {
			st, err := l.Stats(ctx)
			if err == nil && l.nc.IsClosed() {
				err = nats.ErrConnectionClosed
			}
			if err != nil {
				yield(events.Envelope{}, err)
				return
			}
			if st.Last > after {
				for e, err := range l.Events(ctx, events.Span{After: after, Until: st.Last}, sel...) {
					if !yield(e, err) || err != nil {
						return
					}
				}
				after = st.Last
			}
			cli.Pausing(ctx, cli.TeamFollow)
		}
	}
}
