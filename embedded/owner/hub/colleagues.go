package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"journal/embedded/colleagues"
	"journal/embedded/owner/draft"
	"journal/events"
	"journal/journal/team"
	"journal/journal/team/peers"
	"journal/journal/team/upload"
)

const (
	// askEvery lies between two looks at what others have left unfinished, while nothing of what
	// is looked for changed: a team of 200 asks its hub for some 300 copies in each second then.
	askEvery = 2 * time.Minute
	// askAgain lies between a look at which somebody could not be asked and the next; it doubles up to
	// askEvery.
	askAgain = 4 * time.Second
	// askWait bounds one look.
	askWait = 30 * time.Second
)

// askOthers asks, while the hub is reached, what others have left unfinished in the projects for which
// that was chosen, and keeps it for sessions that start: they never wait for the hub (J.9).
func (h *Hub) askOthers(ctx context.Context, l *upload.Link, m team.Membership) {
	looker := colleagues.NewLooker(m)
	tick := time.NewTicker(teamLook)
	defer tick.Stop()
	var next time.Time
	again := askAgain
	asked, warned := "", ""
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
		share, err := team.LoadShare(h.Dir)
		wish := fmt.Sprint(share, h.identified.Load())
		chosen := len(share.Handover)+len(share.Decisions) > 0
		if err == nil && (wish != asked && (chosen || asked != "") || chosen && !time.Now().Before(next)) {
			asked = wish
			wait := askEvery
			if err = h.askOnce(ctx, looker, share, m); err != nil {
				wait, again = again, min(2*again, askEvery)
			} else {
				again = askAgain
			}
			next = time.Now().Add(wait)
		}
		if err != nil && err.Error() != warned && ctx.Err() == nil {
			h.Logger.Warn("team", "error", err.Error())
			warned = err.Error()
		}
	}
}

// askOnce asks once.
func (h *Hub) askOnce(ctx context.Context, looker *colleagues.Looker, share team.Share, m team.Membership) error {
	own, err := colleagues.Projects(ctx, h.Log)
	for i := range own {
		own[i].Offered, own[i].Decided = team.Handover.Has(share, own[i].Key), team.Decisions.Has(share, own[i].Key)
	}
	own = slices.DeleteFunc(own, func(p colleagues.Project) bool { return !p.Offered && !p.Decided })
	if err != nil || len(own) == 0 {
		return errors.Join(err, team.SaveOffers(h.Dir, nil), team.SaveDecisions(h.Dir, nil), team.SaveAlike(h.Dir, nil))
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	there, err := peers.Reach(ctx, m.Member)
	if err != nil {
		return err
	}
	defer there.Close()
	found, trouble := looker.Look(ctx, there, own)
	if err := h.keepDecisions(found); err != nil {
		return err
	}
	if found.Offers == nil && found.Given == nil && trouble != nil {
		return trouble // what is known may still be so
	}
	for _, g := range found.Given {
		if err := h.recordTakeover(ctx, g); err != nil {
			return err
		}
	}
	if err := errors.Join(team.SaveOffers(h.Dir, found.Offers), team.SaveAlike(h.Dir, found.Alike)); err != nil {
		return err
	}
	return trouble
}

// keepDecisions keeps what others decided, and of those whom nobody could ask what was known.
func (h *Hub) keepDecisions(found colleagues.Found) error {
	known, err := team.KnownDecisions(h.Dir)
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(known, func(d team.Decision) bool { return !found.Unread.Keeps(d) })
	return team.SaveDecisions(h.Dir, append(found.Decisions, known...))
}

// recordTakeover records that somebody goes on with what this log left, once.
func (h *Hub) recordTakeover(ctx context.Context, g colleagues.Given) error {
	id := events.DerivedID("handover", g.Project, g.ID)
	known, err := h.Log.Find(ctx, 0, events.Selector{Project: g.Project, Session: events.None, Type: events.TypeOf[events.HandoverNoticed]()}, id)
	if err != nil || len(known) > 0 {
		return err
	}
	d, err := draft.Of(g.HandoverNoticed, events.Meta{ID: id, At: time.Now().UnixNano(), Project: g.Project})
	if err != nil {
		return err
	}
	return h.Writer.Append(ctx, d)
}
