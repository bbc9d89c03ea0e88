package projections

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// PhaseState is the state of a skill's workflow.
type PhaseState struct {
	Skill     string           `json:"skill,omitempty"`
	Phase     string           `json:"phase,omitempty"`     // number or key of the current phase
	Name      string           `json:"name,omitempty"`      // name of that phase
	Completed []CompletedPhase `json:"completed,omitempty"` // in the order of their first completion
	Output    string           `json:"output,omitempty"`    // destination of the skill's result
	Input     string           `json:"input,omitempty"`     // source of the skill's task
	Next      string           `json:"next,omitempty"`      // the next action
	Status    string           `json:"status,omitempty"`    // active, finished, discarded; empty without a skill
	Seq       uint64           `json:"seq,omitempty"`       // last change
	// Text is the skill's own file as last observed whole, or rebuilt from its parts. TextSeq is the event that set it.
	Text    string `json:"text,omitempty"`
	TextSeq uint64 `json:"text_seq,omitempty"`

	// File is the path of the skill's own file, empty if it is unknown.
	File string `json:"-"`
	// Foreign is set if another lane has written the file since this lane's state was read from it.
	Foreign bool `json:"-"`
}

// CompletedPhase is a finished phase.
type CompletedPhase struct {
	Phase   string `json:"phase"`
	Name    string `json:"name,omitempty"`
	Summary string `json:"summary,omitempty"`
	Seq     uint64 `json:"seq"`
}

// Active reports whether a skill is running.
func (s PhaseState) Active() bool { return s.Status == "active" }

// Contains reports whether the skill's own file contains a finished phase and its summary, both as whole words: a "10" does
// not contain the phase "1".
func (s PhaseState) Contains(c CompletedPhase) bool {
	return c.Phase != "" && c.Summary != "" && text.HasWords(s.Text, c.Phase) && text.HasWords(s.Text, c.Summary)
}

// Phase records the state of the skill's workflow (S3.1), from events and from the skill's own file: the later report holds. A
// phase of another skill starts a new state.
var Phase = Declare("phase", 5, Lane, "the state of the running skill's workflow",
	On(PhaseState.entered),
	On(PhaseState.completed),
	On(PhaseState.planned),
	On(PhaseState.ended),
	On(PhaseState.continued),
	OnIn(Project, PhaseState.observed),
)

func (s PhaseState) entered(e events.PhaseEntered, at At) PhaseState {
	if s.Skill != e.Skill || !s.Active() {
		s = PhaseState{Skill: e.Skill}
	}
	s.Phase, s.Name, s.Status, s.Seq = e.Phase, e.Name, "active", at.Seq
	s.Next = e.Next // even if empty: the next action of the previous phase no longer applies
	setNonEmpty(&s.Output, e.Output)
	setNonEmpty(&s.Input, e.Input)
	return s
}

func (s PhaseState) completed(e events.PhaseCompleted, at At) PhaseState {
	if !s.Active() {
		return s
	}
	done := CompletedPhase{Phase: e.Phase, Name: e.Name, Summary: e.Summary, Seq: at.Seq}
	if done.Name == "" && e.Phase == s.Phase {
		done.Name = s.Name
	}
	s.Completed = withCompleted(s.Completed, done, func(CompletedPhase) bool { return true })
	setNonEmpty(&s.Next, e.Next)
	s.Seq = at.Seq
	return s
}

// withCompleted returns a copy of the finished phases with c. An earlier entry of the same phase stays unless replaces returns true
// for it.
func withCompleted(all []CompletedPhase, c CompletedPhase, replaces func(CompletedPhase) bool) []CompletedPhase {
	all = slices.Clone(all)
	i := slices.IndexFunc(all, func(o CompletedPhase) bool { return o.Phase == c.Phase })
	switch {
	case i < 0:
		return append(all, c)
	case replaces(all[i]):
		all[i] = c
	}
	return all
}

func (s PhaseState) planned(e events.PhasePlanned, at At) PhaseState {
	if s.Active() {
		s.Next, s.Seq = e.Next, at.Seq
	}
	return s
}

// ended ends the running skill. An event that names a session is about another session's skill.
func (s PhaseState) ended(e events.SkillEnded, at At) PhaseState {
	if s.Active() && e.Session == "" {
		s.Status, s.Seq = e.Status, at.Seq
	}
	return s
}

// continued takes over the skill of an earlier session. A session that continues its own running skill changes nothing.
func (s PhaseState) continued(e events.SkillContinued, at At) PhaseState {
	if e.From == at.Session && s.Active() {
		return s
	}
	s = PhaseState{
		Skill: e.Skill, Phase: e.Phase, Name: e.Name, Output: e.Output, Input: e.Input, Next: e.Next,
		Status: "active", Seq: at.Seq, File: e.File,
	}
	for _, d := range e.Completed {
		s.Completed = append(s.Completed, CompletedPhase{Phase: d.Phase, Name: d.Name, Summary: d.Summary, Seq: at.Seq})
	}
	if e.Text != "" {
		s.Text, s.TextSeq = e.Text, at.Seq
	}
	return s
}

// ContinuedFrom returns the event by which another session continues this unfinished skill, with its whole state.
func (s PhaseState) ContinuedFrom(session string) events.SkillContinued {
	e := events.SkillContinued{
		From: session, Skill: s.Skill, Phase: s.Phase, Name: s.Name, Output: s.Output, Input: s.Input, Next: s.Next, Text: s.Text, File: s.File,
	}
	for _, d := range s.Completed {
		e.Completed = append(e.Completed, events.PhaseDone{Phase: d.Phase, Name: d.Name, Summary: d.Summary})
	}
	return e
}

