package projections

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"journal/events"
)

// SkillState is an unfinished skill of a session.
type SkillState struct {
	Session string     `json:"session"`
	Phase   PhaseState `json:"phase"`
	At      Stamp      `json:"at"`    // time of the last change
	Ended   bool       `json:"ended"` // the session or its process has ended
	// Unrecorded is set if the session is known only from the name of the skill's file: it probably ran before the journal was
	// installed.
	Unrecorded bool `json:"unrecorded,omitempty"`
}

// WithoutSession reports whether the skill's file names no session. Session is then a placeholder that only identifies the skill.
func (s SkillState) WithoutSession() bool {
	return s.Session == events.None || strings.HasPrefix(s.Session, events.None+"-")
}

// SkillsState lists unfinished skills, the last changed ones last.
type SkillsState []SkillState

// maxSkills bounds the unfinished skills, to those that changed last.
const maxSkills = 20

// Skills lists the skills that the sessions of the project have not finished, so that a new session can be offered to continue
// them (S3.3). Each has the state that the projection Phase has in the session's main lane.
var Skills = Declare("skills", 4, Project, "the skills that the project's sessions have not finished",
	On(onSkill(PhaseState.entered)),
	On(onSkill(PhaseState.completed)),
	On(onSkill(PhaseState.planned)),
	On(SkillsState.finished),
	On(SkillsState.continued),
	On(SkillsState.observed),
	On(func(l SkillsState, _ events.SessionStarted, at At) SkillsState { return l.setEnded(at, false) }),
	On(func(l SkillsState, _ events.SessionEnded, at At) SkillsState { return l.setEnded(at, true) }),
	On(func(l SkillsState, _ events.SessionGone, at At) SkillsState { return l.setEnded(at, true) }),
	OpenedInProject[SkillsState]([]events.Type{
		events.TypeOf[events.PhaseEntered](), events.TypeOf[events.PhaseCompleted](), events.TypeOf[events.PhasePlanned](),
		events.TypeOf[events.SkillContinued](), events.TypeOf[events.FileObserved](),
	}, SessionBounds...),
)

// Continuable returns the skills of other sessions that a session may continue at the time now, the last changed skill first
// (S3.8): skills of ended or unrecorded sessions, skills of files that name no session, and skills unchanged for a day.
func (l SkillsState) Continuable(session string, now Stamp) (skills []SkillState) {
	skills = slices.DeleteFunc(slices.Clone(l), func(s SkillState) bool {
		isFree := s.Ended || s.Unrecorded || s.WithoutSession() || now-s.At >= Stamp(day)
		return s.Session == session || !isFree
	})
	slices.Reverse(skills)
	slices.SortStableFunc(skills, func(a, b SkillState) int { return cmp.Compare(b.At, a.At) })
	return skills
}

// Of returns the unfinished skill of a session, if it has one.
func (l SkillsState) Of(session string) (SkillState, bool) {
	return firstMatch(l, func(s SkillState) bool { return s.Session == session })
}

// Stale reports whether nothing has changed for more than three days (S3.8).
func (s SkillState) Stale(now Stamp) bool { return now-s.At > Stamp(3*day) }

const day = 24 * 60 * 60 * 1e9 // ns

// find returns the index of a session's skill, -1 for none.
func (l SkillsState) find(session string) int {
	return slices.IndexFunc(l, func(s SkillState) bool { return s.Session == session })
}

// without returns a copy without the skill of a session.
func (l SkillsState) without(session string) SkillsState {
	return slices.DeleteFunc(slices.Clone(l), func(s SkillState) bool { return s.Session == session })
}

// change applies f to the state of a session's skill, as in a fold of the session's main lane. It moves a changed skill to the
// end, and drops a skill that is no longer active.
func (l SkillsState) change(at At, session string, f func(PhaseState, At) PhaseState) SkillsState {
	at.Target.Session, at.Target.Lane = session, ""
	old, _ := l.Of(session)
	phase := f(old.Phase, at)
	if phase.Seq == old.Phase.Seq && phase.Foreign == old.Phase.Foreign {
		return l
	}
	l = l.without(session)
	if !phase.Active() {
		return l
	}
	s := SkillState{Session: session, Phase: phase, At: old.At, Ended: old.Ended, Unrecorded: old.Unrecorded && at.Session != session}
	if phase.Seq != old.Phase.Seq {
		s.At = Stamp(at.At)
	}
	return lastOf(append(l, s), maxSkills)
}

// onSkill turns a transition of the projection Phase into one that changes the skill of the event's session.
func onSkill[E events.Event](f func(PhaseState, E, At) PhaseState) func(SkillsState, E, At) SkillsState {
	return func(l SkillsState, e E, at At) SkillsState {
		if at.Lane != "" {
			return l
		}
		return l.change(at, at.Session, func(s PhaseState, at At) PhaseState { return f(s, e, at) })
	}
}

