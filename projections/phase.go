package projections

import (
	"cmp"
	"path"
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

// observed takes what a skill's own file says (docs/FILES.md §S3). A file is read in
// the whole project, because any session's hook may be the one that sees it; it
// is about one session only (S3.8). When it is no more the skill has ended
// (S3.4). One that says nothing is no skill, and does not end one.
func (s PhaseState) observed(e events.FileObserved, at At) PhaseState {
	if e.Kind != events.SkillFile || !e.Gone && len(e.Labels) == 0 && len(e.Entries) == 0 {
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
	is := PhaseState{
		Skill:     e.Label("Skill"),
		Phase:     e.Label("Phase", "Step", "Section", "Current task"),
		Completed: completedIn(e.Entries, at.Seq),
		Output:    e.Label("Output target"),
		Input:     e.Label("Input source"),
		Next:      nextIn(e),
		Status:    "active", Seq: at.Seq, File: e.Path,
		Text: cmp.Or(e.Text, rebuilt(e)), TextSeq: at.Seq,
	}
	if s.inPart(is, e.Gap) {
		return s.with(is)
	}
	is.Skill = cmp.Or(is.Skill, strings.TrimSuffix(path.Base(e.Path), ".md"))
	return is
}

// inPart says whether a file was seen while it was being written: it has lost its end,
// where the next action stands, or phases that were done.
func (s PhaseState) inPart(is PhaseState, gap string) bool {
	if !s.Active() || s.File != is.File || is.Skill != "" && is.Skill != s.Skill {
		return false
	}
	lost := s.Next != "" || len(is.Completed) < len(s.Completed)
	return gap != "" || is.Next == "" && lost && len(is.Text) < len(s.Text)
}

// with takes over what a file says of which only a part was seen. Nothing that is known
// goes away by it.
func (s PhaseState) with(part PhaseState) PhaseState {
	keep(&s.Phase, part.Phase)
	keep(&s.Output, part.Output)
	keep(&s.Input, part.Input)
	keep(&s.Next, part.Next)
	s.Completed = slices.Clone(s.Completed)
	for _, c := range part.Completed {
		if i := slices.IndexFunc(s.Completed, func(o CompletedPhase) bool { return o.Phase == c.Phase }); i < 0 {
			s.Completed = append(s.Completed, c)
		} else if len(c.Summary) >= len(s.Completed[i].Summary) {
			s.Completed[i] = c
		}
	}
	s.Seq = part.Seq
	return s
}

// rebuilt gives about the text of a file whose event does not hold it, out of what was
// read from it.
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

// isOwn says whether a file tells the state of the lane that is folded. It is about the
// lane whose tool wrote it, whatever id its name carries, until another one's does. One
// that nobody wrote is about the main thread of the session whose id its name carries, and
// about whoever wrote it or took it over before; without either it is about nobody.
func (s PhaseState) isOwn(e events.FileObserved, at At) bool {
	session := at.Target.Session
	named := at.Target.Lane == "" && names(e.Path, session)
	if e.Written {
		return at.Session == session && (named || at.Lane == at.Target.Lane && !names(e.Path, session))
	}
	if s.Foreign && s.File == e.Path {
		named = false
	}
	// That it is gone can be seen by anybody; what is in it is ours only while
	// nobody else was at work.
	return named || s.File == e.Path && (e.Gone || at.Session == session && !s.Foreign)
}

// names says whether the name of a file of workflow state carries the id of a session, whole or
// in its short form.
func names(file, session string) bool {
	id := strings.TrimSuffix(strings.TrimPrefix(path.Base(file), ".cpm-progress"), ".md")
	id, named := strings.CutPrefix(id, "-")
	return named && (id == session || len(id) >= ShortID && strings.HasPrefix(session, id))
}

// ShortID is how long the short form of a session's id is.
const ShortID = 8

// completedIn gives the parts that are done, by their headings.
func completedIn(entries []events.Entry, seq uint64) []CompletedPhase {
	var done []CompletedPhase
	for _, e := range entries {
		what, completed := strings.CutPrefix(e.Heading, "Completed ")
		switch what {
		case "Sections", "Phases", "Steps", "Tasks":
		default:
			completed = false
		}
		if !completed {
			continue
		}
		for _, h := range e.Heads {
			done = append(done, CompletedPhase{Phase: h.Heading, Summary: strings.TrimSpace(h.Text), Seq: seq})
		}
	}
	return done
}

func nextIn(e events.FileObserved) string {
	for _, entry := range e.Entries {
		if strings.EqualFold(entry.Heading, "Next Action") {
			return strings.TrimSpace(entry.Text)
		}
	}
	return e.Label("Next Action", "Next action")
}
