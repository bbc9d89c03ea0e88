package team

import (
	"context"
	"errors"
	"fmt"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/hub"
	"journal/embedded/team/upload"
)

// longAway is the time out of reach after which a hub is reported: a weekend.
const longAway = 72 * time.Hour

const (
	fine    = "ok"
	note    = "note"
	problem = "problem"
)

// Check implements cli.Team.
func (room) Check(ctx context.Context, a *cli.App, report func(check, level, try, text string)) {
	if d, err := upload.StatusOf(a.Dir); err == nil {
		level, try, text := checkTeam(a.Dir, d)
		report("team", level, try, text)
	} else if !errors.Is(err, team.ErrNoMember) {
		report("team", problem, "journal team leave --keep (and join again, which needs the invitation)", err.Error())
	}
	dirs, err := hub.Known(a.Dir)
	if err != nil {
		report("hubs", problem, "", "the list of the hubs that are run from here: "+err.Error())
	}
	for _, dir := range dirs {
		h, err := hub.Open(dir)
		if errors.Is(err, hub.ErrHub) { // it was removed
			continue
		}
		if err == nil {
			err = h.CheckPorts(ctx)
		}
		switch {
		case errors.Is(err, hub.ErrOpenPort):
			report("hubs", problem, hub.ClosingPorts, fmt.Sprintf("hub %s: %v", dir, err))
		case errors.Is(err, hub.ErrOldHub):
			report("hubs", note, "", err.Error())
		case err != nil:
			report("hubs", note, "start every node; journal team reload --hub "+dir, fmt.Sprintf("hub %s: %v", dir, err))
		default:
			report("hubs", fine, "", fmt.Sprintf("%s: %s, no cluster port is open", dir, cli.Counted(len(h.Nodes), "node")))
		}
	}
}

// State implements cli.Team.
func (room) State(dir string) (s cli.TeamState) {
	if c, err := team.LoadCopy(dir); err == nil {
		s.HasCopy = len(c.AtHub) > 0
	}
	if st, err := team.LoadStatus(dir); err == nil && st.SetBack { // journal team status reports the error
		s.SetBack = true
		s.Problems = append(s.Problems, fmt.Sprintf("team %s: %s; journal doctor says what to do", st.Team, team.Kept))
	}
	if seen, err := team.LoadSeen(dir); err == nil && seen.SetBack() != "" {
		s.Problems = append(s.Problems, "team: "+seen.SetBack())
	}
	return s
}

// checkTeam returns how a journal stands to its team, and what to try.
func checkTeam(dir string, d upload.Status) (level, try, text string) {
	behind := fmt.Sprintf("%s of team %s, %s behind", d.Member, d.Team, cli.Counted(d.Behind, "event"))
	switch {
	case d.SetBack:
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
