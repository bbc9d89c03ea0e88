package projections

import (
	"cmp"
	"fmt"
	"strings"

	"journal/events"
)

// SaidState is the agent's last text since the newest prompt of a person. The fields from Calls to Searches are as in
// events.MomentRecorded.
type SaidState struct {
	Text            string   `json:"text,omitempty"`
	Seq             uint64   `json:"seq,omitempty"`
	Calls           int      `json:"calls,omitempty"`
	Thought         string   `json:"thought,omitempty"`
	ThoughtCalls    int      `json:"thought_calls,omitempty"`
	Result          string   `json:"result,omitempty"`
	ResultOf        string   `json:"result_of,omitempty"`
	Findings        []string `json:"findings,omitempty"`
	FindingCalls    []int    `json:"finding_calls,omitempty"`
	SpokenFindings  []int    `json:"spoken_findings,omitempty"`
	Acted           int      `json:"acted,omitempty"`
	EarlierFindings []string `json:"earlier_findings,omitempty"`
	EarlierActed    int      `json:"earlier_acted,omitempty"`

	Searches []events.SearchResult `json:"searches,omitempty"`
	// Ended is the last text of the newest ended turn. Before is the last text of the turn before the newest prompt: a transcript
	// that is read too early still ends with that text.
	Ended, Before string `json:"-"`
}

// Said records the agent's last text since the newest prompt: in the running turn, or at its end.
var Said = Declare("said", 11, Lane, "what the agent said last since the newest prompt",
	On(func(s SaidState, e events.PromptSubmitted, _ At) SaidState {
		if e.Machine || e.Text == "" {
			return s
		}
		return SaidState{Before: s.Ended, Ended: s.Ended}
	}),
	On(func(s SaidState, e events.MomentRecorded, at At) SaidState {
		if e.Said == s.Before && e.Said != "" {
			return s
		}
		s.Text, s.Seq, s.Calls = e.Said, at.Seq, e.Calls
		s.Findings, s.FindingCalls, s.SpokenFindings, s.Acted = e.Findings, e.FindingCalls, e.SpokenFindings, e.Acted
		s.EarlierFindings, s.EarlierActed, s.Searches = e.EarlierFindings, e.EarlierActed, e.Searches
		s.Thought, s.ThoughtCalls, s.Result, s.ResultOf = e.Thought, e.ThoughtCalls, e.Result, e.ResultOf
		return s
	}),
	On(func(s SaidState, e events.TurnInterrupted, _ At) SaidState {
		s.Ended = cmp.Or(e.Said, s.Ended)
		return s
	}),
	On(func(s SaidState, e events.TurnEnded, at At) SaidState { return s.finished(e.Text, at) }),
	On(func(s SaidState, e events.SubagentEnded, at At) SaidState { return s.finished(e.Text, at) }),
)

// IsResultOf reports whether Result is that of a search. The Call of a long search is only its beginning, and ends with "…".
func (s SaidState) IsResultOf(search events.SearchResult) bool {
	if begin, cut := strings.CutSuffix(search.Call, "…"); cut {
		return strings.HasPrefix(s.ResultOf, begin)
	}
	return s.ResultOf == search.Call
}

// finished records the last text of a turn, unless the text is empty. Of a moment it keeps only the findings of the turn.
func (s SaidState) finished(text string, at At) SaidState {
	if text != "" {
		s = SaidState{Text: text, Seq: at.Seq, Findings: s.Findings, SpokenFindings: s.SpokenFindings, Acted: s.Acted, Ended: text, Before: s.Before}
	}
	return s
}

// The outcomes of a call.
const (
	CallWorked  = "ok"
	CallFailed  = "failed"
	CallRefused = "refused"
	CallRunning = "running" // in the background
	CallBegun   = "begun"   // unfinished when the context was compacted
)

// CallState is the newest tool call of the running turn.
type CallState struct {
	Tool    string `json:"tool,omitempty"`    // empty for a command and for a CallBegun
	Target  string `json:"target,omitempty"`  // the command, the file, the query, or the subagent's purpose
	Outcome string `json:"outcome,omitempty"` // one of the constants above; empty for no call
	Error   string `json:"error,omitempty"`   // of a refused call: the person's reason
	Seq     uint64 `json:"seq,omitempty"`
	// Parallel lists the other unfinished calls of a CallBegun, newest first.
	Parallel []string `json:"parallel,omitempty"`
	// Noted is set if, since this call, the agent changed its own lists or called journal.
	Noted bool `json:"noted,omitempty"`
}

