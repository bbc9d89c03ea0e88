package recovery

import (
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/projections/compilation"
	"journal/projections/workers"
)

// StartNeeds are the projections that the text of a start is made of.
var StartNeeds = []projections.Projection{
	projections.Flow, projections.Stock, projections.Phase, projections.LastCompact, projections.CompoundLastRun,
	projections.Pressure, projections.Skills, projections.Ports, projections.Decisions, projections.ProjectCompact,
	compilation.Projection, projections.Handovers, workers.Projection, workers.Runs,
}

// startUnits bounds the text at a start, the name of the command included, beside an unfinished skill's own state, in
// UTF-16 units: it stands in every request of the session.
const startUnits = 1200

// between stands between the parts of the text at a start.
const between = "\n\n"

// Start is what a session that begins or goes on should know of (S1.10, S3.3): a skill that was
// left unfinished, by it or by an earlier session, to go on with or to discard; and
// where there is any, what the project's newest session was at, running ports, the
// decisions of the last week, its own and those of others in the team, what others have left unfinished, the files of notes and knowledge with counts, and one
// line each about the last compaction, compound and the pressure.
//
// StartOf derives it from a fold. What that does not hold is the caller's to complete before it asks
// for the text: Left.Title, Overview.Earlier, Overview.NewestTitle, Overview.Files' times, and what the team
// offers and decided.
type Start struct {
	Skill    projections.PhaseState
	Carried  bool       // the skill is, over a /clear
	Left     *LeftSkill // by an earlier session; nil when there is one of its own
	Compile  *CompileRun
	Work     *WorkRun
	Overview Overview // what else there is to know
	// Quiet leaves out what else there is to know.
	Quiet bool

	source  string
	at      int64 // of the start, ns since 1970
	fold    *projections.Fold
	project teamWork
}

// LeftSkill is a skill that an earlier session has left unfinished.
type LeftSkill struct {
	projections.SkillState
	Stale bool
	Title string // of that session
}

// StartOf derives what is told at a start from a fold that holds StartNeeds. asked is the event of the
// start, source what the agent says of it, and before what /clear ended for the session, nil for nothing.
func StartOf(f *projections.Fold, asked events.Envelope, source string, before *Past) *Start {
	s := &Start{
		Skill: projections.Phase.In(f), Compile: compileRunOf(f, asked), Work: workRunOf(f, asked),
		source: source, at: asked.At, fold: f, project: teamWork{Given: projections.Handovers.In(f).Untold()},
	}
	if !s.Skill.Active() && before != nil && before.Skill.Active() {
		s.Skill, s.Carried = before.Skill, true
	}
	if !s.Skill.Active() && (source == "startup" || source == "resume" || source == "clear") {
		s.Left = leftSkill(f, asked)
	}
	s.Overview = overviewOf(f, before)
	if s.Fresh() {
		s.Overview.Ports, s.Overview.Decisions = offeredPorts(f, asked.Session), decisions(f, asked.At, before)
	}
	return s
}

// Fresh says whether the session does not know the project's state yet, as it does at a resume and in a fork.
func (s *Start) Fresh() bool { return s.source == "startup" || s.source == "clear" }

// leftSkill gives what a session that begins or is resumed can go on with, as of its own
// event.
func leftSkill(f *projections.Fold, asked events.Envelope) *LeftSkill {
	now := projections.Stamp(asked.At)
	s, ok := projections.Skills.In(f).Left(asked.Session, now)
	if !ok {
		return nil
	}
	return &LeftSkill{SkillState: s, Stale: s.Stale(now)}
}

// Text gives what is told in a language, empty when there is nothing to tell. command is how the agent
// runs the program.
func (s *Start) Text(lang, command string) (string, error) {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if s.Skill.Active() || s.Left != nil {
		skill, err := Phrase(lang, "start-skill", s)
		if err != nil {
			return "", err
		}
		add(skill)
	}
	if s.Compile != nil {
		run, err := Phrase(lang, "start-compile", s.Compile)
		if err != nil {
			return "", err
		}
		parts = append(parts, run)
	}
	if s.Work != nil {
		run, err := Phrase(lang, "start-work", s.Work)
		if err != nil {
			return "", err
		}
		parts = append(parts, run)
	}
	others, err := s.project.text(lang)
	if err != nil {
		return "", err
	}
	units := startUnits
	if others != "" {
		parts = append(parts, others)
		units -= text.Units(others) + len(between)
	}
	how, err := Phrase(lang, "start-command", command)
	if err != nil {
		return "", err
	}
	if !s.Quiet {
		overview, err := s.Overview.text(lang, units-text.Units(how)-len(between))
		if err != nil {
			return "", err
		}
		add(overview)
	}
	if len(parts) == 0 {
		return "", nil
	}
	return strings.Join(append([]string{how}, parts...), between), nil
}
