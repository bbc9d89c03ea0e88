package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/embedded/owner"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/hub"
	"journal/embedded/team/link"
	"journal/embedded/team/peers"
	"journal/journal"
)

// rosterWait bounds the question who shares what.
const rosterWait = 15 * time.Second

// room implements cli.Team.
type room struct{}

var (
	_ = cli.SetTeam(room{})
	_ = cli.Failure(team.ErrNoMember, "journal team join INVITATION")
	_ = cli.Failure(team.ErrMember, "journal team leave")
	_ = cli.Failure(hub.ErrHub, "journal team init")
	_ = cli.Failure(team.ErrNoAnswer, "look at the log of each node, then the same command again: it goes on where it was")
)

// Link implements cli.Team.
func (room) Link(a *cli.App) func(owner.TeamConfig) owner.Team {
	return link.Of(a.Getenv("JOURNAL_TEAM"))
}

// Read implements cli.Team.
func (room) Read(ctx context.Context, a *cli.App, f func(*journal.Log) error, listed func([]catalogue.Listing) (bool, error)) error {
	m, hub, err := reach(ctx, a)
	if err != nil {
		return err
	}
	defer hub.Close()
	r := &reader{App: a, ctx: ctx, own: sync.OnceValue(func() colleagues.Project { return here(ctx, a) })}
	if listed != nil {
		err = r.readListed(hub, m, f, listed)
	} else {
		err = r.readCopies(hub, m, f, func(cli.Device) bool { return true })
	}
	if err != nil {
		return err
	}
	return r.close()
}

// reach reaches the hub for a verb that reads.
func reach(ctx context.Context, a *cli.App) (m team.Membership, hub *peers.Hub, err error) {
	if m, err = team.Load(a.Dir); err != nil {
		return m, nil, err
	}
	if a.Confined {
		if err := mayReadTeam(ctx, a); err != nil {
			return m, nil, err
		}
	}
	hub, err = peers.Reach(ctx, m.Member)
	return m, hub, hubTrouble(err)
}

// readCopies runs f on each copy that is wanted.
func (r *reader) readCopies(hub *peers.Hub, m team.Membership, f func(*journal.Log) error, wanted func(cli.Device) bool) error {
	all, unread, err := copiesOf(r.ctx, r.App, hub, m)
	if err != nil {
		return err
	}
	r.failed(unread...)
	named := r.read+len(all) > 1
	all = slices.DeleteFunc(all, func(c peers.Copy) bool { return !wanted(cli.Device{Member: c.Member, Device: c.Device}) })
	show, end := r.Progress("copies read")
	defer end()
	done := 0
	for c := range peers.Ahead(r.ctx, all) {
		end()
		err := c.Err
		if err == nil {
			theirs := func() ([]colleagues.Project, error) { return colleagues.Projects(r.ctx, c.Log) }
			err = r.at(c.Copy, named, theirs, func() error { return f(c.Log) })
		}
		done++
		show(int64(done), int64(len(all)))
		switch {
		case errors.Is(err, journal.ErrNoSession), errors.As(err, new(cli.ExitWith)):
			r.none = err // it is printed already
		case err != nil && !named:
			r.fatal = fmt.Errorf("what %s shares: %w", c.Member, err)
		case err != nil:
			r.failed(fmt.Errorf("what %s shares on %s cannot be read: %w", c.Member, c.Device, err))
		default:
			r.read++
		}
	}
	return nil
}

// failed reports what could not be read of members.
func (r *reader) failed(all ...error) {
	for _, err := range all {
		r.Note(err.Error())
		r.unread++
	}
}

// close ends the reading, with the error of what could not be read.
func (r *reader) close() error {
	err := cmp.Or(r.ctx.Err(), r.fatal)
	if err == nil {
		err = r.PrintLists()
	}
	switch {
	case err != nil:
		return err
	case r.unread > 0:
		return cli.ExitWith(cli.ExitError)
	case r.read == 0:
		return cmp.Or(r.none, errors.New("nobody else shares anything"))
	}
	return nil
}