// observed applies a skill's own file (docs/FILES.md §S3). The file is about one session only (S3.8), but a hook of any session of
// the project may observe it. If the file was removed, the skill has ended (S3.4). A file without content changes nothing.
func (s PhaseState) observed(e events.FileObserved, at At) PhaseState {
	empty := len(e.Labels) == 0 && len(e.Entries) == 0
	if e.Kind != events.SkillFile || empty && !e.Gone {
		return s
	}
	if !s.isOwn(e, at) {
		s.Foreign = s.Foreign || e.Written && e.Path == s.File
		return s
	}
	if e.Gone {
		if s.File == e.Path && s.Active() {
			s.Status, s.Seq = "finished", at.Seq
		}
		return s
	}
	file := PhaseState{
		Skill:     e.Label("Skill"),
		Phase:     e.Label("Phase", "Step", "Section", "Current task"),
		Completed: completedIn(e.Entries, at.Seq),
		Output:    e.Label("Output target"),
		Input:     e.Label("Input source"),
		Next:      nextIn(e),
		Status:    "active", Seq: at.Seq, File: e.Path,
		Text: cmp.Or(e.Text, rebuilt(e)), TextSeq: at.Seq,
	}
	if s.isPartial(file, e.Gap) {
		return s.with(file)
	}
	file.Skill = cmp.Or(file.Skill, strings.TrimSuffix(path.Base(e.Path), ".md"))
	return file
}

// isPartial reports whether an observation has only a part of this skill's file: it has a gap, or the file was read during a write
// and lacks the next action at its end.
func (s PhaseState) isPartial(file PhaseState, gap string) bool {
	if !s.Active() || s.File != file.File || file.Skill != "" && file.Skill != s.Skill {
		return false
	}
	hadMore := s.Next != "" || len(file.Completed) < len(s.Completed)
	return gap != "" || file.Next == "" && hadMore && len(file.Text) < len(s.Text)
}

// with adds the values and finished phases that were read of a part of the file, and keeps all others. The longer summary of a phase
// holds.
func (s PhaseState) with(read PhaseState) PhaseState {
	setNonEmpty(&s.Phase, read.Phase)
	setNonEmpty(&s.Output, read.Output)
	setNonEmpty(&s.Input, read.Input)
	setNonEmpty(&s.Next, read.Next)
	for _, c := range read.Completed {
		s.Completed = withCompleted(s.Completed, c, func(o CompletedPhase) bool { return len(c.Summary) >= len(o.Summary) })
	}
	s.Seq = read.Seq
	return s
}

// rebuilt returns a text like that of a file from its labels and entries, for observations without the text.
func rebuilt(e events.FileObserved) string {
	var b strings.Builder
	for _, l := range e.Labels {
		b.WriteString("**" + l.Name + "**: " + l.Value + "\n")
	}
	for _, entry := range e.Entries {
		b.WriteString("\n## " + entry.Heading + "\n" + entry.Text + "\n")
		for _, h := range entry.Heads {
			if !strings.Contains(entry.Text, h.Heading) {
				b.WriteString("\n### " + h.Heading + "\n" + h.Text + "\n")
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// isOwn reports whether an observed file is the state of this fold's lane. A file that a tool of the report wrote belongs to the
// lane of the tool, but to the main lane if the name of the file has the id of the tool's session. Any other file belongs to the
// main lane of the session in its name, and to the lane that wrote it or took it over before, unless another lane has written it
// since. A removal of the lane's file counts even then.
func (s PhaseState) isOwn(e events.FileObserved, at At) bool {
	session := at.Target.Session
	inName := namesSession(e.Path, session)
	named := at.Target.Lane == "" && inName
	if e.Written {
		return at.Session == session && (named || at.Lane == at.Target.Lane && !inName)
	}
	if s.Foreign && s.File == e.Path {
		named = false
	}
	// Any session may observe a file with this session's id in its name. Any session may also observe that this lane's file was
	// removed, but only this lane's session may observe its content.
	return named || s.File == e.Path && (e.Gone || at.Session == session && !s.Foreign)
}

// namesSession reports whether the name of a file of workflow state has a session's id, or at least the first ShortID bytes of it.
func namesSession(file, session string) bool {
	id := strings.TrimSuffix(strings.TrimPrefix(path.Base(file), ".cpm-progress"), ".md")
	id, named := strings.CutPrefix(id, "-")
	return named && (id == session || len(id) >= ShortID && strings.HasPrefix(session, id))
}

// ShortID is the length of the short form of a session's id, in bytes.
const ShortID = 8

// completedIn returns the finished phases in the entries of a skill's file.
func completedIn(entries []events.Entry, seq uint64) []CompletedPhase {
	var done []CompletedPhase
	for _, e := range entries {
		phase, completed := strings.CutPrefix(e.Heading, "Completed ")
		if !completed || !slices.Contains([]string{"Sections", "Phases", "Steps", "Tasks"}, phase) {
			continue
		}
		for _, h := range e.Heads {
			done = append(done, CompletedPhase{Phase: h.Heading, Summary: strings.TrimSpace(h.Text), Seq: seq})
		}
	}
	return done
}

// nextIn returns the next action in a skill's file, empty for none.
func nextIn(e events.FileObserved) string {
	if next, ok := firstMatch(e.Entries, func(e events.Entry) bool { return strings.EqualFold(e.Heading, "Next Action") }); ok {
		return strings.TrimSpace(next.Text)
	}
	return e.Label("Next Action", "Next action")
}
