package projections

import (
	"slices"

	"journal/events"
)

// SessionRef is one session among all.
type SessionRef struct {
	Session   string `json:"session"`
	Project   string `json:"project"`
	Agent     string `json:"agent,omitempty"`
	Source    string `json:"source"` // of its last start
	StartedAt Stamp  `json:"started_at"`
	Seq       uint64 `json:"seq"` // of its first start, or of its link when that was known before
	Ended     bool   `json:"ended"`
	Reason    string `json:"reason,omitempty"`
	Gone      bool   `json:"gone,omitempty"` // its process is, and nothing told an end
	Link      *Link  `json:"link,omitempty"`

	PID     int    `json:"-"`
	LastSeq uint64 `json:"-"` // of its last start or end
	LastAt  Stamp  `json:"-"` // of that
}

// Link says which session another one goes on from, and how that is known.
type Link struct {
	Session string `json:"session,omitempty"` // empty when it is not known
	How     string `json:"how"`               // clear, fork, predecessor
}

// SessionsState lists every session that started, oldest first.
type SessionsState struct {
	keyed[sessionKey, SessionRef]
	// cleared are the sessions that /clear ended and whose process has started
	// none since, oldest first, at most maxCleared.
	cleared []Cleared
}

// SessionsOf gives the state of so many sessions, oldest first, and of those that were cleared:
// what All and Cleared told of an earlier one.
func SessionsOf(all []SessionRef, cleared []Cleared) (l SessionsState) {
	for _, s := range all {
		l.keyed = l.with(s)
	}
	l.cleared = cleared
	return l
}

// Cleared lists the sessions that /clear ended and that none goes on from yet. It is not to be written to.
func (l SessionsState) Cleared() []Cleared { return l.cleared }

type sessionKey struct{ project, session string }

func (s SessionRef) key() sessionKey { return sessionKey{s.Project, s.Session} }

// Cleared is a session that /clear ended, and the agent's process then.
type Cleared struct {
	Project, Session string
	PID              int
}

// maxCleared bounds the processes that are between two sessions. The start
// follows the end within a second.
const maxCleared = 64

// Sessions tells the sessions of all projects and how they go on from each
// other. /clear ends one session and starts another in the same process of the
// agent; nothing else names the first one (S3.8, ADR-0020). A fork names no
// parent; its transcript does.
var Sessions = Declare("sessions", 3, User, "the sessions of all projects and how they go on from each other",
	On(SessionsState.started),
	On(SessionsState.ended),
	On(SessionsState.linked),
	On(SessionsState.gone),
	Apart,
)

func keyOf(m events.Meta) sessionKey { return sessionKey{m.Project, m.Session} }

// Of gives one session.
func (l SessionsState) Of(project, session string) (SessionRef, bool) {
	s, _, ok := l.of(sessionKey{project, session})
	return s, ok
}

// Chain gives the sessions that one goes on from, oldest first, and itself. A link that is not
// known ends it. The earlier ones are main threads: no subagent outlives its session.
func (l SessionsState) Chain(t Target) []Target {
	targets := []Target{t}
	for ref, ok := l.Of(t.Project, t.Session); ok && ref.Link != nil && ref.Link.Session != ""; {
		before := Target{Project: t.Project, Session: ref.Link.Session}
		if slices.ContainsFunc(targets, func(seen Target) bool { return seen.Session == before.Session }) {
			break // ids that come again
		}
		targets = append(targets, before)
		ref, ok = l.Of(before.Project, before.Session)
	}
	slices.Reverse(targets)
	return targets
}

func (l SessionsState) started(e events.SessionStarted, at At) SessionsState {
	if at.Lane != "" {
		return l
	}
	s, i, ok := l.of(keyOf(at.Meta))
	if !ok {
		s = SessionRef{
			Session: at.Session, Project: at.Project, Agent: at.Agent, StartedAt: Stamp(at.At), Seq: at.Seq,
			Link: l.linkOf(e, at),
		}
	}
	s.Source, s.PID, s.LastSeq, s.LastAt = e.Source, at.PID, at.Seq, Stamp(at.At)
	s.Ended, s.Reason, s.Gone = false, "", false
	if ok {
		l.keyed = l.set(i, s)
	} else {
		l.keyed = l.with(s)
	}
	return l.goesOn(at)
}

// linkOf finds the session that one goes on from: the one that the same process
// ended for it just before.
func (l SessionsState) linkOf(e events.SessionStarted, at At) *Link {
	switch e.Source {
	case "fork":
		return &Link{How: "fork"}
	case "clear":
	default:
		return nil
	}
	link := &Link{How: "clear"}
	for _, c := range l.cleared {
		if c.PID == at.PID && c.Project == at.Project {
			link.Session = c.Session
		}
	}
	return link
}

// goesOn drops cleared sessions that need no link any more: one that is at work again, and those that its process
// cleared before.
func (l SessionsState) goesOn(at At) SessionsState {
	stale := func(c Cleared) bool {
		return c.Project == at.Project && (c.PID == at.PID || c.Session == at.Session)
	}
	if slices.ContainsFunc(l.cleared, stale) {
		l.cleared = slices.DeleteFunc(slices.Clone(l.cleared), stale)
	}
	return l
}

func (l SessionsState) ended(e events.SessionEnded, at At) SessionsState {
	s, i, ok := l.of(keyOf(at.Meta))
	if !ok || at.Lane != "" {
		return l
	}
	s.Ended, s.Reason, s.LastSeq, s.LastAt = true, e.Reason, at.Seq, Stamp(at.At)
	l.keyed = l.set(i, s)
	at.PID = s.PID // that of its start: the end may be told by another process
	return l.goesOn(at).clearedBy(s)
}

