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

// Team lets the rest of the program use a team. The package of the verbs journal team implements it, so that only that
// package imports the team's code.
type Team interface {
	// Link returns the function that links an owner to a hub (owner.Config.Team).
	Link(a *App) func(owner.TeamConfig) owner.Team
	// Read runs f on each copy of a log that --team selects. It leaves out copies without the session that --session names,
	// and names on stderr those that cannot be read. If listed is not nil, Read first calls it with the lists of sessions that
	// each device publishes beside its copy. If listed returns that they are enough, f does not run on that device's copy.
	Read(ctx context.Context, a *App, f func(*journal.Log) error, listed func([]catalogue.Listing) (enough bool, err error)) error
	// Pages returns the colleagues' logs for the pages of journal ui --team.
	Pages(a *App) (TeamPages, error)
	// TakeOver records that the session of a fold continues the unfinished work of from, MEMBER/SESSION, in the same project,
	// and prints that work.
	TakeOver(c *cobra.Command, a *App, t TargetFlags, fold *projections.Fold, from string) error
	// Decisions returns the decisions of other members in a project, newest first, without asking the hub.
	Decisions(a *App, project string) []knowledge.MemberDecision
	// Choose selects the logs that a verb reads, before it runs. It is called only if --team was set. --team --session MEMBER/SESSION
	// then has the effect of --team=MEMBER --session SESSION, and MEMBER/DEVICE/SESSION that of --team=MEMBER/DEVICE. The error
	// means that --team and --session name different logs.
	Choose(a *App, c *cobra.Command) error
	// State returns the state of a journal in its team without asking the hub.
	State(dir string) TeamState
	// RemoveFromHub prints a note and starts an owner if the hub has a copy of the log. The owner makes the hub remove what was
	// forgotten here or is no longer shared.
	RemoveFromHub(ctx context.Context, a *App)
}

// TeamState is the state of a journal in its team; the zero value means that it is in no team.
type TeamState struct {
	// Level is that of a finding of journal doctor (ok, note or problem). Text describes the state, and Try tells what to do.
	Level, Text, Try string
}

// AtSkillError returns the error for a session that cannot take over a skill because it has an unfinished one.
func AtSkillError(own projections.PhaseState) error {
	return WithHint(fmt.Errorf("this session is at skill %s", own.Skill), "journal phase finish, or journal phase discard")
}

// TeamPages opens the copies of colleagues' logs for the pages.
type TeamPages interface {
	// Devices returns the devices whose copies --team selects, and a sentence about each member whose copies could not be
	// listed.
	Devices(ctx context.Context) (selected []Device, problems []string, err error)
	// Open opens the newest copy of a device's log. It stays open until end is called.
	Open(ctx context.Context, d Device) (log FollowedLog, end func(), err error)
}

var team Team

// SetTeam registers the one Team of the program. It returns a value so that it can initialise a package variable.
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

// Everyone is the value of --team without a name: all members but this one.
const Everyone = "all"

// TeamFlag adds --team to a verb that only reads, and a paragraph about it to the verb's help.
func TeamFlag(a *App, c *cobra.Command) *cobra.Command {
	TeamFlagAlone(a, c)
	help, codes, _ := strings.Cut(c.Long, exits)
	c.Long = help + `

With --team it reads what members of the team share, and shows the event numbers of their logs;
--session is then MEMBER/SESSION, or a session that one of them has. A log that cannot be read is
named on stderr; the others are shown, and the exit code is 1.`
	if codes != "" {
		c.Long += exits + codes
	}
	return c
}

// TeamFlagAlone adds --team to a verb whose help has its own words about it.
func TeamFlagAlone(a *App, c *cobra.Command) {
	c.Flags().StringVar(&a.Colleague, "team", "", "read what is shared at the team's hub: =MEMBER, =MEMBER/DEVICE, or by all others")
	c.Flags().Lookup("team").NoOptDefVal = Everyone
}

// Device is a device of a member of the team.
type Device struct{ Member, Device string }

// String returns MEMBER/DEVICE.
func (d Device) String() string { return d.Member + "/" + d.Device }

// TeamCopy is a colleague's log that a verb reads: a copy at the hub. A nil *TeamCopy means this log.
type TeamCopy struct {
	Device
	Events uint64 // the newest event number of the copy
	// Key returns the key that a project of this log has in the copy; the same key if the copy does not have the project.
	Key func(own string) string
}

// Name returns MEMBER/DEVICE; empty for this log.
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

// ReadCopy runs f while p is the log that is read. JSON that f prints then has the member and the device. If named is set, a line
// with both is printed above f's output for people.
func (a *App) ReadCopy(p TeamCopy, named bool, f func() error) error {
	defer func() { a.Copy = nil }()
	a.Copy = &p
	if d, ok := a.Out.(*display); ok && named {
		d.setAbove(fmt.Sprintf("%s, up to #%d\n", p.Name(), p.Events))
		defer d.setAbove("")
	}
	return f()
}
