package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"journal/embedded/colleagues"
	"journal/journal"
	"journal/journal/git"
	"journal/journal/team"
	"journal/journal/team/peers"
)

// everyone is the value of --team that names nobody.
const everyone = "all"

// teamFlag lets a verb that looks read what members of the team share, instead of this log.
func teamFlag(a *app, c *cobra.Command) {
	c.Flags().StringVar(&a.colleague, "team", "", "read what is shared at the team's hub: =MEMBER, =MEMBER/DEVICE, or by all others")
	c.Flags().Lookup("team").NoOptDefVal = everyone
	c.Long = strings.Replace(c.Long, "\n\nExit codes:", `

With --team it reads what members of the team share, with their own sequences; --session is
MEMBER/SESSION then, or a session of whoever has it. What of a member cannot be read is said on
stderr, the rest is shown, and the exit code is 1.

Exit codes:`, 1)
}

// chooseLog decides before a command runs whose log it reads: --session MEMBER/SESSION names a member
// as --team=MEMBER does, and MEMBER/DEVICE/SESSION a device.
func chooseLog(a *app, c *cobra.Command) error {
	session := c.Flags().Lookup("session")
	if c.Flags().Lookup("team") == nil || session == nil {
		return nil
	}
	i := strings.LastIndexByte(session.Value.String(), '/')
	if i < 0 {
		return nil
	}
	of, id := session.Value.String()[:i], session.Value.String()[i+1:]
	if name, _, _ := strings.Cut(of, "/"); team.CheckName(name) != nil || a.colleague == "" {
		return nil // an id with a slash in it, until --team says more
	}
	switch named := a.colleague; {
	case named == everyone, named == of, strings.HasPrefix(of, named+"/"):
		a.colleague = of
	case !strings.HasPrefix(named, of+"/"):
		return usage(c, fmt.Errorf("--team names %s, and --session %s", named, of))
	}
	return session.Value.Set(id)
}

// rosterWait bounds the question who shares what.
const rosterWait = 15 * time.Second

// place is a copy at the hub that a verb reads.
type place struct {
	peers.Copy
	own   func() colleagues.Project // the project that the verb is called in
	ctx   context.Context
	lists *lists
	alike func(theirs []colleagues.Project) // says that what is there is only like it
}

func (p *place) name() string {
	if p == nil {
		return ""
	}
	return p.Member + "/" + p.Device
}

// key gives the key there of the project that a verb is called in, and any other as it is.
func (p *place) key(own string) string {
	if p == nil || own != p.own().Key {
		return own
	}
	theirs, err := colleagues.Projects(p.ctx, p.Log())
	if err != nil {
		return own // whatever is read next says so
	}
	for _, t := range theirs {
		if colleagues.Same(p.own(), t) {
			return t.Key
		}
	}
	p.alike(theirs)
	return own
}