// reader runs what a verb does on one copy after the other.
type reader struct {
	*cli.App
	ctx context.Context
	own func() colleagues.Project // the project that the verb is called in

	read, unread int
	none, fatal  error // why there is nothing, and what ends all
}

// at runs f on the log of a device, or on what it lists, whose projects theirs returns. named adds a line for people with its name.
func (r *reader) at(c peers.Copy, named bool, theirs func() ([]colleagues.Project, error), f func() error) error {
	key := func(own string) string {
		if own != r.own().Key {
			return own
		}
		all, err := theirs()
		i := slices.IndexFunc(all, func(t colleagues.Project) bool { return r.own().Is.Same(t.Is) })
		if err != nil || i < 0 {
			return own // the next read returns the error
		}
		return all[i].Key
	}
	return r.ReadCopy(cli.TeamCopy{Device: cli.Device{Member: c.Member, Device: c.Device}, Events: c.Events, Key: key}, named, f)
}

// copiesOf returns the copies that --team names, and why members of everyone could not be asked.
func copiesOf(ctx context.Context, a *cli.App, hub *peers.Hub, m team.Membership) (all []peers.Copy, unread []error, err error) {
	ctx, cancel := context.WithTimeout(ctx, rosterWait)
	defer cancel()
	names, err := membersOf(hub, a.Colleague)
	if err != nil {
		return nil, nil, err
	}
	for _, answer := range hub.OfEach(ctx, names) {
		if answer.Err != nil && a.Colleague != cli.Everyone {
			return nil, nil, cli.WithHint(answer.Err, "journal sessions --team")
		}
		if answer.Err != nil {
			unread = append(unread, answer.Err)
		}
		for _, c := range answer.Copies {
			if isNamed(a.Colleague, m, c.Member, c.Device) {
				all = append(all, c)
			}
		}
	}
	return all, unread, nil
}

// membersOf returns the members that --team names.
func membersOf(hub *peers.Hub, named string) ([]string, error) {
	if named == cli.Everyone {
		return hub.Members(), nil
	}
	member, _, _ := strings.Cut(named, "/")
	return []string{member}, team.CheckName(member)
}

// isNamed reports whether --team names a device of a member that it names; all are not the own one.
func isNamed(named string, own team.Membership, member, device string) bool {
	if named == cli.Everyone {
		return member != own.Name || device != own.Device
	}
	_, only, _ := strings.Cut(named, "/")
	return only == "" || device == only
}

// here is the project that a verb is called in, as others know it.
func here(ctx context.Context, a *cli.App) colleagues.Project {
	place := a.Copy
	a.Copy = nil // its own key
	defer func() { a.Copy = place }()
	p, err := projectKnown(ctx, a, "")
	if err != nil {
		a.Note("which repository this is could not be found out: " + err.Error())
	}
	return p
}

// mayReadTeam lets an agent read in the repository of its own session, if its context is shared.
func mayReadTeam(ctx context.Context, a *cli.App) error {
	share, err := team.LoadShare(a.Dir)
	if err != nil {
		return err
	}
	own := ""
	err = a.ReadOwn(ctx, func(log *journal.Log) (err error) {
		own, err = a.ReadableProject(ctx, log)
		return err
	})
	if err == nil && (own != a.ProjectKey("") || !share.SharesContext(own)) {
		err = cli.NotForAgents("read what the team shares, unless the context of its own project is shared")
	}
	return err
}

// askTheHub is the advice when the hub refuses a member.
const askTheHub = "ask whoever runs the hub: revoked, not told of yet, or out of date"

// hubTrouble adds the advice to the error of a hub that could not be reached.
func hubTrouble(err error) error {
	if errors.Is(err, team.ErrRefused) {
		return cli.WithHint(err, askTheHub)
	}
	return cli.WithHint(err, "journal team status")
}

// followEvery lies between two looks at what came to the copies: a member may ask for what they hold, and may not
// subscribe.
const followEvery = time.Second
