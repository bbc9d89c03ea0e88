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

// StartNeeds are the projections behind the text of a start.
var StartNeeds = []projections.Projection{
	projections.Flow, projections.Stock, projections.NoteFiles, projections.Phase, projections.LastCompact, projections.CompoundLastRun,
	projections.Pressure, projections.Skills, projections.Ports, projections.Decisions, projections.ProjectCompact,
	compilation.Projection, projections.Handovers, projections.SkillFiles, workers.Projection, workers.Runs,
}

// startUnits bounds the text at a start, in UTF-16 units, including the name of the command but not an unfinished
// skill's own state: the text is part of every request of the session.
const startUnits = 1200

// between separates the parts of the text at a start.
const between = "\n\n"

// Start is the text for a session that begins or continues (S1.10, S3.3): a skill that it or an earlier session left
// unfinished, to continue or discard. It also has, where they exist, the last work of the project's newest session,
// running ports, the decisions of the last week, its own and the team's, unfinished work of others, the files of notes
// and knowledge with counts, and one line each about the last compaction, compound and the pressure.
//
// StartOf derives it from a fold. The caller completes the fields that the fold does not hold before it asks for the
// text: Left.Title, Overview.Earlier, Overview.NewestTitle, the times of Overview.Files, and the team's offers and
// decisions.
type Start struct {
	Skill          projections.PhaseState
	Carried        bool              // the skill was carried over a /clear
	Unfinished     []UnfinishedSkill // by earlier sessions, the last changed one first
	MoreUnfinished int               // how many more
	Session        string            // the starting session, if skills ask for its id; else empty
	Compile        *CompileRun
	Work           *WorkRun
	Overview       Overview // everything else
	// Quiet omits the Overview.
	Quiet bool

	source  string
	at      int64 // of the start, ns since 1970
	fold    *projections.Fold
	project teamWork
}

// UnfinishedSkill is a skill that an earlier session left unfinished.
type UnfinishedSkill struct {
	projections.SkillState
	Stale bool
	Title string // of that session
}

