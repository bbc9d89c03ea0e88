package projections

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"journal/events"
)

// LastCompactState is the newest compaction of a lane and how many there were.
type LastCompactState struct {
	Count   int    `json:"count"`
	Seq     uint64 `json:"seq"` // its first fact
	At      Stamp  `json:"at"`
	Trigger string `json:"trigger"` // manual, auto; empty when no hook told
	AgentID string `json:"agent_id,omitempty"`
	// CompoundDone says that the newest compound was later than the compaction
	// before this one and than every entry that was not promoted (S1.6).
	CompoundDone bool       `json:"compound_done"`
	Unpromoted   int        `json:"unpromoted"`            // entries of the working notes (S1.5)
	Headings     []string   `json:"headings"`              // of the newest three of those
	Confidence   Confidence `json:"confidence"`            // of the lasting knowledge
	SummarySeq   uint64     `json:"summary_seq,omitempty"` // the event with its summary, 0 none yet
	// Checkpoint is the id of the newest checkpoint when it began (S0.6). PreTokens and
	// PostTokens are what the context held by the last sample before it and the first
	// one after it; 0 unknown.
	Checkpoint string `json:"checkpoint,omitempty"`
	PreTokens  int64  `json:"pre_tokens,omitempty"`
	PostTokens int64  `json:"post_tokens,omitempty"`
	// Imported is the import of a marker that At, Trigger, CompoundDone, Unpromoted, Headings and
	// Confidence are from, 0 for none (S1.15). It is set only while Count is 0: an older tool's
	// report is no compaction.
	Imported uint64 `json:"imported,omitempty"`

	// Since is where it began: the intention that announced it, else its first
	// fact.
	Since uint64 `json:"-"`
	// Facts is what decides whether the next fact belongs to this compaction.
	Facts CompactionFacts `json:"-"`
	// Flow and Stock are the project's notes and knowledge as they are now. The fields above show
	// them as they were at the compaction's first fact (ADR-0009).
	Flow  FlowState  `json:"-"`
	Stock StockState `json:"-"`
	// Newest is the id of the newest checkpoint, made by Rule or on purpose, and Tokens
	// the newest sample.
	Newest string         `json:"-"`
	Rule   CheckpointRule `json:"-"`
	Tokens int64          `json:"-"`
}

// CompactionFacts is what was seen of the newest compaction, and since its
// newest fact.
type CompactionFacts struct {
	Restarted, Completed bool

	Worked   bool // a tool was used since
	Spoken   bool // a prompt or an answer came since
	Intended bool // the agent meant to compact since
	Trigger  string
	At       uint64 // the first such intention, 0 none

	// Noticed is a notification that spoke of the context since, and NoticedAt its own
	// time: weak evidence (S0.1). 0 none.
	Noticed   uint64
	NoticedAt int64
}

// LastCompact tells the newest compaction. However many hooks report one
// compaction, in whatever order, it is one (S0.6, ADR-0009): a fact begins
// a new compaction when work lies before it, or when its kind was seen already
// and something was said or intended since.
var LastCompact = Declare("last-compact", 5, Lane, "the newest compaction, and how many there were",
	On(LastCompactState.intended),
	On(LastCompactState.restarted),
	On(LastCompactState.completed),
	On(LastCompactState.summarised),
	On(LastCompactState.noticed),
	On(func(s LastCompactState, _ events.DeliveryConfirmed, at At) LastCompactState { return s.confirmed(at) }),
	On(LastCompactState.sampled),
	On(func(s LastCompactState, _ events.CheckpointRecorded, at At) LastCompactState {
		return s.checkpoint("manual", at)
	}),
	On(func(s LastCompactState, _ events.ToolStarted, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.ToolUsed, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.CommandRan, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.FileRead, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.FileWritten, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.SubagentTasked, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.QuestionAnswered, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.PlanApproved, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.ToolRefused, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.PromptSubmitted, _ At) LastCompactState { return s.spoken() }),
	On(func(s LastCompactState, _ events.TurnEnded, _ At) LastCompactState { return s.spoken() }),
	OnIn(Project, part((*LastCompactState).flow, FlowState.finished)),
	OnIn(Project, part((*LastCompactState).flow, FlowState.requested)),
	OnIn(Project, part((*LastCompactState).flow, FlowState.noted)),
	OnIn(Project, LastCompactState.observed),
	OnIn(Project, LastCompactState.imported),
)