// gone takes note of a process that is not there any more, unless the session is at
// work in another one since.
func (l SessionsState) gone(e events.SessionGone, at At) SessionsState {
	s, i, ok := l.of(keyOf(at.Meta))
	if !ok || at.Lane != "" || s.Ended || s.PID != e.PID {
		return l
	}
	s.Gone = true
	l.keyed = l.set(i, s)
	return l
}

// clearedBy takes note of a session that ended.
func (l SessionsState) clearedBy(s SessionRef) SessionsState {
	if s.PID != 0 && s.Ended && s.Reason == "clear" {
		l.cleared = append(slices.Clone(l.cleared), Cleared{s.Project, s.Session, s.PID})
		l.cleared = l.cleared[max(0, len(l.cleared)-maxCleared):]
	}
	return l
}

// linked takes what transcripts show; what the hooks told before stands.
func (l SessionsState) linked(e events.SessionLinked, at At) SessionsState {
	s, i, ok := l.of(keyOf(at.Meta))
	link := &Link{Session: e.Session, How: e.How}
	switch {
	case at.Lane != "" || e.Session == at.Session:
	case !ok:
		l.keyed = l.with(SessionRef{
			Session: at.Session, Project: at.Project, Agent: at.Agent, StartedAt: Stamp(at.At), Seq: at.Seq, Link: link,
		})
	case s.Link == nil || s.Link.Session == "":
		s.Link = link
		l.keyed = l.set(i, s)
	}
	return l
}

// Equal says whether two states are equal; comparisons in tests use it.
func (l SessionsState) Equal(m SessionsState) bool {
	return l.List.Equal(m.List) && slices.Equal(l.cleared, m.cleared)
}

// SessionState is what is known of one session as a whole.
type SessionState struct {
	Agent      string   `json:"agent,omitempty"` // whose hooks or transcript told of it; verbs name none
	Root       string   `json:"root,omitempty"`
	Source     string   `json:"source,omitempty"` // how it began last: startup, resume, clear, fork
	Model      string   `json:"model,omitempty"`
	Client     string   `json:"client,omitempty"` // version of the agent, as samples of the usage tell it
	Transcript string   `json:"transcript,omitempty"`
	PID        int      `json:"pid,omitempty"` // the agent's process, of the last start
	Starts     int      `json:"starts,omitempty"`
	StartedAt  Stamp    `json:"started_at,omitempty"`
	StartedSeq uint64   `json:"started_seq,omitempty"`
	Prompts    int      `json:"prompts,omitempty"` // of a person
	Turns      int      `json:"turns,omitempty"`
	Subagents  []string `json:"subagents,omitempty"` // their lanes, oldest first
	Ended      bool     `json:"ended,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	EndedSeq   uint64   `json:"-"` // of the end that stands, 0 none
}

// Ghost says that nothing is known of the session but a resumption: clients up to 2.0
// name a session there that never is, and go on in the one they resume
// (docs/CLIENTS.md §11).
func (s SessionState) Ghost() bool {
	return s.Source == "resume" && s.Starts == 1 && s.Prompts == 0 && s.Turns == 0
}

// SessionInfo tells what is known of the session as a whole.
var SessionInfo = Declare("session", 3, Session, "how the session began, goes on and ended",
	On(SessionState.started),
	On(SessionState.ended),
	On(SessionState.prompted),
	On(SessionState.answered),
	On(SessionState.subagentBegan),
	On(SessionState.restarted),
	On(SessionState.sampled),
)

func (s SessionState) started(e events.SessionStarted, at At) SessionState {
	if at.Lane != "" {
		return s
	}
	s.Agent, s.Source, s.PID = at.Agent, e.Source, at.PID
	keep(&s.Root, e.Root)
	keep(&s.Model, e.Model)
	keep(&s.Transcript, e.Transcript)
	if s.Starts == 0 {
		s.StartedAt, s.StartedSeq = Stamp(at.At), at.Seq
	}
	s.Starts++
	s.Ended, s.Reason, s.EndedSeq = false, "", 0
	return s
}

func (s SessionState) ended(e events.SessionEnded, at At) SessionState {
	if at.Lane == "" {
		s.Ended, s.Reason, s.EndedSeq = true, e.Reason, at.Seq
		keep(&s.Agent, at.Agent)
	}
	return s
}

func (s SessionState) prompted(e events.PromptSubmitted, at At) SessionState {
	if !e.Machine && at.Lane == "" {
		s.Prompts++
	}
	keep(&s.Agent, at.Agent)
	return s
}

func (s SessionState) answered(_ events.TurnEnded, at At) SessionState {
	if at.Lane == "" {
		s.Turns++
		keep(&s.Agent, at.Agent)
	}
	return s
}

func (s SessionState) restarted(e events.ContextRestarted, at At) SessionState {
	if at.Lane == "" {
		keep(&s.Model, e.Model)
		keep(&s.Agent, at.Agent)
	}
	return s
}

func (s SessionState) sampled(e events.UsageSampled, at At) SessionState {
	keep(&s.Client, e.Client)
	keep(&s.Agent, at.Agent)
	return s
}

func (s SessionState) subagentBegan(_ events.SubagentStarted, at At) SessionState {
	if at.Lane == "" || slices.Contains(s.Subagents, at.Lane) {
		return s
	}
	s.Subagents = append(s.Subagents[:len(s.Subagents):len(s.Subagents)], at.Lane)
	return s
}

// keep takes a new value unless it is empty: later hooks of a session leave out what earlier ones said.
func keep(to *string, from string) {
	if from != "" {
		*to = from
	}
}
