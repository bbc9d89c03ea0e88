package projections

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"journal/events"
)

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
