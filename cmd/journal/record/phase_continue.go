package record

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/projections"
)

// phaseContinue makes the command `journal phase continue`. The command records an event with the state of the skill, which may be
// the skill of an earlier session (S3.3, S3.8).
func phaseContinue(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	from := ""
	c := cli.NewCommand("continue", "continue an unfinished skill, this session's or an earlier one's",
		`Records that this session continues an unfinished skill: its own, or with --from that of an
earlier session of the project. --from MEMBER/SESSION takes over the skill and the running ports of a
team member's session in the same repository, if both share the project and its context (journal team
share).

Exit codes: 0 durable, 1 refused or not durable, 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			fold, err := a.State(c, t, projections.Phase, projections.Skills)
			if err != nil {
				return err
			}
			if strings.Contains(from, "/") {
				return a.Team().TakeOver(c, a, t, fold, from)
			}
			session := fold.Target().Session
			left, err := unfinished(projections.Skills.In(fold), cmp.Or(from, session))
			if err != nil {
				return err
			}
			if own := projections.Phase.In(fold); own.Active() && left.Session != session {
				return cli.AtSkillError(own)
			}
			if err := a.Record(c, t, left.Phase.ContinuedFrom(left.Session)); err != nil || a.AsJSON {
				return err
			}
			return a.PrintStateOf(left.Phase)
		})
	t.AddNew(c)
	c.Flags().StringVar(&from, "from", "", "the earlier session (id or unique prefix), or MEMBER/SESSION (default: this session)")
	return cli.AllowAgents(a.JSONFlag(c), "from", "json")
}

// unfinished finds the unfinished skill of the session whose id begins with prefix.
func unfinished(all projections.SkillsState, prefix string) (projections.SkillState, error) {
	if s, ok := all.Of(prefix); ok {
		return s, nil
	}
	var sessions []journal.Session
	for _, s := range all {
		sessions = append(sessions, journal.Session{ID: s.Session, ByAgent: true})
	}
	found, err := journal.FindSession(sessions, prefix)
	several := (*journal.AmbiguousError)(nil)
	switch {
	case errors.As(err, &several):
		for _, s := range several.Sessions {
			left, _ := all.Of(s.ID)
			err = fmt.Errorf("%w\n  %s  %-6s  skill %s, phase %s", err, s.ID, cli.Age(time.Since(left.At.Time())), left.Phase.Skill, left.Phase.Phase)
		}
		return projections.SkillState{}, cli.WithHint(err, "more of the id")
	case err != nil && prefix == events.None:
		return projections.SkillState{}, cli.WithHint(errors.New("no skill is unfinished here"), "journal phase enter --skill NAME --phase N")
	case err != nil:
		return projections.SkillState{}, cli.WithHint(fmt.Errorf("session %s has left no skill unfinished", prefix), "journal replay --projection skills")
	}
	s, _ := all.Of(found.ID)
	return s, nil
}
