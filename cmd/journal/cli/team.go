package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"journal/embedded/catalogue"
	"journal/embedded/owner"
	"journal/embedded/service"
	"journal/journal"
	"journal/projections"
	"journal/replay/knowledge"
)

// Team is the part of a team that other verbs use. The verbs of the team implement it, and alone import its room.
type Team interface {
	// Link returns what links an owner to a hub (owner.Config.Team).
	Link(a *App) func(owner.TeamConfig) owner.Team
	// Read runs f on each copy that --team names. It leaves out those that do not hold the session that is asked for, and
	// names on stderr those that cannot be read. Unless listed is nil, it gets the sessions in the facts of each device first,
	// and f runs only where it returns that they are not enough.
	Read(ctx context.Context, a *App, f func(*journal.Log) error, listed func([]catalogue.Listing) (enough bool, err error)) error
	// Pages returns the source of the pages about others.
	Pages(a *App) (TeamPages, error)
	// TakeOver records that the session of a fold continues the unfinished work of MEMBER/SESSION in the same project. It
	// prints that work.
	TakeOver(c *cobra.Command, a *App, t TargetFlags, fold *projections.Fold, from string) error
	// Decisions returns what others decided in a project, newest first, without asking the hub.
	Decisions(a *App, project string) []knowledge.MemberDecision
	// Choose decides before a verb with --team runs whose log it reads: --session MEMBER/SESSION names a member as --team=MEMBER does, and
	// MEMBER/DEVICE/SESSION a device.
	Choose(a *App, c *cobra.Command) error
	// State returns the state of a journal in its team without asking the hub.
	State(dir string) TeamState
	// NotifyHub starts an owner if the hub has a copy of the log. The owner asks the hub to remove what was forgotten here.
	NotifyHub(ctx context.Context, a *App)
}

// TeamState is the state of a journal in its team; the zero value is that of one in no team.
type TeamState struct {
	// Level is that of a finding of journal doctor (ok, note or problem), Text describes the state, and Try is what to do.
	Level, Text, Try string
}

// AtSkill returns the error of a session that already has an unfinished skill.
func AtSkill(own projections.PhaseState) error {
	return WithHint(fmt.Errorf("this session is at skill %s", own.Skill), "journal phase finish, or journal phase discard")
}

// TeamPages is the source of the pages about others.
type TeamPages interface {
	// Devices returns the devices that --team names, and a sentence about each member whose copies could not be listed.
	Devices(ctx context.Context) ([]Device, []string, error)
	// Open opens the newest copy of a device, until end is called.
	Open(ctx context.Context, d Device) (log FollowedLog, end func(), err error)
}

var team Team

// SetTeam registers the one Team of the program.
func SetTeam(t Team) struct{} {
	team = t
	return struct{}{}
}

// Team returns the Team of the program.
func (a *App) Team() Team { return team }

// Status returns the status of the journal, with that of its team.
func (a *App) Status(ctx context.Context) service.Status {
	s := service.ReadStatus(ctx, a.Dir)
	if t := team.State(a.Dir); t.Level == "problem" {
		s.Problems, s.Healthy = append(s.Problems, t.Text+"; journal doctor says what to do"), false
	}
	return s
}

// Everyone is the value of --team without a name.
const Everyone = "all"

// TeamFlag declares --team for a verb that only reads, and adds it to the help.
func TeamFlag(a *App, c *cobra.Command) {
	DeclareTeam(a, c)
	what, codes, _ := strings.Cut(c.Long, exits)
	c.Long = what + `

With --team it reads what members of the team share, with their own event numbers; --session is
MEMBER/SESSION then, or a session of whoever has it. What of a member cannot be read is named on
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

// Device is a device of a member of the team.
type Device struct{ Member, Device string }

// String returns MEMBER/DEVICE.
func (d Device) String() string { return d.Member + "/" + d.Device }

// TeamCopy is a copy at the hub that a verb reads.
type TeamCopy struct {
	Device
	Events uint64                  // the newest event number of the copy
	Key    func(own string) string // returns the key in the copy of a project of this log, own if it has none
}

// Name returns MEMBER/DEVICE, empty for this log.
func (p *TeamCopy) Name() string {
	if p == nil {
		return ""
	}
	return p.String()
}

// key returns the key, in the log that is read, of a project of this log.
func (p *TeamCopy) key(own string) string {
	if p == nil {
		return own
	}
	return p.Key(own)
}

// ReadCopy runs f on a copy. JSON that f prints names the member and the device; named prints a line with both for people.
func (a *App) ReadCopy(p TeamCopy, named bool, f func() error) error {
	out := a.Out
	defer func() { a.Out, a.Copy = out, nil }()
	a.Copy = &p
	if d, ok := out.(*display); ok && named {
		a.Out = d.under(fmt.Sprintf("%s, up to #%d\n", p.Name(), p.Events))
	}
	return f()
}
