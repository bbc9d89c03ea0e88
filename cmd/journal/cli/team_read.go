package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/colleagues"
	"journal/events/text"
	"journal/journal"
	"journal/journal/git"
	"journal/journal/team"
	"journal/journal/team/peers"
)

// Everyone is the value of --team that names nobody.
const Everyone = "all"

// TeamFlag lets a verb that looks read what members of the team share, instead of this log.
func TeamFlag(a *App, c *cobra.Command) {
	c.Flags().StringVar(&a.Colleague, "team", "", "read what is shared at the team's hub: =MEMBER, =MEMBER/DEVICE, or by all others")
	c.Flags().Lookup("team").NoOptDefVal = Everyone
	what, codes, _ := strings.Cut(c.Long, exits)
	c.Long = what + `

With --team it reads what members of the team share, with their own sequences; --session is
MEMBER/SESSION then, or a session of whoever has it. What of a member cannot be read is said on
stderr, the rest is shown, and the exit code is 1.`
	if codes != "" {
		c.Long += exits + codes
	}
}

// chooseLog decides before a command runs whose log it reads: --session MEMBER/SESSION names a member
// as --team=MEMBER does, and MEMBER/DEVICE/SESSION a device.
func chooseLog(a *App, c *cobra.Command) error {
	session := c.Flags().Lookup("session")
	if c.Flags().Lookup("team") == nil || session == nil {
		return nil
	}
	i := strings.LastIndexByte(session.Value.String(), '/')
	if i < 0 {
		return nil
	}
	of, id := session.Value.String()[:i], session.Value.String()[i+1:]
	if name, _, _ := strings.Cut(of, "/"); team.CheckName(name) != nil || a.Colleague == "" {
		return nil // an id with a slash in it, until --team says more
	}
	switch named := a.Colleague; {
	case named == Everyone, named == of, strings.HasPrefix(of, named+"/"):
		a.Colleague = of
	case !strings.HasPrefix(named, of+"/"):
		return Usage(c, fmt.Errorf("--team names %s, and --session %s", named, of))
	}
	return session.Value.Set(id)
}

// rosterWait bounds the question who shares what.
const rosterWait = 15 * time.Second

// Place is a copy at the hub that a verb reads.
type Place struct {
	peers.Read
	own    func() colleagues.Project            // the project that the verb is called in
	theirs func() ([]colleagues.Project, error) // the projects there
	lists  *lists
}

// Name returns MEMBER/DEVICE, empty for this log.
func (p *Place) Name() string {
	if p == nil {
		return ""
	}
	return p.Member + "/" + p.Device
}

// key returns the key there of the project that a verb is called in, and any other as it is.
func (p *Place) key(own string) string {
	if p == nil || own != p.own().Key {
		return own
	}
	theirs, err := p.theirs()
	if err != nil {
		return own // whatever is read next reports it
	}
	for _, t := range theirs {
		if p.own().Is.Same(t.Is) {
			return t.Key
		}
	}
	return own
}

// readTeam runs f on each copy that is meant. Those that do not hold the session that is asked for are
// left out, and those that cannot be read are named.
func readTeam(ctx context.Context, a *App, f func(*journal.Log) error) error {
	m, hub, err := reach(ctx, a)
	if err != nil {
		return err
	}
	defer hub.Close()
	copies, unasked, err := Copies(ctx, a, hub, m)
	if err != nil {
		return err
	}
	r := NewTeamReader(ctx, a)
	r.failed(unasked...)
	r.copies(copies, len(copies) > 1, f)
	return r.close()
}

// reach reaches the hub for a verb that reads.
func reach(ctx context.Context, a *App) (m team.Membership, hub *peers.Hub, err error) {
	if m, err = team.Load(a.Dir); err != nil {
		return m, nil, err
	}
	if a.Confined {
		if err := mayReadTeam(ctx, a); err != nil {
			return m, nil, err
		}
	}
	hub, err = peers.Reach(ctx, m.Member)
	return m, hub, HubTrouble(err)
}

// copies runs f on each copy.
func (r *TeamReader) copies(all []peers.Copy, named bool, f func(*journal.Log) error) {
	show, end := r.ProgressOf("read", func(n uint64) string { return text.Counted(n, "copy") })
	defer end()
	done := 0
	for c := range peers.Ahead(r.ctx, all) {
		end()
		err := r.Read(c, named, f)
		done++
		show(int64(done), int64(len(all)))
		switch {
		case errors.Is(err, journal.ErrNoSession), errors.As(err, new(ExitWith)):
			r.none = err // and has said so
		case err != nil && !named:
			r.fatal = fmt.Errorf("what %s shares: %w", c.Member, err)
		case err != nil:
			r.failed(fmt.Errorf("what %s shares on %s cannot be read: %w", c.Member, c.Device, err))
		default:
			r.read++
		}
	}
}

// failed reports what of a member could not be read.
func (r *TeamReader) failed(all ...error) {
	for _, err := range all {
		r.Note(err.Error())
		r.unread++
	}
}

