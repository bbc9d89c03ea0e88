package record

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/hookrun"
	"journal/projections"
	"journal/replay/recovery"
)

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("phase", "the phases of a skill's workflow: which one runs, what comes next",
		`Records the progress of a skill's workflow, so that the agent goes on there after a compaction.

  journal phase enter --skill discover --phase 2 --name Personas \
    --output docs/brief.md --next "ask for roles"
  journal phase complete --summary "three personas agreed"
  journal phase finish
  journal phase continue --from 4f1c # what that earlier session left unfinished`, nil)
	c.AddCommand(
		phaseEnter(a), phaseComplete(a), phaseNext(a),
		phaseStep(a, "finish", "the skill is done; texts for the agent do not have it any more", endSkill("finished")),
		phaseStep(a, "discard", "the skill is given up; texts for the agent do not have it any more", endSkill("discarded")),
		phaseShow(a), phaseContinue(a))
	return c
})

// phaseStep makes a command that records the event of a step. event gets the state before the step. A skill must be running, except
// for enter, and for discard with the session of a skill that is known only from a file.
func phaseStep(a *cli.App, use, short string, event func(projections.PhaseState) (events.Event, error)) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand(use, short, short,
		func(c *cobra.Command, _ []string) error {
			if use == "discard" {
				if session, found := unrecordedSession(a, c, t); found {
					t.Session = ""
					return a.Record(c, t, events.SkillEnded{Status: "discarded", Session: session})
				}
			}
			before, err := cli.StateOf(a, c, t, projections.Phase)
			if err != nil && !cli.NothingYet(a, t, err) {
				return err
			}
			if use != "enter" && !before.Active() {
				return errIdle
			}
			e, err := event(before)
			if err != nil {
				return err
			}
			if err := a.Record(c, t, e); err != nil {
				return err
			}
			if use == "complete" || use == "finish" {
				suggestCompound(a, c, t)
			}
			return nil
		})
	t.AddNew(c)
	return cli.AllowAgents(a.JSONFlag(c), "skill", "phase", "name", "output", "input", "next", "summary", "json")
}

// phaseEnter makes the command `journal phase enter`.
func phaseEnter(a *cli.App) *cobra.Command {
	var e events.PhaseEntered
	c := phaseStep(a, "enter", "a phase begins", func(before projections.PhaseState) (events.Event, error) {
		if e.Skill == "" && before.Active() {
			e.Skill = before.Skill
		}
		if e.Skill == "" || e.Phase == "" {
			return nil, cli.Usage(errors.New("--skill (for the first phase) and --phase are required"))
		}
		return e, nil
	})
	c.Flags().StringVar(&e.Skill, "skill", "", "the skill (default: the running one)")
	c.Flags().StringVar(&e.Phase, "phase", "", "number or key of the phase")
	c.Flags().StringVar(&e.Name, "name", "", "name of the phase")
	c.Flags().StringVar(&e.Output, "output", "", "file of the skill's result")
	c.Flags().StringVar(&e.Input, "input", "", "what the skill works from")
	c.Flags().StringVar(&e.Next, "next", "", "the next action")
	return c
}

// phaseComplete makes the command `journal phase complete`.
func phaseComplete(a *cli.App) *cobra.Command {
	var e events.PhaseCompleted
	c := phaseStep(a, "complete", "the running phase, or the one that --phase names, is done", func(before projections.PhaseState) (events.Event, error) {
		if e.Phase = cmp.Or(e.Phase, before.Phase); e.Phase == "" {
			return nil, errIdle
		}
		return e, nil
	})
	c.Flags().StringVar(&e.Phase, "phase", "", "number or key of the phase (default: the running one)")
	c.Flags().StringVar(&e.Name, "name", "", "name of the phase")
	c.Flags().StringVar(&e.Summary, "summary", "", "result of the phase")
	c.Flags().StringVar(&e.Next, "next", "", "the next action")
	return c
}

// phaseNext makes the command `journal phase next`.
func phaseNext(a *cli.App) *cobra.Command {
	var e events.PhasePlanned
	c := phaseStep(a, "next", "set the next action", func(projections.PhaseState) (events.Event, error) { return e, nil })
	c.Flags().StringVar(&e.Next, "next", "", "the next action")
	return c
}

// unrecordedSession returns the session that --session names, if the log knows its unfinished skill only from a file. Nothing can
// be recorded in such a session (S3.3). If the file names no session, session is the placeholder that identifies the skill.
func unrecordedSession(a *cli.App, c *cobra.Command, t cli.TargetFlags) (session string, found bool) {
	if t.Session == "" {
		return "", false
	}
	named := t.Session
	t.Session = events.None // the skills are the project's; the log need not know the session
	all, err := cli.StateOf(a, c, t, projections.Skills)
	if err != nil {
		return "", false
	}
	left, err := unfinished(all, named)
	return left.Session, err == nil && (left.Unrecorded || left.WithoutSession())
}

// errIdle is the error of a step that needs a running skill.
var errIdle = cli.WithHint(errors.New("no skill is running"), "journal phase enter --skill NAME --phase N")

// endSkill returns a function that returns the event of the end of a skill with a status.
func endSkill(status string) func(projections.PhaseState) (events.Event, error) {
	return func(projections.PhaseState) (events.Event, error) { return events.SkillEnded{Status: status}, nil }
}

// suggestCompound prints on stderr that working notes wait to be promoted (S1.1). This is only advice, so errors are ignored.
func suggestCompound(a *cli.App, c *cobra.Command, t cli.TargetFlags) {
	flow, err := cli.StateOf(a, c, t, projections.Flow)
	waiting := flow.ForCompound()
	if err != nil || len(waiting) == 0 {
		return
	}
	text, err := recovery.Waiting(waiting, 0, recovery.Language(hookrun.Language(a.Getenv)))
	if err != nil {
		return
	}
	fmt.Fprintln(a.Err, text)
}

// phaseShow makes the command `journal phase show`.
func phaseShow(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("show", "where the workflow stands",
		"Shows the running skill, else the one that ended last."+cli.ShowExits,
		func(c *cobra.Command, _ []string) error {
			s, err := cli.StateOf(a, c, t, projections.Phase)
			if err != nil {
				return err
			}
			if a.AsJSON {
				return a.PrintJSON(s)
			}
			if s.Status == "" {
				fmt.Fprintln(a.Err, "no skill was begun")
				return nil
			}
			return a.PrintStateOf(s)
		})
	t.Add(c)
	return cli.AllowAgents(a.JSONFlag(c), "json")
}
