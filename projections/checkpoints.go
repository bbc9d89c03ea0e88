package projections

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
)

// maxCheckpoints bounds the checkpoints of a state; it keeps the newest.
const maxCheckpoints = 100

// CheckpointState is one checkpoint: a point of the log that can be replayed.
type CheckpointState struct {
	ID      string `json:"id"`      // cp- and eight characters, derived from session and sequence
	Trigger string `json:"trigger"` // auto_80, auto_90, compact, manual
	Summary string `json:"summary,omitempty"`
	// Derived is set if nobody wrote the summary: it is then the last paragraph of the agent's last answer, or else the last request.
	Derived   bool     `json:"derived,omitempty"`
	KeyPoints []string `json:"key_points,omitempty"`   // decisions that held then, newest first
	Files     []string `json:"active_files,omitempty"` // the last written files, newest first
	Percent   int      `json:"percent,omitempty"`      // usage of the context, 0 for unknown
	Tokens    int64    `json:"tokens,omitempty"`       // size of the context, 0 for unknown
	Window    int64    `json:"window,omitempty"`       // size of the model's window in tokens, 0 for unknown
	Seq       uint64   `json:"seq"`
	At        Stamp    `json:"at"`
}

// CheckpointsState lists the checkpoints of a lane, oldest first.
type CheckpointsState struct {
	List []CheckpointState
	Rule CheckpointRule // decides when the next automatic checkpoint is due
	Work Situation      // the content of the next checkpoint
}

// MarshalJSON encodes the list alone.
func (s CheckpointsState) MarshalJSON() ([]byte, error) { return marshalList(s.List) }

// Newest returns the newest checkpoint, if there is one.
func (s CheckpointsState) Newest() (CheckpointState, bool) {
	if len(s.List) == 0 {
		return CheckpointState{}, false
	}
	return s.List[len(s.List)-1], true
}

// Checkpoints lists the automatic checkpoints, at 80 and 90 percent of the context and before each compaction, and the
// checkpoints that were made on purpose. A replay up to a checkpoint's sequence computes the states at that time.
var Checkpoints = Declare("checkpoints", 2, Lane, "points to go back to: at 80 and 90 percent, before compactions, on purpose",
	On(func(s CheckpointsState, e events.CheckpointRecorded, at At) CheckpointsState {
		return s.add("manual", e.Summary, at)
	}),
	On(func(s CheckpointsState, e events.UsageSampled, at At) CheckpointsState {
		trigger := s.Rule.sampled(e, at)
		return s.add(trigger, "", at)
	}),
	On(func(s CheckpointsState, _ events.CompactionIntended, at At) CheckpointsState {
		trigger := s.Rule.due("compact", at)
		return s.add(trigger, "", at)
	}),
	On(func(s CheckpointsState, _ events.ContextRestarted, _ At) CheckpointsState {
		s.Rule.Percent, s.Rule.Tokens = 0, 0
		return s
	}),
	On(func(s CheckpointsState, e events.PromptSubmitted, _ At) CheckpointsState {
		if !e.Machine {
			s.Work.Asked = brief(text.Linked(e.Text))
		}
		return s
	}),
	On(func(s CheckpointsState, e events.TurnEnded, _ At) CheckpointsState {
		answer := strings.TrimSpace(e.Text)
		s.Work.Said = brief(answer[strings.LastIndex(answer, "\n\n")+1:]) // the last paragraph, which often has the state of the work
		return s
	}),
	On(part((*CheckpointsState).work, Situation.wrote)),
	On(part((*CheckpointsState).work, Situation.moved)),
	OnIn(Project, func(s CheckpointsState, e events.DecisionRecorded, at At) CheckpointsState {
		s.Work = s.Work.withoutDecision(e.Replaces).decided(e.Text, at)
		return s
	}),
	OnIn(Project, func(s CheckpointsState, e events.QuestionAnswered, at At) CheckpointsState {
		s.Work = s.Work.decided(strings.TrimSpace(e.Question+" "+e.Answer), at)
		return s
	}),
	OnIn(Project, func(s CheckpointsState, e events.DecisionRetracted, _ At) CheckpointsState {
		s.Work = s.Work.withoutDecision(e.Decision)
		return s
	}),
)

func (s *CheckpointsState) work() *Situation { return &s.Work }

// add adds a checkpoint, unless trigger is empty. An empty summary is derived.
func (s CheckpointsState) add(trigger, summary string, at At) CheckpointsState {
	if trigger == "" {
		return s
	}
	c := CheckpointState{
		ID: checkpointID(at), Trigger: trigger, Summary: summary, KeyPoints: s.Work.keyPoints(), Files: s.Work.Files,
		Percent: s.Rule.Percent, Tokens: s.Rule.Tokens, Window: s.Rule.Window, Seq: at.Seq, At: Stamp(at.At),
	}
	if c.Summary == "" {
		c.Summary = cmp.Or(s.Work.Said, s.Work.Asked)
		c.Derived = c.Summary != ""
	}
	s.List = grown(s.List, c, maxCheckpoints)
	return s
}

