package owner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"journal/embedded/colleagues"
	"journal/embedded/hubcopy"
	"journal/events"
	"journal/journal/team"
	"journal/journal/team/peers"
)

const (
	// handoverEvery lies between two looks at what others have left unfinished, while nothing of what
	// is looked for changed: a team of 200 asks its hub for some 300 copies in each second then.
	handoverEvery = 2 * time.Minute
	// handoverAgain lies between a look at which somebody could not be asked and the next; it doubles up to
	// handoverEvery.
	handoverAgain = 4 * time.Second
	// handoverWait bounds one look.
	handoverWait = 30 * time.Second
)

// handOver asks, while the hub is reached, what others have left unfinished in the projects for which
// that was chosen, and keeps it for sessions that start: they never wait for the hub (J.9).
func (u *uplink) handOver(ctx context.Context, l *hubcopy.Link, m team.Membership) {
	looker := colleagues.NewLooker(m)
	tick := time.NewTicker(teamLook)
	defer tick.Stop()
	var next time.Time
	again := handoverAgain
	asked, said := "", ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !l.Connected() {
			next = time.Time{}
			continue
		}
		share, err := team.LoadShare(u.lock.Dir())
		wish := fmt.Sprint(share, u.identified.Load())
		chosen := len(share.Handover)+len(share.Decisions) > 0
		if err == nil && (wish != asked && (chosen || asked != "") || chosen && !time.Now().Before(next)) {
			asked = wish
			wait := handoverEvery
			if err = u.lookElsewhere(ctx, looker, share, m); err != nil {
				wait, again = again, min(2*again, handoverEvery)
			} else {
				again = handoverAgain
			}
			next = time.Now().Add(wait)
		}
		if err != nil && err.Error() != said && ctx.Err() == nil {
			u.config.Logger.Warn("team", "error", err.Error())
			said = err.Error()
		}
	}
}

// lookElsewhere looks once.
func (u *uplink) lookElsewhere(ctx context.Context, looker *colleagues.Looker, share team.Share, m team.Membership) error {
	own, err := colleagues.Projects(ctx, u.log)
	for i := range own {
		own[i].Offered, own[i].Decided = team.Handover.Has(share, own[i].Key), team.Decisions.Has(share, own[i].Key)
	}
	own = slices.DeleteFunc(own, func(p colleagues.Project) bool { return !p.Offered && !p.Decided })
	if err != nil || len(own) == 0 {
		return errors.Join(err, team.SaveOffers(u.lock.Dir(), nil), team.SaveDecisions(u.lock.Dir(), nil), team.SaveAlike(u.lock.Dir(), nil))
	}
	ctx, cancel := context.WithTimeout(ctx, handoverWait)
	defer cancel()
	nc, err := peers.Connect(ctx, m.Member)
	if err != nil {
		return err
	}
	defer nc.Close()
	found, trouble := looker.Look(ctx, nc, own)
	if err := u.decided(found); err != nil {
		return err
	}
	if found.Offers == nil && found.Given == nil && trouble != nil {
		return trouble // what is known may still be so
	}
	for _, g := range found.Given {
		if err := u.notice(ctx, g); err != nil {
			return err
		}
	}
	if err := errors.Join(team.SaveOffers(u.lock.Dir(), found.Offers), team.SaveAlike(u.lock.Dir(), found.Alike)); err != nil {
		return err
	}
	return trouble
}

// decided keeps what others decided, and of those whom nobody could ask what was known.
func (u *uplink) decided(found colleagues.Found) error {
	if found.Unasked {
		return nil
	}
	known, err := team.KnownDecisions(u.lock.Dir())
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(known, func(d team.Decision) bool { return !found.Unread.Keeps(d) })
	return team.SaveDecisions(u.lock.Dir(), append(found.Decisions, known...))
}

// theirs gives what others have decided in a project, as far as it is known: from a file.
func (o *Owner) theirs(project string) []team.Decision {
	all, err := team.LoadDecisions(o.lock.Dir(), project)
	if err != nil {
		o.config.Logger.Warn("team", "error", err.Error())
	}
	return all
}

// notice records that somebody goes on with what this log left, once.
func (u *uplink) notice(ctx context.Context, g colleagues.Given) error {
	id := events.DerivedID("handover", g.Project, g.ID)
	known, err := u.log.Find(ctx, 0, events.Selector{Project: g.Project, Session: events.None, Type: events.TypeOf[events.HandoverNoticed]()}, id)
	if err != nil || len(known) > 0 {
		return err
	}
	d, err := draftOf(g.HandoverNoticed, events.Meta{ID: id, At: time.Now().UnixNano(), Project: g.Project})
	if err != nil {
		return err
	}
	return u.writer.append(ctx, d)
}

// offers gives what others have left unfinished in a project, as far as it is known: from a file.
func (o *Owner) offers(project string) []team.Offer {
	all, err := team.LoadOffers(o.lock.Dir(), project)
	if err != nil {
		o.config.Logger.Warn("team", "error", err.Error())
	}
	return all
}
