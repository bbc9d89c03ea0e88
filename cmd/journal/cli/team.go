package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"journal/embedded/catalogue"
	"journal/embedded/owner"
	"journal/embedded/service"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
)

// Team reads and links a team for the rest of the program. Only the verbs of a team, which implement it, import its room.
type Team interface {
	// Link returns what links an owner to a hub (owner.Config.Team).
	Link(a *App) func(owner.TeamConfig) owner.Team
	// Read runs f on each copy that --team names. It leaves out those that do not hold the session that is asked for, and
	// names on stderr those that cannot be read. With listed it first offers the lists of sessions that each device tells,
	// and runs f only where they are not enough.
	Read(ctx context.Context, a *App, f func(*journal.Log) error, listed func([]catalogue.Listing) (enough bool, err error)) error
	// Pages returns what the pages read with --team.
	Pages(a *App) (TeamPages, error)
	// TakeOver records that the session of a fold continues the unfinished work of MEMBER/SESSION in the same project. It
	// prints that work.
	TakeOver(c *cobra.Command, a *App, t TargetFlags, fold *projections.Fold, from string) error
	// State returns what is known of the hub without asking it.
	State(dir string) TeamState
}

// TeamState is the state of a journal in its team; the zero value is that of one in no team.
type TeamState struct {
	HasCopy bool // the hub has a copy of the log
	// Level is that of a finding of journal doctor (ok, note or problem), Text describes the state, and Try is what to do.
	Level, Text, Try string
}

// AtSkill returns the error of a session that already has an unfinished skill.
func AtSkill(own projections.PhaseState) error {
	return WithHint(fmt.Errorf("this session is at skill %s", own.Skill), "journal phase finish, or journal phase discard")
}

// TeamPages reads what the pages show of others.
type TeamPages interface {
	// Devices returns those whose copies are selected, and a sentence about each member whose copies could not be listed.
	Devices(ctx context.Context) ([]Device, []string, error)
	// Open opens the newest copy of a device, until end is called.
	Open(ctx context.Context, d Device) (log FollowedLog, end func(), err error)
}

// FollowedLog is a log as the pages read it.
type FollowedLog interface {
	replay.Source
	// Stream changes when a sequence may mean another event.
	Stream() string
	Stats(context.Context) (journal.Stats, error)
	Messages(context.Context, events.Span) iter.Seq2[record.Record, error]
	Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error]
}

var team Team

// SetTeam registers the one Team of the program.
func SetTeam(t Team) struct{} {
	team = t
	return struct{}{}
}

// Team returns the Team of the program.
func (a *App) Team() Team { return team }

// MemberDecisions returns what others decided in a project, newest first, without asking the hub.
func (a *App) MemberDecisions(project string) []knowledge.MemberDecision {
	if t := team.Link(a)(owner.TeamConfig{Dir: a.Dir, Logger: a.Logger()}); t != nil {
		return t.Decisions(project)
	}
	return nil
}

// Status returns the status of the journal, with that of its team.
func (a *App) Status(ctx context.Context) service.Status {
	s := service.ReadStatus(ctx, a.Dir)
	if team != nil {
		if t := team.State(a.Dir); t.Level == "problem" {
			s.Problems, s.Healthy = append(s.Problems, t.Text+"; journal doctor says what to do"), false
		}
	}
	return s
}

// Everyone is the value of --team that names nobody.
const Everyone = "all"

// TeamFlag lets a verb that looks read what members of the team share, instead of this log.
func TeamFlag(a *App, c *cobra.Command) {
	DeclareTeam(a, c)
	what, codes, _ := strings.Cut(c.Long, exits)
	c.Long = what + `

With --team it reads what members of the team share, with their own sequences; --session is
MEMBER/SESSION then, or a session of whoever has it. What of a member cannot be read is said on
stderr, the rest is shown, and the exit code is 1.`
	if codes != "" {
		c.Long += exits + codes
	}
}

// DeclareTeam declares --team.
func DeclareTeam(a *App, c *cobra.Command) {
	c.Flags().StringVar(&a.Colleague, "team", "", "read what is shared at the team's hub: =MEMBER, =MEMBER/DEVICE, or by all others")
	c.Flags().Lookup("team").NoOptDefVal = Everyone
}

// chooseLog decides before a command runs whose log it reads. With --team, --session MEMBER/SESSION names a member as
// --team=MEMBER does, and MEMBER/DEVICE/SESSION a device.
func chooseLog(a *App, c *cobra.Command) error {
	session := c.Flags().Lookup("session")
	if c.Flags().Lookup("team") == nil || session == nil {
		return nil
	}
	i := strings.LastIndexByte(session.Value.String(), '/')
	if i < 0 {
		return nil
	}
	member, id := session.Value.String()[:i], session.Value.String()[i+1:]
	if a.Colleague == "" {
		return nil // an id with a slash in it, until --team says more
	}
	switch named := a.Colleague; {
	case named == Everyone, named == member, strings.HasPrefix(member, named+"/"):
		a.Colleague = member
	case !strings.HasPrefix(named, member+"/"):
		return Usage(c, fmt.Errorf("--team names %s, and --session %s", named, member))
	}
	return session.Value.Set(id)
}

// Device is a device of a member of the team.
type Device struct{ Member, Device string }

// String returns MEMBER/DEVICE.
func (d Device) String() string { return d.Member + "/" + d.Device }

// TeamCopy is a copy at the hub that a verb reads.
type TeamCopy struct {
	Device
	Events uint64                  // the newest event number of the copy
	Key    func(own string) string // returns the key there of a project of this log, or the same key
}

// Name returns MEMBER/DEVICE, empty for this log.
func (p *TeamCopy) Name() string {
	if p == nil {
		return ""
	}
	return p.String()
}

// key returns the key of a project in the log that is read.
func (p *TeamCopy) key(own string) string {
	if p == nil {
		return own
	}
	return p.Key(own)
}

// ReadCopy runs f on a place. What it prints says whose it is; named adds a line for people.
func (a *App) ReadCopy(p TeamCopy, named bool, f func() error) error {
	out := a.Out
	defer func() { a.Out, a.Copy = out, nil }()
	a.Copy = &p
	if d, ok := out.(*display); ok && named {
		a.Out = d.under(fmt.Sprintf("%s, up to #%d\n", p.Name(), p.Events))
	}
	return f()
}

// NotifyHub starts an owner if the team's hub has a copy of this log. The owner asks the hub to remove what was forgotten here,
// as soon as the hub is reached.
func (a *App) NotifyHub(ctx context.Context) {
	if team == nil || !team.State(a.Dir).HasCopy {
		return
	}
	a.Note("a team's hub has a copy, which goes when the hub is reached: journal team status says when")
	start := a.Starter()
	if start == nil {
		return
	}
	nc, err := service.Connect(ctx, a.Dir, start)
	if err != nil {
		return // the owner, or the next hook, tries again
	}
	nc.Close()
}