func (s LastCompactState) intended(e events.CompactionIntended, at At) LastCompactState {
	s.Facts.Intended, s.Facts.Trigger = true, e.Trigger
	if s.Facts.At == 0 {
		s.Facts.At = at.Seq
	}
	rule, trigger := s.Rule.intended(at)
	s.Rule = rule
	return s.checkpoint(trigger, at)
}

// checkpoint takes note of a checkpoint; an empty trigger is none.
func (s LastCompactState) checkpoint(trigger string, at At) LastCompactState {
	if trigger != "" {
		s.Newest = checkpointID(at)
	}
	return s
}

// noticed takes weak evidence, where nothing stronger has just told of a compaction.
func (s LastCompactState) noticed(_ events.CompactionNoticed, at At) LastCompactState {
	f := s.Facts
	if (s.Count == 0 || f.Worked || f.Spoken || f.Intended) && f.Noticed == 0 {
		s.Facts.Noticed, s.Facts.NoticedAt = at.Seq, at.At
	}
	return s
}

// confirmed makes a compaction of weak evidence: it is where the notification was.
func (s LastCompactState) confirmed(at At) LastCompactState {
	if s.Facts.Noticed == 0 {
		return s
	}
	since := s.Facts
	at.Seq, at.At = since.Noticed, since.NoticedAt
	s.Facts.Worked = true // nothing of the compaction before belongs to it
	s = s.fact(false, at)
	// What was done since is not undone by the evidence's being late; but a stronger
	// fact that follows at once is of the same compaction.
	s.Facts.Spoken = since.Spoken
	return s
}

// fell says whether a sample shows that the context was made smaller: to less than half.
func (s LastCompactState) fell(e events.UsageSampled) bool {
	return e.Tokens > 0 && s.Tokens > 0 && 2*e.Tokens < s.Tokens
}

func (s LastCompactState) sampled(e events.UsageSampled, at At) LastCompactState {
	if s.fell(e) {
		s = s.confirmed(at)
	}
	if e.Tokens > 0 {
		s.Tokens = e.Tokens
		if s.Count > 0 && s.PostTokens == 0 {
			s.PostTokens = e.Tokens
		}
	}
	rule, trigger := s.Rule.sampled(e, at)
	s.Rule = rule
	return s.checkpoint(trigger, at)
}

func (s LastCompactState) restarted(_ events.ContextRestarted, at At) LastCompactState {
	s = s.fact(s.Facts.Restarted, at)
	s.Facts.Restarted = true
	s.Rule = s.Rule.restarted()
	return s
}

func (s LastCompactState) completed(e events.CompactionCompleted, at At) LastCompactState {
	s = s.fact(s.Facts.Completed, at)
	s.Facts.Completed = true
	keep(&s.Trigger, e.Trigger)
	if e.Summary != "" && s.SummarySeq == 0 {
		s.SummarySeq = at.Seq
	}
	return s
}

// summarised takes a summary that comes late. It is no fact of a compaction: hooks told that one
// when it happened.
func (s LastCompactState) summarised(e events.SummaryImported, at At) LastCompactState {
	if s.Count == 0 || e.Compaction < s.Seq { // of one before
		return s
	}
	keep(&s.Trigger, e.Trigger)
	if e.Summary != "" && s.SummarySeq == 0 {
		s.SummarySeq = at.Seq
	}
	return s
}

// fact takes a fact of a kind that the current compaction has or has not seen.
func (s LastCompactState) fact(seen bool, at At) LastCompactState {
	f := s.Facts
	waiting := s.Flow.ForCompound()
	if s.Count == 0 || f.Worked || seen && (f.Spoken || f.Intended) {
		s = LastCompactState{
			Count: s.Count + 1, Seq: at.Seq, At: Stamp(at.At), AgentID: at.Lane, Trigger: f.Trigger,
			Since: cmp.Or(f.At, at.Seq), Flow: s.Flow, Stock: s.Stock,
			CompoundDone: s.Flow.Compound.Seq > s.Seq && len(waiting) == 0,
			Unpromoted:   len(waiting), Headings: Headings(waiting), Confidence: s.Stock.Confidence(),
			Checkpoint: s.Newest, PreTokens: s.Tokens, Newest: s.Newest, Rule: s.Rule,
		}
		f = CompactionFacts{}
	}
	f.Worked, f.Spoken, f.Intended, f.Trigger, f.At = false, false, false, "", 0
	s.Facts = f
	return s
}

