package team

import (
	"context"
	"errors"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/peers"
	"journal/journal"
)

// Follow implements cli.Team. It goes on where it stopped after the hub was away, or after a copy replaced another.
func (room) Follow(ctx context.Context, a *cli.App, show func(log *journal.Log, known bool, after uint64) (uint64, error)) error {
	m, err := team.Load(a.Dir)
	if err != nil {
		return err
	}
	r := newReader(ctx, a)
	defer r.PrintLists()
	after := map[string]uint64{} // sequence, by member and device
	read := map[string]peers.Copy{}
	last, begun := "", false
	look := func() error {
		hub, err := peers.Reach(ctx, m.Member)
		if err != nil {
			return hubTrouble(err)
		}
		defer hub.Close()
		for ; ; pause(ctx) {
			all, unread, err := copiesOf(ctx, a, hub, m)
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
				named := last != name && (last != "" || len(all) > 1)
				last = name
				c = c.Onward(read[name])
				read[name] = c
				log, err := c.Log(ctx)
				if err := r.onCopy(peers.Read{Copy: c, Log: log, Err: err}, named, func(log *journal.Log) (err error) { after[name], err = show(log, known, seq); return }); err != nil {
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
		pause(ctx)
	}
}
