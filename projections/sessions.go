package projections

import (
	"slices"
	"time"

	"journal/events"
)

// SessionRef is one session in the list of all.
type SessionRef struct {
	Session   string `json:"session"`
	Project   string `json:"project"`
	Agent     string `json:"agent,omitempty"`
	Source    string `json:"source"`     // of the last start, as in events.SessionStarted
	StartedAt Stamp  `json:"started_at"` // time of the event Seq
	Seq       uint64 `json:"seq"`        // first start, or the link if the link came before it
	Ended     bool   `json:"ended"`
	Reason    string `json:"reason,omitempty"`   // of the end, as in events.SessionEnded
	Gone      bool   `json:"died,omitempty"`     // its process ended, and no hook reported an end
	Headless  bool   `json:"headless,omitempty"` // a program started it, each time
	Link      *Link  `json:"link,omitempty"`     // the session that it continues, nil for none

	PID     int    `json:"-"` // process at the last start, 0 for unknown
	LastSeq uint64 `json:"-"` // last start or end
	LastAt  Stamp  `json:"-"` // time of the last start or end
}

// Link names the session that another one continues, and the evidence for it.
type Link struct {
	Session string `json:"session,omitempty"` // the earlier session, empty if unknown
	How     string `json:"how"`               // clear, fork, predecessor
}

// SessionsState lists every session that started or was linked, oldest first.
type SessionsState struct {
	keyed[sessionKey, SessionRef]
	cleared []ClearedSession // oldest first, at most maxCleared
}

// SessionsOf returns a state from earlier results of All and Cleared.
func SessionsOf(all []SessionRef, cleared []ClearedSession) (l SessionsState) {
	for _, s := range all {
		l.keyed = l.with(s)
	}
	l.cleared = cleared
	return l
}

// Cleared lists the sessions that /clear ended and that no session continues yet. Callers must not modify it.
func (l SessionsState) Cleared() []ClearedSession { return l.cleared }

type sessionKey struct{ project, session string }

func (s SessionRef) key() sessionKey { return sessionKey{s.Project, s.Session} }

// ClearedSession is a session that /clear ended, and the agent's process at the time.
type ClearedSession struct {
	Project, Session string
	PID              int
}

// maxCleared bounds the cleared sessions. The session that continues one starts within a second, so few wait at a time.
const maxCleared = 64

// Sessions records the sessions of all projects and how they continue each other. /clear ends one session and starts another in
// the same process of the agent; only the process links the two (S3.8, ADR-0020). The parent of a fork is found in its transcript.
var Sessions = Declare("sessions", 6, User, "the sessions of all projects and how they continue each other",
	On(SessionsState.started),
	On(SessionsState.ended),
	On(SessionsState.linked),
	On(SessionsState.gone),
	AllSessions,
)

// SessionBounds lists the types of events that begin or end a session. Projections that read them in a whole project declare
// OpenedInProject for them, because a log of a year has thousands.
var SessionBounds = []events.Type{events.TypeOf[events.SessionStarted](), events.TypeOf[events.SessionEnded](), events.TypeOf[events.SessionGone]()}

func keyOf(m events.Meta) sessionKey { return sessionKey{m.Project, m.Session} }

// Of returns a session, if it is in the list.
func (l SessionsState) Of(project, session string) (SessionRef, bool) {
	s, _, ok := l.find(sessionKey{project, session})
	return s, ok
}