// checkpointID returns the id of a checkpoint that an event makes.
func checkpointID(at At) string {
	sum := sha256.Sum256([]byte(at.Session + "/" + strconv.FormatUint(at.Seq, 10)))
	return "cp-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// cooldown is the least time between two automatic checkpoints of one trigger, by the reporters' clocks (S0.9).
const cooldown = 5 * time.Minute

// checkpointLevels are the percentages at which a checkpoint is made, ascending (S0.9).
var checkpointLevels = []int{80, 90}

// CheckpointRule decides when to make automatic checkpoints, from the samples of the context's usage.
type CheckpointRule struct {
	Percent        int   // of the newest sample
	Tokens, Window int64 // of the newest sample
	ReportedWindow int64 // the window that the client reported last, 0 for none

	Made []MadeCheckpoint // the newest automatic checkpoint of each trigger
}

// MadeCheckpoint is the time of the newest automatic checkpoint of a trigger.
type MadeCheckpoint struct {
	Trigger string
	At      int64 // ns since 1970 UTC
}

// sampled adds a sample, and returns the trigger of the checkpoint that is due at it, empty for none.
func (r *CheckpointRule) sampled(e events.UsageSampled, at At) string {
	percent, window, ok := usage(e, cmp.Or(r.ReportedWindow, at.Config.Windows.size(e.Model)))
	if !ok {
		return ""
	}
	before := r.Percent
	r.Percent, r.Tokens, r.Window, r.ReportedWindow = percent, e.Tokens, window, cmp.Or(e.Window, r.ReportedWindow)
	for _, level := range slices.Backward(checkpointLevels) {
		if before < level && percent >= level {
			return r.due("auto_"+strconv.Itoa(level), at)
		}
	}
	return ""
}

// due returns trigger, and records that a checkpoint is made for it now. Within the trigger's cooldown it returns "".
func (r *CheckpointRule) due(trigger string, at At) string {
	sameTrigger := func(m MadeCheckpoint) bool { return m.Trigger == trigger }
	if made, ok := firstMatch(r.Made, sameTrigger); ok {
		if age := time.Duration(at.At - made.At); age >= 0 && age < cooldown {
			return ""
		}
	}
	r.Made = append(slices.DeleteFunc(slices.Clone(r.Made), sameTrigger), MadeCheckpoint{trigger, at.At})
	return trigger
}

// Bounds of the situation in a checkpoint (S0.9).
const (
	maxBrief      = 300 // UTF-16 units of a text
	maxActive     = 10  // files
	maxPoints     = 5   // decisions in a checkpoint
	keptDecisions = 20  // decisions of a Situation: more than maxPoints, because some may be retracted
)

// Situation describes a lane's work, for the next checkpoint.
type Situation struct {
	Asked, Said string     // the last request, and the last paragraph of the agent's last answer, both as brief returns them
	Files       []string   // the last written files, newest first
	Decided     []KeyPoint // decisions of the project that hold, oldest first
}

// KeyPoint is a decision that checkpoints name among their key points.
type KeyPoint struct {
	Text string
	Seq  uint64
}

// brief returns the beginning of a text on one line, at most maxBrief units.
func brief(s string) string {
	const enough = 4 * maxBrief // units before Line removes white space; a prompt can have megabytes
	return text.CutUnits(text.Line(text.CutUnits(s, enough)), maxBrief)
}

func (s Situation) wrote(e events.FileWritten, _ At) Situation {
	files := append([]string{e.Path}, slices.DeleteFunc(slices.Clone(s.Files), func(f string) bool { return f == e.Path })...)
	s.Files = files[:min(len(files), maxActive)]
	return s
}

func (s Situation) moved(e events.FileMoved, _ At) Situation {
	var files []string
	for _, f := range s.Files {
		if to, _ := renamed(f, e); !slices.Contains(files, to) {
			files = append(files, to)
		}
	}
	s.Files = files
	return s
}

// decided adds a decision, unless a known one has the same words.
func (s Situation) decided(decision string, at At) Situation {
	p := KeyPoint{brief(decision), at.Seq}
	if slices.ContainsFunc(s.Decided, func(o KeyPoint) bool { return o.Text == p.Text }) {
		return s
	}
	s.Decided = grown(s.Decided, p, keptDecisions)
	return s
}

// withoutDecision removes the decision of an event, if there is one.
func (s Situation) withoutDecision(seq uint64) Situation {
	s.Decided = slices.DeleteFunc(slices.Clone(s.Decided), func(p KeyPoint) bool { return p.Seq == seq })
	return s
}

// keyPoints returns the newest decisions, newest first, at most maxPoints.
func (s Situation) keyPoints() []string {
	var points []string
	for _, p := range slices.Backward(lastOf(s.Decided, maxPoints)) {
		points = append(points, p.Text)
	}
	return points
}
