package projections

import (
	"slices"

	"journal/events"
)

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