// Chain returns the main lanes of the sessions that t continues, oldest first, and t itself at the end. It stops at a link
// without a session.
func (l SessionsState) Chain(t Target) []Target {
	targets := []Target{t}
	for ref, ok := l.Of(t.Project, t.Session); ok && ref.Link != nil && ref.Link.Session != ""; {
		before := Target{Project: t.Project, Session: ref.Link.Session}
		if slices.ContainsFunc(targets, func(seen Target) bool { return seen.Session == before.Session }) {
			break // a cycle
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
	s, i, ok := l.find(keyOf(at.Meta))
	if !ok {
		s = newSession(at, l.linkOf(e, at))
	}
	firstStart := s.LastSeq == 0
	s.Headless = e.Headless && (s.Headless || firstStart)
	s.Source, s.PID, s.LastSeq, s.LastAt = e.Source, at.PID, at.Seq, Stamp(at.At)
	s.Ended, s.Reason, s.Gone = false, "", false
	if ok {
		l.keyed = l.set(i, s)
	} else {
		l.keyed = l.with(s)
	}
	return l.dropCleared(at)
}

// newSession returns a session whose first event is at. link is nil for none.
func newSession(at At, link *Link) SessionRef {
	return SessionRef{Session: at.Session, Project: at.Project, Agent: at.Agent, StartedAt: Stamp(at.At), Seq: at.Seq, Link: link}
}

// linkOf returns the link of a new session, nil for none. After /clear it links the session that the same process just ended.
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

// dropCleared drops the cleared sessions that no later session can continue: the event's session, and the sessions of the event's
// process.
func (l SessionsState) dropCleared(at At) SessionsState {
	l.cleared = slices.DeleteFunc(slices.Clone(l.cleared), func(c ClearedSession) bool {
		return c.Project == at.Project && (c.PID == at.PID || c.Session == at.Session)
	})
	return l
}

func (l SessionsState) ended(e events.SessionEnded, at At) SessionsState {
	s, i, ok := l.find(keyOf(at.Meta))
	if !ok || at.Lane != "" || resumedElsewhere(s.PID, at) {
		return l
	}
	s.Ended, s.Reason, s.LastSeq, s.LastAt = true, e.Reason, at.Seq, Stamp(at.At)
	l.keyed = l.set(i, s)
	at.PID = s.PID // the end may be without a process
	l = l.dropCleared(at)
	if s.PID != 0 && s.Reason == "clear" {
		l.cleared = grown(l.cleared, ClearedSession{s.Project, s.Session, s.PID}, maxCleared)
	}
	return l
}

// resumedElsewhere reports whether an end is that of an earlier process of a session: the person resumed the session in another
// terminal. pid is the process of the session's newest start. 0 is an unknown process.
func resumedElsewhere(pid int, end At) bool { return pid != 0 && end.PID != 0 && pid != end.PID }

// gone records that the session's process ended, unless the session has ended or has another process since.
func (l SessionsState) gone(e events.SessionGone, at At) SessionsState {
	s, i, ok := l.find(keyOf(at.Meta))
	if !ok || at.Lane != "" || s.Ended || s.PID != e.PID {
		return l
	}
	s.Gone = true
	l.keyed = l.set(i, s)
	return l
}

// linked applies a link from a transcript, unless it names the session itself or the earlier session is known already.
func (l SessionsState) linked(e events.SessionLinked, at At) SessionsState {
	s, i, ok := l.find(keyOf(at.Meta))
	link := &Link{Session: e.Session, How: e.How}
	switch {
	case at.Lane != "" || e.Session == at.Session:
	case !ok:
		l.keyed = l.with(newSession(at, link))
	case s.Link == nil || s.Link.Session == "":
		s.Link = link
		l.keyed = l.set(i, s)
	}
	return l
}

// Equal reports whether two states are equal; tests compare with it.
func (l SessionsState) Equal(m SessionsState) bool {
	return l.List.Equal(m.List) && slices.Equal(l.cleared, m.cleared)
}

// SessionState describes one session as a whole.
type SessionState struct {
	Agent      string   `json:"agent,omitempty"`  // the agent whose hooks or transcript reported it
	Root       string   `json:"root,omitempty"`   // directory of the project
	Source     string   `json:"source,omitempty"` // of the last start: startup, resume, clear, fork
	Model      string   `json:"model,omitempty"`
	Client     string   `json:"client,omitempty"`      // version of the agent, from samples of the usage
	Transcript string   `json:"transcript,omitempty"`  // its path
	PID        int      `json:"pid,omitempty"`         // the agent's process at the last start
	Starts     int      `json:"starts,omitempty"`      // number of starts
	StartedAt  Stamp    `json:"started_at,omitempty"`  // of the first start
	StartedSeq uint64   `json:"started_seq,omitempty"` // the first start
	Headless   bool     `json:"headless,omitempty"`    // a program started it, each time
	Prompts    int      `json:"prompts,omitempty"`     // number of prompts of a person in the main lane
	Turns      int      `json:"turns,omitempty"`       // number of ended turns of the main lane
	Subagents  []string `json:"subagents,omitempty"`   // their lanes, oldest first
	Ended      bool     `json:"ended,omitempty"`
	Reason     string   `json:"reason,omitempty"` // of the end, as in events.SessionEnded
	EndedSeq   uint64   `json:"-"`                // the end, 0 if the session has not ended, or has started again since
	Title      string   `json:"title,omitempty"`  // the newest that the person chose, else the client's newest
	Named      bool     `json:"named,omitempty"`  // the person chose the title
}

// Ghost reports whether nothing but a resumption is known of the session. Clients up to 2.0 report the resumption of a session
// under a new session id, and then continue the old session (docs/CLIENTS.md §11).
func (s SessionState) Ghost() bool {
	return s.Source == "resume" && s.Starts == 1 && s.Prompts == 0 && s.Turns == 0
}

// IdleAfter is the time since the last event after which a session or a running port counts as idle (S0.10).
const IdleAfter = 24 * time.Hour

// ShownEnded reports whether lists show a session as ended: it ended, or it was imported and is idle. The end of an imported
// session is never reported.
func ShownEnded(ended, imported bool, idle time.Duration) bool {
	return ended || imported && idle > IdleAfter
}

// SessionInfo describes the session as a whole.
var SessionInfo = Declare("session", 6, Session, "how the session began, continued and ended",
	On(SessionState.started),
	On(SessionState.ended),
	On(SessionState.prompted),
	On(SessionState.answered),
	On(SessionState.subagentBegan),
	On(SessionState.restarted),
	On(SessionState.sampled),
	On(SessionState.titled),
)

func (s SessionState) titled(e events.SessionTitled, _ At) SessionState {
	if e.Person || !s.Named {
		s.Title, s.Named = e.Title, e.Person
	}
	return s
}

func (s SessionState) started(e events.SessionStarted, at At) SessionState {
	if at.Lane != "" {
		return s
	}
	s.Agent, s.Source, s.PID = at.Agent, e.Source, at.PID
	setNonEmpty(&s.Root, e.Root)
	setNonEmpty(&s.Model, e.Model)
	setNonEmpty(&s.Transcript, e.Transcript)
	if s.Starts == 0 {
		s.StartedAt, s.StartedSeq, s.Headless = Stamp(at.At), at.Seq, e.Headless
	}
	s.Headless = s.Headless && e.Headless
	s.Starts++
	s.Ended, s.Reason, s.EndedSeq = false, "", 0
	return s
}

func (s SessionState) ended(e events.SessionEnded, at At) SessionState {
	if at.Lane == "" && !resumedElsewhere(s.PID, at) {
		s.Ended, s.Reason, s.EndedSeq = true, e.Reason, at.Seq
		setNonEmpty(&s.Agent, at.Agent)
	}
	return s
}

func (s SessionState) prompted(e events.PromptSubmitted, at At) SessionState {
	if !e.Machine && at.Lane == "" {
		s.Prompts++
	}
	setNonEmpty(&s.Agent, at.Agent)
	return s
}

func (s SessionState) answered(_ events.TurnEnded, at At) SessionState {
	if at.Lane == "" {
		s.Turns++
		setNonEmpty(&s.Agent, at.Agent)
	}
	return s
}

func (s SessionState) restarted(e events.ContextRestarted, at At) SessionState {
	if at.Lane == "" {
		setNonEmpty(&s.Model, e.Model)
		setNonEmpty(&s.Agent, at.Agent)
	}
	return s
}

func (s SessionState) sampled(e events.UsageSampled, at At) SessionState {
	setNonEmpty(&s.Client, e.Client)
	setNonEmpty(&s.Agent, at.Agent)
	return s
}

func (s SessionState) subagentBegan(_ events.SubagentStarted, at At) SessionState {
	if at.Lane == "" || slices.Contains(s.Subagents, at.Lane) {
		return s
	}
	s.Subagents = append(s.Subagents[:len(s.Subagents):len(s.Subagents)], at.Lane)
	return s
}

// setNonEmpty sets a field to a new value unless that is empty: later hooks may omit what earlier ones reported.
func setNonEmpty(to *string, from string) {
	if from != "" {
		*to = from
	}
}
