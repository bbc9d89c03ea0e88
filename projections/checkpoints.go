package projections

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/events/text"
)

// maxCheckpoints bounds how many checkpoints a state holds: the newest.
const maxCheckpoints = 100

// CheckpointState is one checkpoint: a point of the log that can be replayed.
type CheckpointState struct {
	ID      string `json:"id"`      // cp- and eight characters, of session and sequence
	Trigger string `json:"trigger"` // auto_80, auto_90, compact, manual
	Summary string `json:"summary,omitempty"`
	// Derived says that nobody wrote the summary: it is what the agent said last, else
	// what it was asked last.
	Derived   bool     `json:"derived,omitempty"`
	KeyPoints []string `json:"key_points,omitempty"`   // decisions that held, the newest first
	Files     []string `json:"active_files,omitempty"` // written last, the newest first
	Percent   int      `json:"percent,omitempty"`      // of the context
	Tokens    int64    `json:"tokens,omitempty"`
	Window    int64    `json:"window,omitempty"`
	Seq       uint64   `json:"seq"`
	At        Stamp    `json:"at"`
}

// CheckpointsState lists the checkpoints of a lane, oldest first.
type CheckpointsState struct {
	List []CheckpointState
	Rule CheckpointRule
	Now  Situation
}

// MarshalJSON gives the list alone.
func (s CheckpointsState) MarshalJSON() ([]byte, error) { return marshalList(s.List) }

// Newest gives the newest checkpoint.
func (s CheckpointsState) Newest() (CheckpointState, bool) {
	if len(s.List) == 0 {
		return CheckpointState{}, false
	}
	return s.List[len(s.List)-1], true
}

// Checkpoints derives the automatic checkpoints, at 80 and 90 percent of the context and before each compaction, and
// lists them with those made on purpose. A replay up to a checkpoint's sequence shows the state at it.
var Checkpoints = Declare("checkpoints", 2, Lane, "points to go back to: at 80 and 90 percent, before compactions, on purpose",
	On(func(s CheckpointsState, e events.CheckpointRecorded, at At) CheckpointsState {
		return s.add("manual", e.Summary, at)
	}),
	On(func(s CheckpointsState, e events.UsageSampled, at At) CheckpointsState {
		rule, trigger := s.Rule.sampled(e, at)
		s.Rule = rule
		return s.add(trigger, "", at)
	}),
	On(func(s CheckpointsState, _ events.CompactionIntended, at At) CheckpointsState {
		rule, trigger := s.Rule.intended(at)
		s.Rule = rule
		return s.add(trigger, "", at)
	}),
	On(func(s CheckpointsState, _ events.ContextRestarted, _ At) CheckpointsState {
		s.Rule = s.Rule.restarted()
		return s
	}),
	On(func(s CheckpointsState, e events.PromptSubmitted, _ At) CheckpointsState {
		if !e.Machine {
			s.Now.Asked = brief(text.Linked(e.Text))
		}
		return s
	}),
	On(func(s CheckpointsState, e events.TurnEnded, _ At) CheckpointsState {
		s.Now.Said = ending(e.Text)
		return s
	}),
	On(func(s CheckpointsState, e events.FileWritten, _ At) CheckpointsState {
		s.Now = s.Now.wrote(e.Path)
		return s
	}),
	On(func(s CheckpointsState, e events.FileMoved, _ At) CheckpointsState {
		s.Now = s.Now.moved(e)
		return s
	}),
	OnIn(Project, func(s CheckpointsState, e events.DecisionRecorded, at At) CheckpointsState {
		s.Now = s.Now.undecided(e.Replaces).decided(e.Text, at)
		return s
	}),
	OnIn(Project, func(s CheckpointsState, e events.QuestionAnswered, at At) CheckpointsState {
		s.Now = s.Now.decided(strings.TrimSpace(e.Question+" "+e.Answer), at)
		return s
	}),
	OnIn(Project, func(s CheckpointsState, e events.DecisionRetracted, _ At) CheckpointsState {
		s.Now = s.Now.undecided(e.Decision)
		return s
	}),
)

// add makes a checkpoint; an empty trigger makes none.
func (s CheckpointsState) add(trigger, summary string, at At) CheckpointsState {
	if trigger == "" {
		return s
	}
	c := CheckpointState{
		ID: checkpointID(at), Trigger: trigger, Summary: summary, KeyPoints: s.Now.keyPoints(), Files: s.Now.Files,
		Percent: s.Rule.Percent, Tokens: s.Rule.Tokens, Window: s.Rule.Window, Seq: at.Seq, At: Stamp(at.At),
	}
	if c.Summary == "" {
		c.Summary = s.Now.summary()
		c.Derived = c.Summary != ""
	}
	from := max(0, len(s.List)+1-maxCheckpoints)
	s.List = append(slices.Clone(s.List[from:]), c)
	return s
}

func checkpointID(at At) string {
	sum := sha256.Sum256([]byte(at.Session + "/" + strconv.FormatUint(at.Seq, 10)))
	return "cp-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}
