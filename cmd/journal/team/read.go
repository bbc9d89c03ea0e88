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

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/embedded/owner"
	"journal/embedded/service"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/facts"
	"journal/embedded/team/hub"
	"journal/embedded/team/link"
	"journal/embedded/team/peers"
	"journal/journal"
	"journal/replay/knowledge"
)

// membersWait bounds the queries for the copies or facts of all members.
const membersWait = 15 * time.Second

// cliTeam implements cli.Team.
type cliTeam struct{}

var (
	_ = cli.SetTeam(cliTeam{})
	_ = cli.Failure(team.ErrNoMember, "journal team join INVITATION")
	_ = cli.Failure(team.ErrMember, "journal team leave")
	_ = cli.Failure(team.ErrRefused, askOperator)
	_ = cli.Failure(hub.ErrNoHub, "journal team init")
	_ = cli.Failure(hub.ErrTaken, "journal team invite --again NAME, which gives who has it new keys")
	_ = cli.Failure(hub.ErrContext, "nats context ls; nats --context CONTEXT server ls")
	_ = cli.Failure(hub.ErrManyNodes, "nats-server -c node-1.conf")
	_ = cli.Failure(hub.ErrOpenPort, "copy node-N.conf and node-N.route.pem of the hub's directory to node N, and start it again; a cluster block that you changed needs tls and authorization")
	_ = cli.Failure(colleagues.ErrNothing, "journal sessions --team")
	_ = cli.Failure(team.ErrNoAnswer, "look at the log of each node, then the same command again: it goes on where it was")
)

// Link implements cli.Team.
func (cliTeam) Link(a *cli.App) func(owner.TeamConfig) owner.Team {
	return link.Of(a.Getenv("JOURNAL_TEAM"))
}

// Decisions implements cli.Team.
func (cliTeam) Decisions(a *cli.App, project string) []knowledge.MemberDecision {
	return colleagues.MemberDecisions(link.Heard(a.Dir, project, a.Logger()).Decisions)
}

// Choose implements cli.Team.
func (cliTeam) Choose(a *cli.App, c *cobra.Command) error {
	session := c.Flags().Lookup("session")
	if session == nil {
		return nil
	}
	given := session.Value.String()
	i := strings.LastIndexByte(given, '/')
	if i < 0 {
		return nil
	}
	selected, id := given[:i], given[i+1:] // selected is MEMBER or MEMBER/DEVICE
	if a.Colleague != cli.Everyone && a.Colleague != selected {
		return cli.Usage(fmt.Errorf("--team names %s, and --session %s", a.Colleague, selected))
	}
	a.Colleague = selected
	return session.Value.Set(id)
}

// RemoveFromHub implements cli.Team.
func (cliTeam) RemoveFromHub(ctx context.Context, a *cli.App) {
	if c, err := team.LoadCopy(a.Dir); !team.Joined(a.Dir) || err != nil || len(c.AtHub) == 0 {
		return
	}
	a.Note("a team's hub still has a copy, which is removed when the hub can be reached: journal team status says when")
	start := a.Starter()
	if start == nil {
		return
	}
	if nc, err := service.Connect(ctx, a.Dir, start); err == nil { // else the owner, or the next hook, tries again
		nc.Close()
	}
}

// Read implements cli.Team.
func (cliTeam) Read(ctx context.Context, a *cli.App, f func(*journal.Log) error, listed func([]catalogue.Listing) (bool, error)) error {
	m, hub, err := reach(ctx, a)
	if err != nil {
		return err
	}
	defer hub.Close()
	r := &reader{App: a, ctx: ctx, own: sync.OnceValue(func() colleagues.Project { return currentProject(ctx, a) })}
	if listed != nil {
		err = r.readListed(hub, m, f, listed)
	} else {
		err = r.readCopies(hub, m, f, nil)
	}
	if err != nil {
		return err
	}
	return r.finish()
}

// reader runs a verb on one copy after the other.
type reader struct {
	*cli.App
	ctx context.Context
	own func() colleagues.Project // the project that the verb is called in

	read, unread int   // numbers of copies that were read, and of errors that were printed
	notFound     error // of the last copy that does not hold what was asked for
	fatal        error // of the only copy
}

