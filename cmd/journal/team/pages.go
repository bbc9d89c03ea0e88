package team

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded"
	"journal/embedded/team"
	"journal/embedded/team/peers"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

const (
	rosterLife  = 5 * time.Second // time for which the pages cache the devices of members
	followEvery = time.Second     // interval of polls of a copy that the pages follow
)

// pages implements cli.TeamPages.
type pages struct {
	*cli.App
	member team.Membership

	mu      sync.Mutex
	asked   time.Time // when the hub was asked last
	devices []cli.Device
	unread  []string // errors of members whose copies could not be listed
}

// Pages implements cli.Team.
func (cliTeam) Pages(a *cli.App) (cli.TeamPages, error) {
	m, err := team.Load(a.Dir)
	return &pages{App: a, member: m}, err
}

// Devices implements cli.TeamPages. The answer is at most rosterLife old.
func (t *pages) Devices(ctx context.Context) ([]cli.Device, []string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.asked) < rosterLife {
		return t.devices, t.unread, nil
	}
	hub, err := peers.Reach(ctx, t.member.Member)
	if err != nil {
		return nil, nil, err
	}
	defer hub.Close()
	all, unread, err := copiesOf(ctx, t.App, hub, t.member)
	if err != nil {
		return nil, nil, err
	}
	t.devices, t.unread, t.asked = nil, nil, time.Now()
	for _, c := range all {
		t.devices = append(t.devices, deviceOf(c))
	}
	for _, err := range unread {
		t.unread = append(t.unread, err.Error())
	}
	return t.devices, t.unread, nil
}

// Open implements cli.TeamPages.
func (t *pages) Open(ctx context.Context, d cli.Device) (cli.FollowedLog, func(), error) {
	hub, err := peers.Reach(ctx, t.member.Member)
	if err != nil {
		return nil, nil, err
	}
	l := &copyLog{App: t.App, hub: hub, device: d}
	if err := l.poll(ctx); err != nil {
		hub.Close()
		return nil, nil, err
	}
	return l, hub.Close, nil
}

// copyLog is a copy at the hub that the pages follow by polling, because a member may not subscribe to the copy.
type copyLog struct {
	*cli.App
	hub    *peers.Hub
	device cli.Device
	log    atomic.Pointer[journal.Log] // as it was read last

	mu   sync.Mutex
	copy peers.Copy // as it was read last; guarded by mu
}

// poll reads what is new in the copy. The first poll chooses the device's newest copy; a later one fails if another copy has replaced it.
func (l *copyLog) poll(ctx context.Context) error {
	all, err := l.hub.Copies(ctx, l.device.Member)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(all, func(c peers.Copy) bool {
		return c.Device == l.device.Device && (l.copy.Number == 0 || c.Number == l.copy.Number)
	})
	if i < 0 {
		return errors.New("this copy is not shared any more")
	}
	l.copy = all[i].ResumedFrom(l.copy)
	log, err := logOf(ctx, l.App, l.copy)
	if err == nil { // else the pages show what was read before
		l.log.Store(log)
	}
	return err
}

// Stream implements cli.FollowedLog.
func (l *copyLog) Stream() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(l.device, "#", l.copy.Number)
}

// Stats implements cli.FollowedLog.
func (l *copyLog) Stats(ctx context.Context) (journal.Stats, error) { return l.log.Load().Stats(ctx) }

// Messages implements cli.FollowedLog.
func (l *copyLog) Messages(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return l.log.Load().Messages(ctx, span)
}

// Events implements cli.FollowedLog.
func (l *copyLog) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return l.log.Load().Events(ctx, span, sel...)
}

// Follow implements cli.FollowedLog by polling every followEvery. It ends with the error of a poll.
func (l *copyLog) Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for range embedded.Ticks(ctx, followEvery) {
			if err := l.poll(ctx); err != nil {
				yield(events.Envelope{}, err)
				return
			}
			st, err := l.Stats(ctx)
			if err != nil || st.Last <= after { // Stats cannot fail: the copy is in memory
				continue
			}
			for e, err := range l.Events(ctx, events.Span{After: after, Until: st.Last}, sel...) {
				if !yield(e, err) || err != nil {
					return
				}
			}
			after = st.Last
		}
	}
}