// close ends the reading, with the error of what could not be read.
func (r *TeamReader) close() error {
	err := cmp.Or(r.ctx.Err(), r.fatal)
	if err == nil {
		err = r.End()
	}
	switch {
	case err != nil:
		return err
	case r.unread > 0:
		return ExitWith(ExitError)
	case r.read == 0:
		return cmp.Or(r.none, errors.New("nobody else shares anything"))
	}
	return nil
}

// TeamReader runs what a verb does on one copy after the other.
type TeamReader struct {
	*App
	ctx   context.Context
	own   func() colleagues.Project
	lists lists

	read, unread int
	none, fatal  error // why there is nothing, and what ends all
}

// NewTeamReader reads copies for the verb that a runs.
func NewTeamReader(ctx context.Context, a *App) *TeamReader {
	return &TeamReader{App: a, ctx: ctx, own: sync.OnceValue(func() colleagues.Project { return here(ctx, a) })}
}

// Read runs f on a copy. named says that a line tells people whose it is.
func (r *TeamReader) Read(c peers.Read, named bool, f func(*journal.Log) error) error {
	if c.Err != nil {
		return c.Err
	}
	theirs := func() ([]colleagues.Project, error) { return colleagues.Projects(r.ctx, c.Log) }
	return r.at(c, named, theirs, func() error { return f(c.Log) })
}

// at runs f on a place.
func (r *TeamReader) at(c peers.Read, named bool, theirs func() ([]colleagues.Project, error), f func() error) error {
	out := r.Out
	defer func() { r.Out, r.At = out, nil }()
	r.At = &Place{c, r.own, theirs, &r.lists}
	if d, ok := out.(*display); ok && named {
		r.Out = d.under(fmt.Sprintf("%s, up to #%d\n", r.At.Name(), c.Events))
	}
	return f()
}

// End prints the list that the copies have together, if there is one.
func (r *TeamReader) End() error {
	if !r.lists.any {
		return nil
	}
	return r.PrintJSON(append([]json.RawMessage{}, r.lists.items...))
}

// Copies returns the copies that --team names, and why members of everyone could not be asked.
func Copies(ctx context.Context, a *App, hub *peers.Hub, m team.Membership) (all []peers.Copy, unread []error, err error) {
	ctx, cancel := context.WithTimeout(ctx, rosterWait)
	defer cancel()
	names, err := membersOf(hub, a.Colleague)
	if err != nil {
		return nil, nil, err
	}
	for _, of := range hub.OfEach(ctx, names) {
		if of.Err != nil && a.Colleague != Everyone {
			return nil, nil, WithHint(of.Err, "journal sessions --team")
		}
		if of.Err != nil {
			unread = append(unread, of.Err)
		}
		for _, c := range of.Copies {
			if isNamed(a.Colleague, m, c.Member, c.Device) {
				all = append(all, c)
			}
		}
	}
	return all, unread, nil
}

// membersOf returns the members that --team names.
func membersOf(hub *peers.Hub, named string) ([]string, error) {
	if named == Everyone {
		return hub.Members(), nil
	}
	member, _, _ := strings.Cut(named, "/")
	return []string{member}, team.CheckName(member)
}

// isNamed reports whether --team names a device of a member that it names; all are not the own one.
func isNamed(named string, own team.Membership, member, device string) bool {
	if named == Everyone {
		return member != own.Name || device != own.Device
	}
	_, one, _ := strings.Cut(named, "/")
	return one == "" || device == one
}

// here is the project that a verb is called in, as others know it.
func here(ctx context.Context, a *App) colleagues.Project {
	at := a.At
	a.At = nil // its own key
	defer func() { a.At = at }()
	p := colleagues.Project{Key: a.ProjectKey("")}
	is, err := git.Look(ctx, a.Root(""))
	if err != nil {
		a.Note("which repository this is could not be found out: " + err.Error())
	}
	p.Is = is
	names, _ := team.LoadNames(a.Dir) // what cannot be read adds nothing
	p.Is.Name = names[p.Key]
	return p
}

// mayReadTeam lets an agent read in the repository of its own session, if handing over was chosen.
func mayReadTeam(ctx context.Context, a *App) error {
	share, err := team.LoadShare(a.Dir)
	if err != nil {
		return err
	}
	own := ""
	err = a.ReadOwn(ctx, func(log *journal.Log) (err error) {
		own, err = a.Within(ctx, log)
		return err
	})
	if err == nil && (own != a.ProjectKey("") || !team.Handover.Has(share, own)) {
		err = NotForAgents("read what the team shares, unless journal team handover was chosen for its own project")
	}
	return err
}

// AskTheHub is what to do when the hub does not take a member.
const AskTheHub = "ask whoever runs the hub: revoked, not told of yet, or out of date"

// HubTrouble returns the advice about a hub that could not be reached to be read.
func HubTrouble(err error) error {
	if errors.Is(err, team.ErrRefused) {
		return WithHint(err, AskTheHub)
	}
	return WithHint(err, "journal team status")
}

// TeamFollow lies between two looks at what came to the copies: a member may ask for what they hold,
// and may not be told of it.
const TeamFollow = time.Second

// Pausing waits, or until ctx ends.
func Pausing(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
