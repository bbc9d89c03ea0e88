package team

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/embedded/team"
	"journal/events/text"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("status", "what is shared, how far the hub is, what is pending",
		`Shows what the owner of the log knows of the hub; it asks nobody. Pending is what has to be removed at the hub and is still there.`,
		func(c *cobra.Command, _ []string) error {
			d, err := statusOf(a.Dir)
			if err != nil {
				return err
			}
			d.Owner = service.ReadStatus(c.Context(), a.Dir).Owner != nil
			return a.Print(d, func() { printTeam(a, d) })
		})
	return a.JSONFlag(c)
})

// teamStatus is the document of journal team status --json.
type teamStatus struct {
	team.Status
	team.Share
	// Former are the devices that this journal was before another log went on as them.
	Former []string `json:"former"`
	// Rollback is a sentence for people if the hub has less than was seen of it, else empty.
	Rollback string `json:"hub_set_back"`
	Owner    bool   `json:"owner"` // an owner runs; without one nothing is uploaded
}

// printTeam prints the status for people, without parts that are empty.
func printTeam(a *cli.App, d teamStatus) {
	line := func(name, format string, args ...any) {
		a.PrintBeside(fmt.Sprintf("%-8s ", name), fmt.Sprintf(format, args...))
	}
	line("team", "%s, as %s on device %s", d.Team, d.Member, d.Device)
	for _, former := range d.Former {
		line("before", "device %s, as which another log goes on or went on; what it shared stays at the hub", former)
	}
	line("shared", "%s", strings.Join(d.Lines(), ", "))
	switch {
	case !d.Owner:
		line("hub", "no owner runs, so nobody looks; the next hook starts one")
	case d.Connected:
		line("hub", "connected")
	case d.Contact.IsZero():
		line("hub", "not reached yet")
	default:
		line("hub", "not reached since %s", d.Contact.Local().Format(time.DateTime))
	}
	if d.Rollback != "" {
		line("older", "%s", d.Rollback)
	}
	if d.Copy > 0 {
		line("copy", "%d, up to #%d of #%d", d.Copy, d.Hub, d.Head)
	}
	if d.Behind > 0 {
		line("behind", "%s", text.Counted(d.Behind, "event"))
	}
	if d.Pending > 0 {
		line("pending", "%s at the hub to be removed when it is reached", text.Counted(d.Pending, "copy"))
	}
	if d.Problem != "" && d.Owner {
		line("problem", "%s", d.Problem)
	}
}

// longAway is the time out of reach after which a hub is reported: a weekend.
const longAway = 72 * time.Hour

// State implements cli.Team.
func (cliTeam) State(dir string) cli.TeamState {
	d, err := statusOf(dir)
	state := func(level, try, format string, args ...any) cli.TeamState {
		return cli.TeamState{Level: level, Try: try, Text: fmt.Sprintf(format, args...)}
	}
	switch behind := text.Counted(d.Behind, "event"); {
	case errors.Is(err, team.ErrNoMember):
		return cli.TeamState{}
	case err != nil:
		return state("problem", "journal team leave --keep (and join again, which needs the invitation)", "%v", err)
	case d.Rollback != "":
		return state("problem", askOperator, "team %s: %s", d.Team, d.Rollback)
	case d.Refused:
		return state("note", askOperator+"; everything else goes on meanwhile", "the hub of team %s does not take what %s brings: %s", d.Team, d.Member, d.Problem)
	case d.Pending > 0:
		return state("note", "let an owner reach the hub; journal team status", "what was forgotten or is no longer shared is still in %d of the team's copies", d.Pending)
	case d.Behind > 0 && !d.Contact.IsZero() && time.Since(d.Contact) > longAway:
		return state("note", "journal team status", "the team's hub lacks %s, and was not reached since %s: %s", behind, d.Contact.Local().Format(time.DateTime), d.Problem)
	case d.Problem != "":
		return state("ok", "", "%s of team %s, %s behind; %s", d.Member, d.Team, behind, d.Problem)
	default:
		return state("ok", "", "%s of team %s, %s behind", d.Member, d.Team, behind)
	}
}

// statusOf returns the state of a journal in its team, from its files.
func statusOf(dir string) (d teamStatus, err error) {
	m, err := team.Load(dir)
	if err != nil {
		return d, err
	}
	share, noShare := team.LoadShare(dir)
	status, noStatus := team.LoadStatus(dir)
	copied, noCopy := team.LoadCopy(dir)
	seen, noSeen := team.LoadSeen(dir)
	if err := cmp.Or(noShare, noStatus, noCopy, noSeen); err != nil {
		return d, err
	}
	if !share.Covers(copied.Share) {
		copied.EraseBelow = copied.Number + 1 // what an owner will choose (Copy.Next)
	}
	share.Projects = append([]string{}, share.Projects...) // never null
	d = teamStatus{Status: status, Share: share, Former: append([]string{}, copied.Former...), Rollback: seen.RollbackNotice()}
	d.Team, d.Member, d.Device, d.Pending = m.Team, m.Name, m.Device, copied.Pending(time.Now())
	return d, nil
}
