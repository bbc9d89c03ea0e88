package team

import (
	"errors"
	"fmt"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/upload"
)

// longAway is the time out of reach after which a hub is reported: a weekend.
const longAway = 72 * time.Hour

const (
	fine    = "ok"
	note    = "note"
	problem = "problem"
)

// State implements cli.Team.
func (room) State(dir string) (s cli.TeamState) {
	d, err := upload.StatusOf(dir)
	if errors.Is(err, team.ErrNoMember) {
		return s
	}
	if err != nil {
		return cli.TeamState{Level: problem, Try: "journal team leave --keep (and join again, which needs the invitation)", Text: err.Error()}
	}
	s.HasCopy = d.AtHub > 0
	s.Level, s.Try, s.Text = checkTeam(d)
	return s
}

// checkTeam returns how a journal stands to its team, and what to try.
func checkTeam(d upload.Status) (level, try, text string) {
	behind := fmt.Sprintf("%s of team %s, %s behind", d.Member, d.Team, cli.Counted(d.Behind, "event"))
	switch {
	case d.HubBack != "":
		return problem, askTheHub + ", unless it is over: journal sessions --team", fmt.Sprintf("team %s: %s", d.Team, d.HubBack)
	case d.Refused:
		return note, askTheHub + "; everything else goes on meanwhile", fmt.Sprintf("the hub of team %s does not take what %s brings: %s", d.Team, d.Member, d.Problem)
	case d.Pending > 0:
		return note, "let an owner reach the hub; journal team status", fmt.Sprintf("what was forgotten or is no longer shared is still in %d of the team's copies", d.Pending)
	case d.Behind > 0 && !d.Contact.IsZero() && time.Since(d.Contact) > longAway:
		return note, "journal team status", fmt.Sprintf("the team's hub lacks %s, and was not reached since %s: %s", cli.Counted(d.Behind, "event"), d.Contact.Local().Format(time.DateTime), d.Problem)
	case d.Problem != "":
		return fine, "", behind + "; " + d.Problem
	}
	return fine, "", behind
}