// reach reaches the hub for a verb that reads.
func reach(ctx context.Context, a *cli.App) (m team.Membership, hub *peers.Hub, err error) {
	m, err = team.Load(a.Dir)
	if err == nil && a.Confined {
		err = mayReadTeam(ctx, a)
	}
	if err != nil {
		return m, nil, err
	}
	hub, err = peers.Reach(ctx, m.Member)
	return m, hub, cli.WithHint(err, "journal team status")
}

// readCopies runs f on each copy that --team selects and whose device is in devices; nil stands for all devices.
func (r *reader) readCopies(hub *peers.Hub, m team.Membership, f func(*journal.Log) error, devices map[cli.Device]bool) error {
	all, unread, err := copiesOf(r.ctx, r.App, hub, m)
	if err != nil {
		return err
	}
	r.noteUnread(unread...)
	withName := r.read+len(all) > 1 // r.read: devices of which the facts were enough
	all = slices.DeleteFunc(all, func(c peers.Copy) bool { return devices != nil && !devices[deviceOf(c)] })
	for batch := range slices.Chunk(all, readAtOnce) {
		logs, errs := make([]*journal.Log, len(batch)), make([]error, len(batch))
		var reads sync.WaitGroup
		for i, c := range batch {
			reads.Go(func() { logs[i], errs[i] = logOf(r.ctx, r.App, c) })
		}
		reads.Wait()
		for i, c := range batch {
			r.readCopy(c, logs[i], errs[i], withName, f)
		}
	}
	return nil
}

// readAtOnce bounds the copies that are read in parallel, and that are in memory at once.
const readAtOnce = 6

// readCopy runs f on the log of a copy, unless reading that log returned err. It keeps the outcome for finish.
func (r *reader) readCopy(c peers.Copy, log *journal.Log, err error, withName bool, f func(*journal.Log) error) {
	if err == nil {
		theirs := func() ([]colleagues.Project, error) { return colleagues.Projects(r.ctx, log) }
		err = r.runOn(cli.TeamCopy{Device: deviceOf(c), Events: c.Events}, withName, theirs, func() error { return f(log) })
	}
	switch {
	case errors.Is(err, journal.ErrNoSession), errors.Is(err, cli.ErrNoProject), errors.As(err, new(cli.ExitWith)):
		r.notFound = err // finish returns it if no copy has what was asked for
	case err != nil && !withName: // no other copy is read
		r.fatal = fmt.Errorf("what %s shares: %w", c.Member, err)
	case err != nil:
		r.noteUnread(fmt.Errorf("what %s shares on %s cannot be read: %w", c.Member, c.Device, err))
	default:
		r.read++
	}
}

// deviceOf returns the device of a copy.
func deviceOf(c peers.Copy) cli.Device { return cli.Device{Member: c.Member, Device: c.Device} }

// logOf reads a copy. Readers of the log skip stored bytes that cannot be read, and notes name them and the device.
func logOf(ctx context.Context, a *cli.App, c peers.Copy) (*journal.Log, error) {
	log, err := c.Log(ctx)
	if err != nil {
		return nil, err
	}
	return a.PastMalformed(log, deviceOf(c).String()+": "), nil
}

// noteUnread prints the errors of what could not be read, and counts them.
func (r *reader) noteUnread(all ...error) {
	for _, err := range all {
		r.Note(err.Error())
		r.unread++
	}
}

// finish prints the lists that were collected, and returns the error of the verb.
func (r *reader) finish() error {
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
		return cmp.Or(r.notFound, errors.New("nobody else shares anything"))
	}
	return nil
}

// runOn runs f, which reads a copy or its facts, while c is the log that is read. It sets c.Key, which replaces the key of the project that
// the verb is called in by that of the copy's project with the same identity. theirs returns the projects of the copy. If withName is set,
// a line with the device is printed first.
func (r *reader) runOn(c cli.TeamCopy, withName bool, theirs func() ([]colleagues.Project, error), f func() error) error {
	c.Key = func(own string) string {
		if own != r.own().Key {
			return own
		}
		all, err := theirs()
		i := slices.IndexFunc(all, func(t colleagues.Project) bool { return r.own().Identity.Same(t.Identity) })
		if err != nil || i < 0 {
			return own // f reads the same copy and returns err, too; without the project the key matches nothing
		}
		return all[i].Key
	}
	return r.ReadCopy(c, withName, f)
}