// finished ends the skill of the session that the event names, or of the event's own session.
func (l SkillsState) finished(e events.SkillEnded, at At) SkillsState {
	if e.Session != "" {
		session := e.Session
		e.Session = ""
		return l.change(at, session, func(s PhaseState, at At) PhaseState { return s.ended(e, at) })
	}
	return onSkill(PhaseState.ended)(l, e, at)
}

// continued moves a skill from an earlier session to the session that continues it.
func (l SkillsState) continued(e events.SkillContinued, at At) SkillsState {
	if e.From != at.Session && at.Lane == "" {
		l = l.without(e.From)
	}
	return onSkill(PhaseState.continued)(l, e, at)
}

// observed applies a skill's file to every session that it may be about.
func (l SkillsState) observed(e events.FileObserved, at At) SkillsState {
	if e.Kind != events.SkillFile {
		return l
	}
	if e.Changed != 0 {
		at.At = e.Changed // the file may be much older
	}
	sessions := []string{at.Session}
	for _, s := range l {
		sessions = append(sessions, s.Session)
	}
	// A file's name may have the id of a session without a known skill. Any program can name a file, and the agent gets a command
	// with the id. So the id must look like one.
	id, named := strings.CutPrefix(strings.TrimSuffix(path.Base(e.Path), ".md"), ".cpm-progress-")
	named = named && isID(id)
	unrecorded := named && !slices.ContainsFunc(sessions, func(s string) bool { return strings.HasPrefix(s, id) })
	if unrecorded {
		sessions = append(sessions, id)
	}
	slices.Sort(sessions)
	for _, session := range slices.Compact(sessions) {
		l = l.change(at, session, func(s PhaseState, at At) PhaseState { return s.observed(e, at) })
	}
	if i := l.find(id); unrecorded && i >= 0 {
		l[i].Unrecorded = true // change has added the skill to a copy of the list
	}
	if !named {
		l = l.observedOrphan(e, at)
	}
	return slices.DeleteFunc(slices.Clone(l), func(s SkillState) bool {
		isOther := s.Session != at.Session && s.Phase.Foreign && s.Phase.File == e.Path
		return isOther && e.Written // this session wrote the file of another session's skill, and has the skill now
	})
}

// orphanSession returns the placeholder session of a skill whose file names no session: events.None for the plain file name, and
// events.None with a digest for any other name.
func orphanSession(file string) string {
	if path.Base(file) == ".cpm-progress.md" {
		return events.None
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(file)) // never fails
	return fmt.Sprintf("%s-%08x", events.None, h.Sum32())
}

// observedOrphan records a file that names no session: it is listed under orphanSession until a session writes or continues
// it.
func (l SkillsState) observedOrphan(e events.FileObserved, at At) SkillsState {
	session := orphanSession(e.Path)
	if slices.ContainsFunc(l, func(s SkillState) bool { return s.Session != session && s.Phase.File == e.Path }) {
		return l.without(session)
	}
	if e.Written {
		return l // a subagent wrote it
	}
	e.Written, at.Session, at.Lane = true, session, "" // as if the placeholder session had just written it
	return l.change(at, session, func(s PhaseState, at At) PhaseState { return s.observed(e, at) })
}

// isID reports whether a text looks like a session's id, whole or short.
func isID(s string) bool {
	const longest = 64 // bytes; a UUID has 36
	return len(s) >= ShortID && len(s) <= longest && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

// setEnded records whether the event's session has ended, if it has a skill and the event is of its main lane.
func (l SkillsState) setEnded(at At, ended bool) SkillsState {
	i := l.find(at.Session)
	if i < 0 || at.Lane != "" || l[i].Ended == ended && !l[i].Unrecorded {
		return l
	}
	l = slices.Clone(l)
	l[i].Ended, l[i].Unrecorded = ended, false
	return l
}

// MarshalJSON encodes an empty list as a list.
func (l SkillsState) MarshalJSON() ([]byte, error) { return marshalList(l) }

// SkillFiles records whether a skill with a progress file is in use: such a file was observed in the project, or the session
// called a command of the plugin that writes such files. These skills ask for their session's id.
var SkillFiles = Declare("skill-files", 1, Session, "whether skills that keep progress files were seen",
	OnIn(Project, func(seen bool, e events.FileObserved, _ At) bool { return seen || e.Kind == events.SkillFile }),
	On(func(seen bool, e events.PromptSubmitted, _ At) bool {
		return seen || strings.HasPrefix(e.Text, "/cpm:")
	}),
)
