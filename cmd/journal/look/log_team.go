package look

import (
	"context"
	"errors"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/peers"
	"journal/events"
	"journal/journal"
)

// followTeam prints what the selected copies hold, and follows them until ctx ends. It
// goes on where it stopped after the hub was away, or after a copy replaced another.
func followTeam(ctx context.Context, a *cli.App, f logFlags) error {
	m, err := team.Load(a.Dir)
	if err != nil {
		return err
	}
	r := cli.NewTeamReader(ctx, a)
	defer r.End()
	after := map[string]uint64{} // sequence, by member and device
	read := map[string]peers.Copy{}
	last, begun := "", false
	look := func() error {
		hub, err := peers.Reach(ctx, m.Member)
		if err != nil {
			return cli.HubTrouble(err)
		}
		defer hub.Close()
		for ; ; cli.Pausing(ctx, cli.TeamFollow) {
			all, unread, err := cli.Copies(ctx, a, hub, m)
			if err != nil {
				return err
			}
			for _, err := range unread {
				if !begun {
					a.Note(err.Error())
				}
			}
			begun = true
			for _, c := range all {
				name := c.Member + "/" + c.Device
				seq, known := after[name]
				if known && seq >= c.Events {
					continue
				}
				said := last != name && (last != "" || len(all) > 1)
				last = name
				c = c.Onward(read[name])
				read[name] = c
				log, err := c.Log(ctx)
				if err := r.Read(peers.Read{Copy: c, Log: log, Err: err}, said, func(log *journal.Log) (err error) { after[name], err = printSince(ctx, a, log, f, known, seq); return }); err != nil {
					return err
				}
			}
			if ctx.Err() != nil {
				return nil
			}
		}
	}
	for {
		err := look()
		if ctx.Err() != nil {
			return nil
		}
		if !begun || errors.Is(err, team.ErrRefused) {
			return err
		}
		if err != nil {
			a.Note(err.Error())
		}
		cli.Pausing(ctx, cli.TeamFollow)
	}
}

// printSince prints the events of a copy after a sequence, or the newest ones if the copy is new to
// it, and returns the last sequence it printed.
func printSince(ctx context.Context, a *cli.App, log *journal.Log, f logFlags, known bool, after uint64) (uint64, error) {
	sel, err := cli.Selectors(ctx, a, log, f.Selection)
	if errors.Is(err, journal.ErrNoSession) {
		return after, nil
	}
	if err != nil {
		return after, err
	}
	if !known {
		return printNewest(ctx, a, log, f, sel)
	}
	st, err := log.Stats(ctx)
	if err != nil {
		return after, err
	}
	err = printEvents(a, f, log.Events(ctx, events.Span{After: after, Until: st.Last}, sel...), &lossMarks{}, func(e events.Envelope) { after = e.Seq })
	if err == nil {
		after = st.Last
	}
	return after, err
}