// copiesOf returns the copies that --team names. If --team has no name, unread holds the errors of the members whose copies could not be
// listed. If it names a member, err is that member's error.
func copiesOf(ctx context.Context, a *cli.App, hub *peers.Hub, m team.Membership) (all []peers.Copy, unread []error, err error) {
	ctx, cancel := context.WithTimeout(ctx, membersWait)
	defer cancel()
	names, err := membersOf(hub, a.Colleague)
	if err != nil {
		return nil, nil, err
	}
	all, unread = hub.CopiesOfEach(ctx, names)
	if len(unread) > 0 && a.Colleague != cli.Everyone {
		return nil, nil, cli.WithHint(unread[0], "journal sessions --team")
	}
	return slices.DeleteFunc(all, func(c peers.Copy) bool { return !isSelected(a.Colleague, m, deviceOf(c)) }), unread, nil
}

// membersOf returns the member that --team names, all members if it names none.
func membersOf(hub *peers.Hub, selected string) ([]string, error) {
	if selected == cli.Everyone {
		return hub.Members(), nil
	}
	member, _, _ := strings.Cut(selected, "/")
	return []string{member}, team.CheckName(member)
}

// isSelected reports whether --team selects a device, whose member membersOf returned. Without a name it selects every device but this one.
func isSelected(selected string, own team.Membership, d cli.Device) bool {
	if selected == cli.Everyone {
		return d.Member != own.Name || d.Device != own.Device
	}
	_, device, _ := strings.Cut(selected, "/")
	return device == "" || d.Device == device
}

// currentProject returns the project that a verb is called in, with its identity for others.
func currentProject(ctx context.Context, a *cli.App) colleagues.Project {
	current := a.Copy
	a.Copy = nil // else the key would be that of the copy
	defer func() { a.Copy = current }()
	p, err := identifyProject(ctx, a, "")
	if err != nil {
		a.Note("which repository this is could not be found out: " + err.Error())
	}
	return p
}

// mayReadTeam returns an error unless the agent is in the project of its own session, whose context is shared.
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

// askOperator is the advice when the hub refuses a member.
const askOperator = "ask whoever runs the hub: this device may be revoked, or the hub not reloaded yet or out of date"

// readListed passes the sessions in each device's facts to listed. If listed returns false, because the facts are not enough, it runs f on
// the device's copy. All facts take one round trip.
func (r *reader) readListed(hub *peers.Hub, m team.Membership, f func(*journal.Log) error, listed func([]catalogue.Listing) (bool, error)) error {
	names, err := membersOf(hub, r.Colleague)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx, membersWait)
	defer cancel()
	known, trouble := hub.Facts(ctx, m, names)
	if trouble != nil && r.Colleague != cli.Everyone {
		return cli.WithHint(trouble, "journal sessions --team")
	}
	if all, ok := trouble.(interface{ Unwrap() []error }); ok { // Facts joins the errors of members
		r.noteUnread(all.Unwrap()...)
	}
	byDevice := map[cli.Device][]*facts.Fact{}
	var devices []cli.Device // in the order of known
	for _, fact := range known.All() {
		d := cli.Device{Member: fact.Member, Device: fact.Device}
		if !isSelected(r.Colleague, m, d) {
			continue
		}
		if byDevice[d] == nil {
			devices = append(devices, d)
		}
		byDevice[d] = append(byDevice[d], fact)
	}
	unlisted := map[cli.Device]bool{}
	for _, d := range devices {
		enough, err := r.onFacts(d, byDevice[d], len(devices) > 1, listed)
		switch {
		case err != nil:
			r.noteUnread(fmt.Errorf("what %s tells: %w", d.Member, err))
		case enough:
			r.read++
		default:
			unlisted[d] = true
		}
	}
	if len(unlisted) == 0 {
		return nil
	}
	return r.readCopies(hub, m, f, unlisted)
}

// onFacts passes the sessions in the facts of a device to listed, and returns whether they were enough.
func (r *reader) onFacts(d cli.Device, all []*facts.Fact, withName bool, listed func([]catalogue.Listing) (bool, error)) (enough bool, err error) {
	c := cli.TeamCopy{Device: d}
	var projects []colleagues.Project
	var lists []catalogue.Listing
	for _, f := range all {
		t := f.Summary
		c.Events = max(c.Events, f.Last)
		projects = append(projects, colleagues.Project{Key: t.Project, Identity: t.Identity, Context: t.Context})
		lists = append(lists, t.Listing)
	}
	theirs := func() ([]colleagues.Project, error) { return projects, nil }
	err = r.runOn(c, withName, theirs, func() (err error) {
		enough, err = listed(lists)
		return err
	})
	return enough, err
}
