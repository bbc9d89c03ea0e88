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
	var f phaseFlags
	// step adds a subcommand that records the event of a step. event gets the state before the step. A skill must be running,
	// except for enter, and for discard with the session of a skill that is known only from a file.
	step := func(use, short string, event func(projections.PhaseState) (events.Event, error), flags ...phaseFlag) {
		s := cli.NewCommand(use, short, short,
			func(c *cobra.Command, _ []string) error {
				if use == "discard" {
					if session, found := unrecordedSession(a, c, f.target); found {
						target := f.target
						target.Session = ""
						return a.Record(c, target, events.SkillEnded{Status: "discarded", Session: session})
					}
				}
				now, err := cli.StateOf(a, c, f.target, projections.Phase)
				if err != nil && !cli.NothingYet(a, f.target, err) {
					return err
				}
				if use != "enter" && !now.Active() {
					return errIdle
				}
				e, err := event(now)
				if err != nil {
					return err
				}
				if err := a.Record(c, f.target, e); err != nil {
					return err
				}
				if use == "complete" || use == "finish" {
					suggestCompound(a, c, f.target)
				}
				return nil
			})
		f.target.AddNew(s)
		for _, flag := range flags {
			s.Flags().StringVar(flag.target, flag.name, "", flag.usage)
		}
		a.JSONFlag(s)
		c.AddCommand(cli.AllowAgents(s, "skill", "phase", "name", "output", "input", "next", "summary", "json"))
	}
	name, next := phaseFlag{&f.name, "name", "name of the phase"}, phaseFlag{&f.next, "next", "the next action"}
	step("enter", "a phase begins", f.enter,
		phaseFlag{&f.skill, "skill", "the skill (default: the running one)"}, phaseFlag{&f.phase, "phase", "number or key of the phase"}, name,
		phaseFlag{&f.output, "output", "file of the skill's result"}, phaseFlag{&f.input, "input", "what the skill works from"}, next)
	step("complete", "the running phase, or the one that --phase names, is done", f.complete,
		phaseFlag{&f.phase, "phase", "number or key of the phase (default: the running one)"}, name, phaseFlag{&f.summary, "summary", "result of the phase"}, next)
	step("next", "set the next action", f.plan, next)
	step("finish", "the skill is done; texts for the agent do not have it any more", endSkill("finished"))
	step("discard", "the skill is given up; texts for the agent do not have it any more", endSkill("discarded"))
	c.AddCommand(phaseShow(a, &f), phaseContinue(a, &f))
	return c
})

// unrecordedSession returns the session that --session names, if the log knows its unfinished skill only from a file. Nothing can
// be recorded in such a session (S3.3). If the file names no session, session is the placeholder that identifies the skill.
func unrecordedSession(a *cli.App, c *cobra.Command, t cli.TargetFlags) (session string, found bool) {
	if t.Session == "" {
		return "", false
	}
	named := t.Session
	t.Session = events.None
	all, err := cli.StateOf(a, c, t, projections.Skills)
	if err != nil {
		return "", false
	}
	left, err := unfinished(all, named)
	return left.Session, err == nil && (left.Unrecorded || left.WithoutSession())
}

// phaseFlags are the flags of the subcommands of journal phase.
type phaseFlags struct {
	target                                           cli.TargetFlags
	skill, phase, name, summary, output, input, next string
}

// phaseFlag is a flag of a subcommand whose value is a text.
type phaseFlag struct {
	target      *string
	name, usage string
}

// errIdle is the error of a step that needs a running skill.
var errIdle = cli.WithHint(errors.New("no skill is running"), "journal phase enter --skill NAME --phase N")

// enter returns the event of the beginning of a phase.
func (f *phaseFlags) enter(now projections.PhaseState) (events.Event, error) {
	e := events.PhaseEntered{Skill: f.skill, Phase: f.phase, Name: f.name, Output: f.output, Input: f.input, Next: f.next}
	if e.Skill == "" && now.Active() {
		e.Skill = now.Skill
	}
	if e.Skill == "" || e.Phase == "" {
		return nil, cli.Usage(errors.New("--skill (for the first phase) and --phase are required"))
	}
	return e, nil
}

// complete returns the event of the end of a phase.
func (f *phaseFlags) complete(now projections.PhaseState) (events.Event, error) {
	e := events.PhaseCompleted{Phase: cmp.Or(f.phase, now.Phase), Name: f.name, Summary: f.summary, Next: f.next}
	if e.Phase == "" {
		return nil, errIdle
	}
	return e, nil
}

// plan returns the event of a new next action.
func (f *phaseFlags) plan(projections.PhaseState) (events.Event, error) {
	return events.PhasePlanned{Next: f.next}, nil
}

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
func phaseShow(a *cli.App, f *phaseFlags) *cobra.Command {
	c := cli.NewCommand("show", "where the workflow stands",
		"Shows the running skill."+cli.ShowExits,
		func(c *cobra.Command, _ []string) error {
			s, err := cli.StateOf(a, c, f.target, projections.Phase)
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
	f.target.Add(c)
	return cli.AllowAgents(a.JSONFlag(c), "json")
}
