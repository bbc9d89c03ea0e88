package team

import (
	"context"
	"fmt"
	"slices"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/facts"
	"journal/embedded/team/peers"
	"journal/journal"
)

// readListed offers what devices tell of their sessions, which takes one round trip for all, and runs f on the copies of those
// of which it is not enough.
func (r *reader) readListed(hub *peers.Hub, m team.Membership, f func(*journal.Log) error, listed func([]catalogue.Listing) (bool, error)) error {
	names, err := membersOf(hub, r.Colleague)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx, rosterWait)
	defer cancel()
	known, trouble := hub.Facts(ctx, m, names)
	if trouble != nil && r.Colleague != cli.Everyone {
		return cli.WithHint(trouble, "journal sessions --team")
	}
	if all, ok := trouble.(interface{ Unwrap() []error }); ok {
		r.failed(all.Unwrap()...)
	}
	devices := slices.DeleteFunc(byDevice(known), func(device []*facts.Fact) bool {
		return !isNamed(r.Colleague, m, device[0].Member, device[0].Device)
	})
	unlisted := map[cli.Device]bool{}
	for _, device := range devices {
		enough, err := r.onFacts(device, len(devices) > 1, listed)
		switch {
		case err != nil:
			r.failed(fmt.Errorf("what %s tells: %w", device[0].Member, err))
		case enough:
			r.read++
		default:
			unlisted[cli.Device{Member: device[0].Member, Device: device[0].Device}] = true
		}
	}
	if len(unlisted) == 0 {
		return nil
	}
	return r.readCopies(hub, m, f, func(d cli.Device) bool { return unlisted[d] })
}

// byDevice returns the facts of each device.
func byDevice(known *facts.Cache) (all [][]*facts.Fact) {
	for _, f := range known.All() {
		if n := len(all); n > 0 && all[n-1][0].Member == f.Member && all[n-1][0].Device == f.Device {
			all[n-1] = append(all[n-1], f)
		} else {
			all = append(all, []*facts.Fact{f})
		}
	}
	return all
}

// onFacts runs listed on the facts of a device.
func (r *reader) onFacts(all []*facts.Fact, named bool, listed func([]catalogue.Listing) (bool, error)) (enough bool, err error) {
	c := peers.Copy{Member: all[0].Member, Device: all[0].Device}
	var projects []colleagues.Project
	var lists []catalogue.Listing
	for _, f := range all {
		t := f.Summary
		c.Events = max(c.Events, f.Last)
		projects = append(projects, colleagues.Of(*t))
		lists = append(lists, catalogue.Listing{Project: t.Project, Repository: t.Repository, Name: t.Name, Sessions: t.Sessions, More: t.More})
	}
	theirs := func() ([]colleagues.Project, error) { return projects, nil }
	err = r.at(c, named, theirs, func() (err error) {
		enough, err = listed(lists)
		return err
	})
	return enough, err
}