// StartOf derives the text of a start from a fold that holds StartNeeds. asked is the event of the start, source is the
// agent's name for the kind of start, and before is the session that /clear ended, nil for none.
func StartOf(f *projections.Fold, asked events.Envelope, source string, before *Past) *Start {
	s := &Start{
		Skill: projections.Phase.In(f), Compile: compileRunOf(f, asked), Work: workRunOf(f, asked),
		source: source, at: asked.At, fold: f, project: teamWork{Given: projections.Handovers.In(f).Unshown()},
	}
	if !s.Skill.Active() && before != nil && before.Skill.Active() {
		s.Skill, s.Carried = before.Skill, true
	}
	if source == "startup" || source == "resume" || source == "clear" {
		s.Unfinished, s.MoreUnfinished = firstOf(unfinishedSkills(f, asked, s.Carried, s.Skill), maxUnfinished)
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

// Fresh reports whether the session does not know the project's state yet. After a resume and in a fork it does.
func (s *Start) Fresh() bool { return s.source == "startup" || s.source == "clear" }

// maxUnfinished bounds the list of unfinished skills.
const maxUnfinished = 3

// unfinishedSkills returns the skills that a session can continue when it begins or is resumed, as of that event. A skill
// that it carries over from the session before is not among them.
func unfinishedSkills(f *projections.Fold, asked events.Envelope, carried bool, running projections.PhaseState) (left []UnfinishedSkill) {
	now := projections.Stamp(asked.At)
	for _, s := range projections.Skills.In(f).Continuable(asked.Session, now) {
		if !carried || s.Phase.Seq != running.Seq {
			left = append(left, UnfinishedSkill{SkillState: s, Stale: s.Stale(now)})
		}
	}
	return left
}

// First is the skill that is offered with its whole state: the last changed one, if the session has none of its own.
func (s *Start) First() *UnfinishedSkill {
	if s.Skill.Active() || len(s.Unfinished) == 0 {
		return nil
	}
	return &s.Unfinished[0]
}

// Others are the skills offered by name only.
func (s *Start) Others() []UnfinishedSkill {
	if s.First() == nil {
		return s.Unfinished
	}
	return s.Unfinished[1:]
}

// SkillText is the file of a skill in the text of a start.
type SkillText struct {
	File, Text string
	Whole      bool
	Unlisted   []projections.CompletedPhase // not in the file
}

// FileOf returns the file of a skill within the limit of a start.
func (s *Start) FileOf(p projections.PhaseState) SkillText {
	t := SkillText{File: p.File}
	t.Text, t.Whole = knowledge.SkillText(p)
	for _, c := range p.Completed {
		if !p.Contains(c) {
			t.Unlisted = append(t.Unlisted, c)
		}
	}
	return t
}

// Text returns the text in a language, empty if no part has content. command is the agent's command for this program.
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
	for _, phrase := range []struct {
		name string
		due  bool
		data any
	}{
		{"start-skill", s.Skill.Active() || len(s.Unfinished) > 0, s},
		{"start-compile", s.Compile != nil, s.Compile},
		{"start-work", s.Work != nil, s.Work},
	} {
		if !phrase.due {
			continue
		}
		part, err := Phrase(lang, phrase.name, phrase.data)
		if err != nil {
			return "", err
		}
		add(part)
	}
	team, err := s.project.text(lang)
	if err != nil {
		return "", err
	}
	units := startUnits
	if team != "" {
		parts = append(parts, team)
		units -= text.Units(team) + len(between)
	}
	intro, err := Phrase(lang, "start-command", command)
	if err != nil {
		return "", err
	}
	if !s.Quiet {
		overview, err := s.Overview.text(lang, units-text.Units(intro)-len(between))
		if err != nil {
			return "", err
		}
		add(overview)
	}
	if len(parts) == 0 {
		return "", nil
	}
	return strings.Join(append([]string{intro}, parts...), between), nil
}

// WorkRun is a run of workers that was killed or had failed tasks (S4.7).
type WorkRun struct {
	workers.UnfinishedRun
	First workers.Task // the first failed one
}

// workRunOf returns the unfinished run for a beginning session, nil for none.
func workRunOf(f *projections.Fold, asked events.Envelope) *WorkRun {
	unfinished, ok := workers.NewestUnfinished(f, projections.Stamp(asked.At))
	if !ok {
		return nil
	}
	r := WorkRun{UnfinishedRun: unfinished}
	if len(unfinished.Failed) > 0 {
		r.First = unfinished.Failed[0]
	}
	return &r
}

// CompileRun is a run of the compile workflow with something left to do (S2.11).
type CompileRun struct {
	Done, Total int
	Next        compilation.Step
}

// compileRunOf returns the unfinished run for a beginning session, nil for none.
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

// offeredPort is a running port that a session can continue.
type offeredPort struct {
	projections.PortState
	First []string // of its open items
	More  int      // number of further open items
	Other bool     // another session works on it
}

// offeredPorts returns the running ports of the project for a session that begins or was cleared, like unfinished
// skills (S0.3). A resumed session knows its own.
func offeredPorts(f *projections.Fold, session string) (offered []offeredPort) {
	for _, p := range projections.Ports.In(f).AllRunning(session) {
		offered = append(offered, offeredPort{
			PortState: p, First: p.Pending,
			Other: p.Session != session && p.Session != events.None && !p.Left,
		})
	}
	return offered
}

// within returns the port, cut to a room.
func (p offeredPort) within(r room) offeredPort {
	p.Title = text.CutLine(p.Title, r.item)
	p.First, p.More = firstOf(p.First, r.portItems)
	if r.portItems == 0 {
		p.More = 0 // the progress has the number
	}
	for i := range p.First {
		p.First[i] = text.CutLine(p.First[i], r.item)
	}
	return p
}
