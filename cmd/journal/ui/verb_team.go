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

// rosterLife is how long the pages cache who shares what.
const rosterLife = 5 * time.Second

// uiTeam reads what verbs read with --team, for the pages.
type uiTeam struct {
	*cli.App
	member team.Membership

	mu     sync.Mutex
	asked  time.Time
	places []Place
	unread []string
}

// teamOf returns the access to what others share; nil without --team.
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

// known returns who shares what, at most rosterLife old.
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

// open opens the newest copy of a device.
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

// copyLog is a copy at the hub that the pages follow by polling: a member may read a copy, but may not
// subscribe to it.
type copyLog struct {
	*journal.Log
	nc *nats.Conn
}

// Follow polls every second.
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