// noted records a call that changes one of the agent's lists, or calls journal.
func (s CallState) noted() CallState {
	s.Noted = true
	return s
}

// LastCall records the newest tool call since the request of the turn, and how it ended. Calls that change the agent's own
// lists, and calls of journal, are not recorded: the work does not continue from them.
var LastCall = Declare("last-call", 10, Lane, "the newest tool call of the turn and how it ended",
	On(func(s CallState, e events.PromptSubmitted, _ At) CallState {
		if e.Machine || e.DuringTurn || e.Text == "" {
			return s
		}
		return CallState{}
	}),
	On(func(CallState, events.TurnEnded, At) CallState { return CallState{} }),
	On(func(s CallState, _ events.TodosWritten, _ At) CallState { return s.noted() }),
	On(func(s CallState, _ events.TaskChanged, _ At) CallState { return s.noted() }),
	On(func(s CallState, _ events.DecisionRecorded, _ At) CallState { return s.noted() }),
	On(func(s CallState, _ events.CheckpointRecorded, _ At) CallState { return s.noted() }),
	On(func(s CallState, _ events.PhaseEntered, _ At) CallState { return s.noted() }),
	On(func(s CallState, _ events.PhaseCompleted, _ At) CallState { return s.noted() }),
	On(func(s CallState, _ events.SkillEnded, _ At) CallState { return s.noted() }),
	On(func(s CallState, _ events.PortTicked, _ At) CallState { return s.noted() }),
	On(func(CallState, events.PlanApproved, At) CallState { return CallState{Noted: true} }),
	On(func(s CallState, e events.MomentRecorded, at At) CallState {
		switch {
		case e.Call != "":
			return CallState{Target: e.Call, Outcome: CallBegun, Seq: at.Seq, Parallel: e.Parallel}
		case s.Outcome == CallRefused && e.Result != "": // the refusal was reported after a later call
			return CallState{Target: e.ResultOf, Outcome: CallWorked, Seq: at.Seq}
		}
		return s
	}),
	On(func(s CallState, e events.CommandRan, at At) CallState {
		if e.Person {
			return s
		}
		c := CallState{Target: e.Command, Outcome: outcome(e.Failed || e.Mark != ""), Error: cmp.Or(e.Error, e.Mark), Seq: at.Seq}
		if e.Background != "" {
			c.Outcome, c.Error = CallRunning, ""
		}
		return c
	}),
	On(func(s CallState, e events.FileWritten, at At) CallState {
		return CallState{Tool: cmp.Or(e.Tool, e.Op), Target: e.Path, Outcome: CallWorked, Seq: at.Seq}
	}),
	On(func(s CallState, e events.FileRead, at At) CallState {
		c := CallState{Tool: "Read", Target: e.Path, Outcome: CallWorked, Seq: at.Seq}
		if e.From > 0 {
			c.Target += fmt.Sprintf(":%d-%d", e.From, e.To)
		}
		return c
	}),
	On(func(_ CallState, e events.SubagentTasked, at At) CallState {
		c := CallState{Tool: "Agent", Target: purpose(e), Outcome: CallWorked, Seq: at.Seq}
		if e.Background {
			c.Outcome = CallRunning
		}
		return c
	}),
	On(func(s CallState, e events.ToolUsed, at At) CallState {
		if e.Aborted {
			return s
		}
		c := CallState{Tool: e.Tool, Target: e.Query, Outcome: outcome(e.Failed), Error: e.Error, Seq: at.Seq}
		if len(e.Paths) > 0 && c.Target == "" {
			c.Target = e.Paths[0]
		}
		if c.Target == "" && c.Outcome == CallWorked && runsCommands(e.Tool) {
			return s // a command that is not recorded is a call of journal
		}
		return c
	}),
	On(func(s CallState, e events.ToolRefused, at At) CallState {
		return CallState{Tool: e.Tool, Target: e.Target, Outcome: CallRefused, Error: e.Words, Seq: at.Seq}
	}),
)

// runsCommands reports whether a tool runs shell commands.
func runsCommands(tool string) bool {
	tool = strings.ToLower(tool)
	return strings.Contains(tool, "bash") || strings.Contains(tool, "shell")
}

// outcome returns CallFailed or CallWorked.
func outcome(failed bool) string {
	if failed {
		return CallFailed
	}
	return CallWorked
}
