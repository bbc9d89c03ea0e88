package doctor

import (
	"errors"
	"fmt"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/upload"
)

// longAway is how long a hub may be out of reach before that is a note: a weekend.
const longAway = 72 * time.Hour

func checkTeam(x *examination) {
	d, err := upload.StatusOf(x.Dir)
	switch {
	case errors.Is(err, team.ErrNoMember):
		return
	case err != nil:
		x.problem("journal team leave --keep (and join again, which needs the invitation)", "%v", err)
		return
	}
	switch {
	case d.SetBack:
		x.problem(fmt.Sprintf("journal stop && mv '%[1]s' '%[1]s.old' && journal team restore --device %[2]s '%[1]s.old/team/member.json' (then share again; what was not shared, and what came since, stays in %[1]s.old)", x.Dir, d.Device),
			"team %s: %s", d.Team, team.Kept)
	case d.HubBack != "":
		x.problem(cli.AskTheHub+", unless it is over: journal sessions --team", "team %s: %s", d.Team, d.HubBack)
	case d.Refused:
		x.remark(cli.AskTheHub+"; everything else goes on meanwhile", "the hub of team %s does not take what %s brings: %s", d.Team, d.Member, d.Problem)
	case d.Pending > 0:
		x.remark("let an owner reach the hub; journal team status", "what was forgotten or is no longer shared is still in %d of the team's copies", d.Pending)
	case d.Behind > 0 && !d.Since.IsZero() && time.Since(d.Since) > longAway:
		x.remark("journal team status", "the team's hub lacks %s since %s: %s", cli.Counted(d.Behind, "event"), d.Since.Local().Format(time.DateTime), d.Problem)
	case d.Problem != "":
		x.fine("%s of team %s, %s behind; %s", d.Member, d.Team, cli.Counted(d.Behind, "event"), d.Problem)
	default:
		x.fine("%s of team %s, %s behind", d.Member, d.Team, cli.Counted(d.Behind, "event"))
	}
}
