package projections

import (
	"cmp"
	"path"
	"strings"

	"journal/events"
)

// observed takes what a skill's own file says (docs/FILES.md §S3). A file is read in
// the whole project, because any session's hook may be the one that sees it; it
// is about one session only (S3.8). When it is no more the skill has ended
// (S3.4).
func (s PhaseState) observed(e events.FileObserved, at At) PhaseState {
	if e.Kind != events.SkillFile || e.Gap != "" && len(e.Entries) == 0 {
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
	return PhaseState{
		Skill:     cmp.Or(e.Label("Skill"), strings.TrimSuffix(path.Base(e.Path), ".md")),
		Phase:     e.Label("Phase", "Step", "Section", "Current task"),
		Completed: completedIn(e.Entries, at.Seq),
		Output:    e.Label("Output target"),
		Input:     e.Label("Input source"),
		Next:      nextIn(e),
		Status:    "active", Seq: at.Seq, File: e.Path,
	}
}

// isOwn says whether a file tells the state of the lane that is folded. One with
// a session's id in its name is about the main thread of that session; ids are
// also written in their short form of eight characters. One without is about the
// lane whose tool wrote it, until another one's does, and about nobody before.
func (s PhaseState) isOwn(e events.FileObserved, at At) bool {
	id := strings.TrimSuffix(strings.TrimPrefix(path.Base(e.Path), ".cpm-progress"), ".md")
	if id, named := strings.CutPrefix(id, "-"); named {
		session := at.Target.Session
		return at.Target.Lane == "" && (id == session || len(id) >= shortID && strings.HasPrefix(session, id))
	}
	if e.Written {
		return at.Session == at.Target.Session && at.Lane == at.Target.Lane
	}
	// That it is gone can be seen by anybody; what is in it is ours only while
	// nobody else was at work.
	return s.File == e.Path && (e.Gone || at.Session == at.Target.Session && !s.Foreign)
}

// shortID is how long the short form of a session's id is.
const shortID = 8

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
