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
	s.HasCopy, s.RolledBack = d.AtHub > 0, d.RolledBack
	s.Level, s.Try, s.Text = checkTeam(dir, d)
	return s
}

// checkTeam returns how a journal stands to its team, and what to try.
func checkTeam(dir string, d upload.Status) (level, try, text string) {
	behind := fmt.Sprintf("%s of team %s, %s behind", d.Member, d.Team, cli.Counted(d.Behind, "event"))
	switch {
	case d.RolledBack:
		return problem, fmt.Sprintf("journal stop && mv '%[1]s' '%[1]s.old' && journal team restore --device %[2]s '%[1]s.old/team/member.json' (then share again; what was not shared, and what came since, stays in %[1]s.old)", dir, d.Device),
			fmt.Sprintf("team %s: %s", d.Team, team.Kept)
	case d.HubBack != "":
		return problem, askTheHub + ", unless it is over: journal sessions --team", fmt.Sprintf("team %s: %s", d.Team, d.HubBack)
	case d.Refused:
		return note, askTheHub + "; everything else goes on meanwhile", fmt.Sprintf("the hub of team %s does not take what %s brings: %s", d.Team, d.Member, d.Problem)
	case d.Pending > 0:
		return note, "let an owner reach the hub; journal team status", fmt.Sprintf("what was forgotten or is no longer shared is still in %d of the team's copies", d.Pending)
	case d.Behind > 0 && !d.Since.IsZero() && time.Since(d.Since) > longAway:
		return note, "journal team status", fmt.Sprintf("the team's hub lacks %s since %s: %s", cli.Counted(d.Behind, "event"), d.Since.Local().Format(time.DateTime), d.Problem)
	case d.Problem != "":
		return fine, "", behind + "; " + d.Problem
	}
	return fine, "", behind
}
