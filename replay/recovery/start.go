package recovery

import (
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/projections/compilation"
	"journal/projections/workers"
	"journal/replay/knowledge"
)

// StartNeeds are the projections that the text of a start is made of.
var StartNeeds = []projections.Projection{
	projections.Flow, projections.Stock, projections.NoteFiles, projections.Phase, projections.LastCompact, projections.CompoundLastRun,
	projections.Pressure, projections.Skills, projections.Ports, projections.Decisions, projections.ProjectCompact,
	compilation.Projection, projections.Handovers, projections.SkillFiles, workers.Projection, workers.Runs,
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
	Carried  bool        // the skill is, over a /clear
	Left     []LeftSkill // by earlier sessions, the last changed one first
	MoreLeft int         // beside those
	Session  string      // whose start it is, where skills ask for its id; else empty
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
	if source == "startup" || source == "resume" || source == "clear" {
		s.Left, s.MoreLeft = firstOf(leftSkills(f, asked, s.Carried, s.Skill), mostLeft)
		if projections.SkillFiles.In(f) {
			s.Session = asked.Session
		}
	}
	s.Overview = overviewOf(f, before)
	if s.Fresh() {
		s.Overview.Ports, s.Overview.Decisions = offeredPorts(f, asked.Session), decisions(f, asked.At, before)
	}
	return s
}

// Fresh says whether the session does not know the project's state yet, as it does at a resume and in a fork.
func (s *Start) Fresh() bool { return s.source == "startup" || s.source == "clear" }

// mostLeft bounds how many unfinished skills are named.
const mostLeft = 3

// leftSkills gives what a session that begins or is resumed can go on with, as of its own event. A skill that it
// carries over from the session before is not left.
func leftSkills(f *projections.Fold, asked events.Envelope, carried bool, own projections.PhaseState) (left []LeftSkill) {
	now := projections.Stamp(asked.At)
	for _, s := range projections.Skills.In(f).Left(asked.Session, now) {
		if !carried || s.Phase.Seq != own.Seq {
			left = append(left, LeftSkill{SkillState: s, Stale: s.Stale(now)})
		}
	}
	return left
}

// First is the skill that is offered with all of its state: the last changed one, where the session has none.
func (s *Start) First() *LeftSkill {
	if s.Skill.Active() || len(s.Left) == 0 {
		return nil
	}
	return &s.Left[0]
}

// Others are offered by name.
func (s *Start) Others() []LeftSkill {
	if s.First() == nil {
		return s.Left
	}
	return s.Left[1:]
}

// skillUnits bounds the file of an unfinished skill at a start, in UTF-16 units.
const skillUnits = 6000

// SkillText is the file of a skill as a start gives it.
type SkillText struct {
	File, Text string
	Whole      bool
	Untold     []projections.CompletedPhase // that the file does not hold
}

// FileOf gives the file of a skill within the limit of a start.
func (s *Start) FileOf(p projections.PhaseState) SkillText {
	t := SkillText{File: p.File}
	t.Text, t.Whole = knowledge.SkillText(p, skillUnits)
	for _, c := range p.Completed {
		if !p.Tells(c) {
			t.Untold = append(t.Untold, c)
		}
	}
	return t
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
	if s.Session != "" {
		add("CPM_SESSION_ID: " + s.Session)
	}
	if s.Skill.Active() || len(s.Left) > 0 {
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

// WorkRun is a run of workers that was killed, or in which tasks failed (S4.7).
type WorkRun struct {
	workers.Left
	First workers.Task // that failed
}

// workRunOf gives the run that a session that begins is to be told of, nil for none.
func workRunOf(f *projections.Fold, asked events.Envelope) *WorkRun {
	left, ok := workers.LeftAt(f, projections.Stamp(asked.At))
	if !ok {
		return nil
	}
	r := WorkRun{Left: left}
	if len(left.Failed) > 0 {
		r.First = left.Failed[0]
	}
	return &r
}

// CompileRun is a run of the compile workflow in which something is left to do (S2.11).
type CompileRun struct {
	Done, Total int
	Next        compilation.Step
}

// compileRunOf gives the run that a session that begins is to be told of, nil for none.
func compileRunOf(f *projections.Fold, asked events.Envelope) *CompileRun {
	run := compilation.Projection.In(f)
	if !run.Concerns(asked.Session, projections.Stamp(asked.At)) {
		return nil
	}
	r := CompileRun{Total: len(run.Targets), Next: run.Next()[0]}
	for _, t := range run.Targets {
		if t.Done() {
			r.Done++
		}
	}
	return &r
}

// offeredPort is a running port that a session can go on with.
type offeredPort struct {
	projections.PortState
	First []string // of its open items
	More  int      // open items beside those
	Other bool     // another session is at it
}

// offeredPorts gives the running ports of the project to a session that begins or was
// cleared, as unfinished skills are offered (S0.3). A session that goes on knows its own.
func offeredPorts(f *projections.Fold, session string) (offered []offeredPort) {
	for _, p := range projections.Ports.In(f).AllRunning(session) {
		offered = append(offered, offeredPort{
			PortState: p, First: p.Pending,
			Other: p.Session != session && p.Session != events.None && !p.Left,
		})
	}
	return offered
}

// within gives the port cut to a room.
func (p offeredPort) within(r room) offeredPort {
	p.Title = short(p.Title, r.item)
	if p.First, p.More = firstOf(p.First, r.portItems); r.portItems == 0 {
		p.More = 0 // the progress says it
	}
	for i := range p.First {
		p.First[i] = short(p.First[i], r.item)
	}
	return p
}
