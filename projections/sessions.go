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
	Seq       uint64 `json:"seq"` // of its first start
	Ended     bool   `json:"ended"`
	Reason    string `json:"reason,omitempty"`
	Link      *Link  `json:"link,omitempty"`

	PID     int    `json:"-"`
	LastSeq uint64 `json:"-"` // of its last start or end
}

// Link says which session another one goes on from, and how that is known.
type Link struct {
	Session string `json:"session,omitempty"` // empty when it is not known
	How     string `json:"how"`               // clear, fork
}

// SessionsState lists every session that started, oldest first.
type SessionsState []SessionRef

// Sessions tells the sessions of all projects and how they go on from each
// other. /clear ends one session and starts another in the same process of the
// agent; nothing else names the first one (S3.8, DECISIONS 3.6). A fork names no
// parent at all.
var Sessions = Declare("sessions", 1, User, "the sessions of all projects and how they go on from each other",
	On(SessionsState.started),
	On(SessionsState.ended),
)

func (l SessionsState) find(m events.Meta) int {
	return slices.IndexFunc(l, func(s SessionRef) bool { return s.Session == m.Session && s.Project == m.Project })
}

// Of gives one session.
func (l SessionsState) Of(project, session string) (SessionRef, bool) {
	if i := l.find(events.Meta{Project: project, Session: session}); i >= 0 {
		return l[i], true
	}
	return SessionRef{}, false
}

func (l SessionsState) started(e events.SessionStarted, at At) SessionsState {
	if at.Lane != "" {
		return l
	}
	out := slices.Clone(l)
	i := l.find(at.Meta)
	if i < 0 {
		i = len(out)
		out = append(out, SessionRef{
			Session: at.Session, Project: at.Project, Agent: at.Agent, StartedAt: Stamp(at.At), Seq: at.Seq,
			Link: l.linkOf(e, at),
		})
	}
	s := &out[i]
	s.Source, s.PID, s.LastSeq = e.Source, at.PID, at.Seq
	s.Ended, s.Reason = false, ""
	return out
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
	if at.PID == 0 {
		return link
	}
	var last SessionRef
	for _, s := range l {
		if s.PID == at.PID && s.Project == at.Project && s.LastSeq > last.LastSeq {
			last = s
		}
	}
	if last.Ended && last.Reason == "clear" {
		link.Session = last.Session
	}
	return link
}

func (l SessionsState) ended(e events.SessionEnded, at At) SessionsState {
	i := l.find(at.Meta)
	if i < 0 || at.Lane != "" {
		return l
	}
	out := slices.Clone(l)
	out[i].Ended, out[i].Reason, out[i].LastSeq = true, e.Reason, at.Seq
	return out
}

// MarshalJSON gives a list also when there are none.
func (l SessionsState) MarshalJSON() ([]byte, error) { return marshalList(l) }
