package team

import (
	"context"
	"fmt"
	"slices"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/facts"
	"journal/embedded/team/peers"
	"journal/journal"
)

// ReadListed implements cli.Team: the facts of all devices take a few round trips together.
func (room) ReadListed(ctx context.Context, a *cli.App, enough func([]catalogue.Listing) bool, listed func([]catalogue.Listing) error, f func(*journal.Log) error) error {
	m, hub, err := reach(ctx, a)
	if err != nil {
		return err
	}
	defer hub.Close()
	names, err := membersOf(hub, a.Colleague)
	if err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(ctx, rosterWait)
	defer cancel()
	known, trouble := hub.Facts(asked, m, names)
	if trouble != nil && a.Colleague != cli.Everyone {
		return cli.WithHint(trouble, "journal sessions --team")
	}
	r := newReader(ctx, a)
	if all, ok := trouble.(interface{ Unwrap() []error }); ok {
		r.failed(all.Unwrap()...)
	}
	devices := slices.DeleteFunc(byDevice(known), func(device []*facts.Fact) bool {
		return !isNamed(a.Colleague, m, device[0].Member, device[0].Device)
	})
	rest := map[string]bool{}
	for _, device := range devices {
		if enough(listings(device)) {
			r.onFacts(device, len(devices) > 1, listed)
		} else {
			rest[device[0].Member+"/"+device[0].Device] = true
		}
	}
	if len(rest) > 0 {
		all, unread, err := copiesOf(ctx, a, hub, m)
		if err != nil {
			return err
		}
		r.failed(unread...)
		r.copies(slices.DeleteFunc(all, func(c peers.Copy) bool { return !rest[c.Member+"/"+c.Device] }), len(devices) > 1, f)
	}
	return r.close()
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

// onFacts runs f on the facts of a device.
func (r *reader) onFacts(all []*facts.Fact, named bool, f func([]catalogue.Listing) error) {
	c := peers.Read{Copy: peers.Copy{Member: all[0].Member, Device: all[0].Device}}
	var projects []colleagues.Project
	for _, f := range all {
		c.Events = max(c.Events, f.Last)
		projects = append(projects, colleagues.Of(*f.Summary))
	}
	theirs := func() ([]colleagues.Project, error) { return projects, nil }
	if err := r.at(c, named, theirs, func() error { return f(listings(all)) }); err != nil {
		r.failed(fmt.Errorf("what %s tells: %w", c.Member, err))
		return
	}
	r.read++
}

// listings returns the sessions in facts.
func listings(all []*facts.Fact) (listed []catalogue.Listing) {
	for _, f := range all {
		t := f.Summary
		listed = append(listed, catalogue.Listing{Project: t.Project, Repository: t.Repository, Name: t.Name, Sessions: t.Sessions, More: t.More})
	}
	return listed
}
