package recovery

import (
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/projections/compilation"
	"journal/projections/workers"
	"journal/replay/knowledge"
)

// StartNeeds lists the projections behind the text of a start.
var StartNeeds = []projections.Projection{
	projections.Flow, projections.Stock, projections.NoteFiles, projections.Phase, projections.LastCompact, projections.CompoundLastRun,
	projections.Pressure, projections.Skills, projections.Ports, projections.Decisions, projections.ProjectCompact,
	compilation.Projection, projections.Handovers, projections.SkillFiles, workers.Projection, workers.Runs,
}

// startUnits bounds the text at a start, in UTF-16 units: it is part of every request of the session. The bound includes
// the part about commands, but not the session's id, unfinished skills, compile runs and runs of workers.
const startUnits = 1200

// between separates the parts of the text at a start.
const between = "\n\n"

// Start holds the data of the text for a session that begins or continues (S1.10, S3.3): unfinished work of this session and
// earlier ones, the team's unfinished work, and the Overview.
//
// StartOf derives it from a fold. Before the caller asks for the text, it sets what the fold does not hold: the titles of
// Unfinished, Past.Full, Overview.Earlier, Overview.NewestTitle, and the times of Overview.Files. It adds the team's work and
// decisions by AddOffers and AddDecisions.
type Start struct {
	Skill          projections.PhaseState
	Carried        bool              // the skill was carried over a /clear
	Unfinished     []UnfinishedSkill // by earlier sessions, the last changed one first
	MoreUnfinished int               // number of further ones
	Session        string            // id of the starting session, if skills need it; else empty
	Compile        *CompileRun
	Work           *workers.UnfinishedRun // killed, or with failed tasks (S4.7); nil for none
	Overview       Overview
	Quiet          bool // omits the Overview

	source string // the agent's name for the kind of start
	at     int64  // of the start, ns since 1970
	fold   *projections.Fold
	team   teamWork
}

// UnfinishedSkill is a skill that an earlier session left unfinished.
type UnfinishedSkill struct {
	projections.SkillState
	Stale bool   // it changed last so long ago that it is only named
	Title string // of that session
}

// StartOf derives a Start from a fold that holds StartNeeds. begin is the event of the start, source is the agent's name for
// the kind of start, and before is the work that /clear ended, nil for none.
func StartOf(f *projections.Fold, begin events.Envelope, source string, before *Past) *Start {
	s := &Start{
		Skill: projections.Phase.In(f), Compile: compileRunOf(f, begin),
		source: source, at: begin.At, fold: f, team: teamWork{TakenOver: projections.Handovers.In(f).Unshown()},
	}
	if run, ok := workers.NewestUnfinished(f, projections.Stamp(begin.At)); ok {
		s.Work = &run
	}
	if !s.Skill.Active() && before != nil && before.Skill.Active() {
		s.Skill, s.Carried = before.Skill, true
	}
	if source == "startup" || source == "resume" || source == "clear" {
		s.Unfinished, s.MoreUnfinished = firstOf(s.unfinishedSkills(begin.Session), maxUnfinished)
		if projections.SkillFiles.In(f) {
			s.Session = begin.Session
		}
	}
	s.Overview = overviewOf(f, before)
	if s.Fresh() {
		s.Overview.Ports, s.Overview.Decisions = runningPorts(f, begin.Session), decisions(f, begin.At, before)
	}
	return s
}

// Fresh reports whether the session does not know the project's state yet. After a resume and in a fork it does.
func (s *Start) Fresh() bool { return s.source == "startup" || s.source == "clear" }

// maxUnfinished bounds the list of unfinished skills.
const maxUnfinished = 3

// unfinishedSkills returns the skills that the starting session can continue, without the one that was carried over.
func (s *Start) unfinishedSkills(session string) (left []UnfinishedSkill) {
	now := projections.Stamp(s.at)
	for _, skill := range projections.Skills.In(s.fold).Continuable(session, now) {
		if !s.Carried || skill.Phase.Seq != s.Skill.Seq {
			left = append(left, UnfinishedSkill{SkillState: skill, Stale: skill.Stale(now)})
		}
	}
	return left
}

// First returns the unfinished skill that the text shows with its state: the last changed one. It returns nil if there is
// none, or if the session has a skill of its own.
func (s *Start) First() *UnfinishedSkill {
	if s.Skill.Active() || len(s.Unfinished) == 0 {
		return nil
	}
	return &s.Unfinished[0]
}

// Others returns the unfinished skills that the text only names.
func (s *Start) Others() []UnfinishedSkill {
	if s.First() == nil {
		return s.Unfinished
	}
	return s.Unfinished[1:]
}

// SkillFile is the file of a skill in the text of a start.
type SkillFile struct {
	File, Text string                       // its path and its content
	Whole      bool                         // Text is all of the content
	Unlisted   []projections.CompletedPhase // phases that the file lacks
}

// FileOf returns the file of a skill within the limit of knowledge.SkillText. Templates call it.
func (s *Start) FileOf(p projections.PhaseState) SkillFile {
	t := SkillFile{File: p.File}
	t.Text, t.Whole = knowledge.SkillText(p)
	for _, c := range p.Completed {
		if !p.Contains(c) {
			t.Unlisted = append(t.Unlisted, c)
		}
	}
	return t
}

// Text returns the text in a language, empty if no part has content. command is the command by which the agent calls this
// program.
func (s *Start) Text(lang, command string) (string, error) {
	intro, err := Phrase(lang, "start-command", command)
	if err != nil {
		return "", err
	}
	parts, units := []string{intro}, startUnits-text.Units(intro)-len(between)
	if s.Session != "" {
		parts = append(parts, "CPM_SESSION_ID: "+text.Line(s.Session)) // skills look for this name
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
		if phrase.due {
			part, err := Phrase(lang, phrase.name, phrase.data)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
	}
	team, err := s.team.text(lang)
	if err != nil {
		return "", err
	}
	if team != "" {
		parts = append(parts, team)
		units -= text.Units(team) + len(between)
	}
	if !s.Quiet {
		overview, err := s.Overview.text(lang, units)
		if err != nil {
			return "", err
		}
		parts = append(parts, overview)
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	if len(parts) == 1 {
		return "", nil
	}
	return strings.Join(parts, between), nil
}

// CompileRun is an unfinished run of the compile workflow (S2.11).
type CompileRun struct {
	Done, Total int // numbers of directories
	Next        compilation.Step
}

// compileRunOf returns the unfinished run for the session of the event begin, nil for none.
func compileRunOf(f *projections.Fold, begin events.Envelope) *CompileRun {
	run := compilation.Projection.In(f)
	if !run.Concerns(begin.Session, projections.Stamp(begin.At)) {
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

// runningPort is a running port that a session can continue.
type runningPort struct {
	projections.PortState
	First []string // the first open items
	More  int      // number of further open items
	Other bool     // another session works on it
}

// runningPorts returns the running ports of the project for a session (S0.3).
func runningPorts(f *projections.Fold, session string) (running []runningPort) {
	for _, p := range projections.Ports.In(f).AllRunning(session) {
		running = append(running, runningPort{
			PortState: p, First: p.Pending,
			Other: p.Session != session && p.Session != events.None && !p.SessionEnded,
		})
	}
	return running
}

// within returns the port, cut to a room.
func (p runningPort) within(r room) runningPort {
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