// readTeam runs f on each copy that is meant. Those that do not hold the session that is asked for are
// left out, and those that cannot be read are named.
func readTeam(ctx context.Context, a *app, f func(*journal.Log) error) error {
	m, err := team.Load(a.dir)
	if err != nil {
		return withHint(err, "journal team join FILE")
	}
	if a.confined {
		if err := mayReadTeam(ctx, a); err != nil {
			return err
		}
	}
	nc, err := peers.Connect(ctx, m.Member)
	if err != nil {
		return hubTrouble(err)
	}
	defer nc.Close()
	copies, unasked, err := copies(ctx, a, nc, m)
	if err != nil {
		return err
	}
	for _, err := range unasked {
		a.note(err.Error())
	}
	unread := len(unasked)
	r := reader(ctx, a)
	var none error
	read := 0
	for _, c := range copies {
		switch err := r.read(c, len(copies) > 1, f); {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, journal.ErrNoSession), errors.As(err, new(exitWith)):
			none = err // and has said so
		case err != nil && len(copies) == 1:
			return fmt.Errorf("what %s shares: %w", c.Member, err)
		case err != nil:
			a.note(fmt.Sprintf("what %s shares on %s cannot be read: %v", c.Member, c.Device, err))
			unread++
		default:
			read++
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	switch {
	case unread > 0:
		return exitWith(exitError)
	case read == 0:
		return cmp.Or(none, errors.New("nobody else shares anything"))
	}
	return nil
}

// teamReader runs what a verb does on one copy after the other.
type teamReader struct {
	*app
	ctx   context.Context
	own   func() colleagues.Project
	lists lists
}

func reader(ctx context.Context, a *app) *teamReader {
	return &teamReader{app: a, ctx: ctx, own: sync.OnceValue(func() colleagues.Project { return here(ctx, a) })}
}

// read runs f on a copy. named says that a line tells people whose it is.
func (r *teamReader) read(c peers.Copy, named bool, f func(*journal.Log) error) error {
	out := r.out
	defer func() { r.out, r.at = out, nil }()
	r.at = &place{c, r.own, r.ctx, &r.lists, func(theirs []colleagues.Project) { sayAlike(r.app, r.own(), c.Member, theirs) }}
	if d, ok := out.(*display); ok && named {
		r.out = d.under(fmt.Sprintf("%s, up to #%d\n", r.at.name(), c.Events))
	}
	return f(c.Log())
}

// end prints the list that the copies have together, if there is one.
func (r *teamReader) end() error {
	if !r.lists.any {
		return nil
	}
	return r.printJSON(append([]json.RawMessage{}, r.lists.items...))
}

// copies gives the copies that --team names, and why members of everyone could not be asked.
func copies(ctx context.Context, a *app, nc *nats.Conn, m team.Membership) (all []peers.Copy, unread []error, err error) {
	ctx, cancel := context.WithTimeout(ctx, rosterWait)
	defer cancel()
	member, device, _ := strings.Cut(a.colleague, "/")
	names := []string{member}
	if member == everyone {
		if names, err = peers.Members(ctx, nc); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range names {
		if err := team.CheckName(name); err != nil {
			return nil, nil, err
		}
		of, err := peers.Of(ctx, nc, name)
		if err != nil && member != everyone {
			return nil, nil, withHint(err, "journal sessions --team")
		}
		if err != nil {
			unread = append(unread, err)
		}
		for _, c := range of {
			own := member == everyone && c.Member == m.Name && c.Device == m.Device
			if !own && (device == "" || c.Device == device) {
				all = append(all, c)
			}
		}
	}
	return all, unread, nil
}

// here is the project that a verb is called in, as others know it.
func here(ctx context.Context, a *app) colleagues.Project {
	at := a.at
	a.at = nil // its own key
	defer func() { a.at = at }()
	p := colleagues.Project{Key: a.projectKey("")}
	is, err := git.Look(ctx, a.root(""))
	if err != nil {
		a.note("which repository this is could not be found out: " + err.Error())
	}
	if names, err := team.LoadNames(a.dir); err == nil {
		is.Name = names[p.Key]
	}
	if words, err := team.LoadWords(a.dir); err == nil {
		is.Also = words.Same(p.Key)
	}
	p.Is = is
	return p
}

// mayReadTeam lets an agent read in the repository of its own session, if handing over was chosen.
func mayReadTeam(ctx context.Context, a *app) error {
	share, err := team.LoadShare(a.dir)
	if err != nil {
		return err
	}
	own := ""
	err = a.readOwn(ctx, func(log *journal.Log) (err error) {
		own, err = a.within(ctx, log)
		return err
	})
	if err == nil && (own != a.projectKey("") || !team.Handover.Has(share, own)) {
		err = notForAgents("read what the team shares, unless journal team handover was chosen for its own project")
	}
	return err
}

// askTheHub is what to do when the hub does not take a member.
const askTheHub = "ask whoever runs the hub: revoked, not told of yet, or out of date"

// hubTrouble says what to do about a hub that could not be reached to be read.
func hubTrouble(err error) error {
	if errors.Is(err, team.ErrRefused) {
		return withHint(err, askTheHub)
	}
	return withHint(err, "journal team status")
}

// teamFollow lies between two looks at what came to the copies: a member may ask for what they hold,
// and may not be told of it.
const teamFollow = time.Second

// pausing waits, or until ctx ends.
func pausing(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// sayAlike tells, once, of what a member shares that is like the project and is not joined.
func sayAlike(a *app, own colleagues.Project, member string, theirs []colleagues.Project) {
	words, err := team.LoadWords(a.dir)
	if err != nil {
		return
	}
	i := slices.IndexFunc(theirs, func(t colleagues.Project) bool {
		_, said := words.Of(own.Key, t.Is.Checkout())
		return !said && git.Compare(own.Is, t.Is) == git.Alike
	})
	if i >= 0 {
		c := theirs[i].Is.Checkout()
		a.note(fmt.Sprintf("%s shares %s, %s: journal team project says whether it is this one", member, c, half(own.Is, c)))
	}
}

// half says which half of two repositories that are alike is equal.
func half(own git.Identity, of git.Checkout) string {
	if own.Remote == of.Remote {
		return "with the same address and other first commits"
	}
	return "with the same first commits and another address"
}