func (s LastCompactState) worked() LastCompactState {
	s.Facts.Worked = true
	return s
}

func (s LastCompactState) spoken() LastCompactState {
	s.Facts.Spoken = true
	return s
}

func (s *LastCompactState) flow() *FlowState { return &s.Flow }

func (s LastCompactState) observed(e events.FileObserved, at At) LastCompactState {
	s.Flow, s.Stock = s.Flow.observed(e, at), s.Stock.observed(e, at)
	return s
}

// imported takes what a marker says about the time before the log; the later import wins, whatever the times in the
// markers are.
func (s LastCompactState) imported(e events.MarkerImported, at At) LastCompactState {
	if s.Count > 0 || e.Marker != events.LastCompactMarker {
		return s
	}
	s.Imported, s.At, s.Trigger, s.CompoundDone = at.Seq, StampOf(e.At), e.Trigger, e.Compound
	s.Unpromoted = max(0, e.Entries)
	s.Headings = slices.Clone(e.Headings[:min(3, len(e.Headings))])
	s.Confidence = Confidence{Entries: max(0, e.Learnings), Unverified: max(0, e.Unverified)}
	if mean, err := strconv.ParseFloat(e.Mean, 64); err == nil && mean > 0 && !math.IsInf(mean, 1) {
		s.Confidence.Mean = mean
	}
	return s
}

// MarshalJSON gives {"count":0} before the first compaction, and beside it only
// what was imported: scripts tell by count whether there was one.
func (s LastCompactState) MarshalJSON() ([]byte, error) {
	if s.Count == 0 {
		return s.beforeFirst()
	}
	type shown LastCompactState
	return json.Marshal(shown(s))
}

// beforeFirst leaves out what an older tool concluded rather than saw: that
// compound had run would read like a claim of the log (ADR-0008).
func (s LastCompactState) beforeFirst() ([]byte, error) {
	type told struct {
		Imported   uint64      `json:"imported"`
		At         Stamp       `json:"at,omitempty"`
		Trigger    string      `json:"trigger"`
		Unpromoted int         `json:"unpromoted"`
		Headings   []string    `json:"headings"`
		Confidence *Confidence `json:"confidence,omitempty"`
	}
	doc := struct {
		Count int `json:"count"`
		*told
	}{}
	if s.Imported != 0 {
		doc.told = &told{s.Imported, s.At, s.Trigger, s.Unpromoted, append([]string{}, s.Headings...), nil}
		if s.Confidence != (Confidence{}) {
			doc.Confidence = &s.Confidence
		}
	}
	return json.Marshal(doc)
}

// ProjectCompactState is the newest compaction in any main thread of a project.
type ProjectCompactState struct {
	Session string `json:"session"`
	Seq     uint64 `json:"seq"` // its newest fact
	At      Stamp  `json:"at"`
	Trigger string `json:"trigger"` // manual, auto; empty when no hook told

	// Intended is by whom and how the next one was announced.
	Intended struct{ Session, Trigger string } `json:"-"`
}

// ProjectCompact tells the newest compaction of the project's sessions. A session that begins
// gets a line about it (S1.10).
var ProjectCompact = Declare("project-compact", 1, Project, "the newest compaction of the project's sessions",
	On(func(s ProjectCompactState, e events.CompactionIntended, at At) ProjectCompactState {
		if at.Lane == "" {
			s.Intended.Session, s.Intended.Trigger = at.Session, e.Trigger
		}
		return s
	}),
	On(func(s ProjectCompactState, _ events.ContextRestarted, at At) ProjectCompactState {
		return s.compacted("", at)
	}),
	On(func(s ProjectCompactState, e events.CompactionCompleted, at At) ProjectCompactState {
		return s.compacted(e.Trigger, at)
	}),
	Apart,
)

func (s ProjectCompactState) compacted(trigger string, at At) ProjectCompactState {
	if at.Lane != "" {
		return s
	}
	if trigger == "" && s.Intended.Session == at.Session {
		trigger = s.Intended.Trigger
	}
	s.Session, s.Seq, s.At, s.Trigger = at.Session, at.Seq, Stamp(at.At), trigger
	return s
}

// MarshalJSON gives {} before the first compaction.
func (s ProjectCompactState) MarshalJSON() ([]byte, error) {
	if s.Seq == 0 {
		return []byte("{}"), nil
	}
	type shown ProjectCompactState
	return json.Marshal(shown(s))
}
