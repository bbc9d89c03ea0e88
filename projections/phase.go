package projections

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"journal/events"
)

// PhaseState is where a skill's workflow stands.
type PhaseState struct {
	Skill     string           `json:"skill,omitempty"`
	Phase     string           `json:"phase,omitempty"`
	Name      string           `json:"name,omitempty"`
	Completed []CompletedPhase `json:"completed,omitempty"`
	Output    string           `json:"output,omitempty"`
	Input     string           `json:"input,omitempty"`
	Next      string           `json:"next,omitempty"`
	Status    string           `json:"status,omitempty"` // active, finished, discarded
	Seq       uint64           `json:"seq,omitempty"`    // last change
	// Text is the skill's own file as it was last seen whole, and TextSeq where.
	Text    string `json:"text,omitempty"`
	TextSeq uint64 `json:"text_seq,omitempty"`

	// File is the file of workflow state that the state was read from, empty when
	// it was told.
	File string `json:"-"`
	// Foreign says that another lane wrote that file since.
	Foreign bool `json:"-"`
}

// CompletedPhase is one phase that is done.
type CompletedPhase struct {
	Phase   string `json:"phase"`
	Name    string `json:"name,omitempty"`
	Summary string `json:"summary,omitempty"`
	Seq     uint64 `json:"seq"`
}

// Active says whether a skill is running.
func (s PhaseState) Active() bool { return s.Status == "active" }

// Tells says whether the skill's own file tells of a phase that is done: it holds the
// phase and its summary, both as whole words. A "1" within "10" would keep back what the
// file does not hold.
func (s PhaseState) Tells(c CompletedPhase) bool {
	return holdsWords(s.Text, c.Phase) && holdsWords(s.Text, c.Summary)
}

// holdsWords says whether a text has some words as whole words. No words are in no text.
func holdsWords(s, words string) bool {
	for from := 0; words != ""; {
		i := strings.Index(s[from:], words)
		if i < 0 {
			break
		}
		i += from
		if parts(s, i) && parts(s, i+len(words)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		from = i + size
	}
	return false
}

// parts says whether a place in a text is the border of a word.
func parts(s string, i int) bool {
	within := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return !within(before) || !within(after)
}

// Phase tells where the skill's workflow stands (S3.1): what was told of it and
// what the skill's own file says, whichever is later. Another skill begins anew.
var Phase = Declare("phase", 5, Lane, "where the running skill's workflow stands",
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
	s.Next = e.Next // the last phase's next action is not this one's
	keep(&s.Output, e.Output)
	keep(&s.Input, e.Input)
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
	s.Completed = slices.Clone(s.Completed)
	if i := slices.IndexFunc(s.Completed, func(c CompletedPhase) bool { return c.Phase == e.Phase }); i >= 0 {
		s.Completed[i] = done
	} else {
		s.Completed = append(s.Completed, done)
	}
	keep(&s.Next, e.Next)
	s.Seq = at.Seq
	return s
}

func (s PhaseState) planned(e events.PhasePlanned, at At) PhaseState {
	if s.Active() {
		s.Next, s.Seq = e.Next, at.Seq
	}
	return s
}

func (s PhaseState) ended(e events.SkillEnded, at At) PhaseState {
	if s.Active() && e.Of == "" {
		s.Status, s.Seq = e.Status, at.Seq
	}
	return s
}

// continued takes over a skill of an earlier session. That a session goes on with
// its own changes nothing.
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

// ContinuedFrom gives the event with which another session goes on with a skill that
// this one left unfinished, with all of its state.
func (s PhaseState) ContinuedFrom(session string) events.SkillContinued {
	e := events.SkillContinued{
		From: session, Skill: s.Skill, Phase: s.Phase, Name: s.Name, Output: s.Output, Input: s.Input, Next: s.Next, Text: s.Text, File: s.File,
	}
	for _, d := range s.Completed {
		e.Completed = append(e.Completed, events.PhaseDone{Phase: d.Phase, Name: d.Name, Summary: d.Summary})
	}
	return e
}
