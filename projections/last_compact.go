package projections

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"journal/events"
)

// LastCompactState is the newest compaction of a lane, and the number of compactions. A fact is an event that proves a
// compaction: ContextRestarted, CompactionCompleted, or confirmed weak evidence.
type LastCompactState struct {
	Count   int    `json:"count"`              // number of compactions
	Seq     uint64 `json:"seq"`                // first fact of the newest compaction
	At      Stamp  `json:"at"`                 // time of that fact
	Trigger string `json:"trigger"`            // manual, auto; empty if no hook reported it
	AgentID string `json:"agent_id,omitempty"` // lane of the compaction, empty for the main lane
	// CompoundDone is set if a compound ran after the previous compaction, and no entry waited for promotion (S1.6).
	CompoundDone bool       `json:"compound_done"`
	Unpromoted   int        `json:"unpromoted"`            // number of entries of files of notes that waited for promotion (S1.5)
	Headings     []string   `json:"headings"`              // headings of the newest three of these entries
	Confidence   Confidence `json:"confidence"`            // of the learnings
	SummarySeq   uint64     `json:"summary_seq,omitempty"` // the event with the summary, 0 for none yet
	// Checkpoint is the id of the newest checkpoint when the compaction began (S0.6). PreTokens and PostTokens are the size of the
	// context in the last sample before the compaction and in the first sample after it; 0 for unknown.
	Checkpoint string `json:"checkpoint,omitempty"`
	PreTokens  int64  `json:"pre_tokens,omitempty"`
	PostTokens int64  `json:"post_tokens,omitempty"`
	// Imported is the sequence of the imported marker from which At, Trigger, CompoundDone, Unpromoted, Headings and Confidence
	// come, 0 for none (S1.15). It is set only while Count is 0, since the marker does not count as a compaction.
	Imported uint64 `json:"imported,omitempty"`

	// Since is the start of the compaction: the event that announced it, else its first fact.
	Since uint64 `json:"-"`
	// Facts decides whether the next fact belongs to this compaction.
	Facts CompactionFacts `json:"-"`
	// Flow and Stock are the project's current notes and learnings. The fields above describe the notes and learnings at the
	// first fact (ADR-0009).
	Flow  FlowState  `json:"-"`
	Stock StockState `json:"-"`
	// NewestCheckpoint is the id of the newest checkpoint, made by Rule or on purpose.
	NewestCheckpoint string         `json:"-"`
	Rule             CheckpointRule `json:"-"`
}

// CompactionFacts describes the facts of the newest compaction, and the events since the last of these facts.
type CompactionFacts struct {
	Restarted, Completed bool // there was a ContextRestarted, a CompactionCompleted

	Worked      bool   // a tool was used since
	Spoken      bool   // a prompt or an answer came since
	Intended    bool   // the agent announced a compaction since
	Trigger     string // of the newest announcement since
	IntendedSeq uint64 // sequence of the first announcement since, 0 for none

	// NoticedSeq is the sequence of the first notification about the context since, 0 for none, and NoticedAt its time: weak
	// evidence (S0.1).
	NoticedSeq uint64
	NoticedAt  int64

	Tokens int64 // size of the context in the newest sample since the compaction began, 0 for none
}

// LastCompact records the newest compaction. One compaction counts once, however many hooks report it and in whatever
// order (S0.6, ADR-0009): a fact begins a new compaction if a tool was used since the last fact, or if the compaction has a
// fact of this kind and a prompt, an answer or an announcement came since.
var LastCompact = Declare("last-compact", 6, Lane, "the newest compaction, and how many there were",
	On(LastCompactState.intended),
	On(LastCompactState.restarted),
	On(LastCompactState.completed),
	On(LastCompactState.summarised),
	On(LastCompactState.noticed),
	On(LastCompactState.received),
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
	s.Facts.IntendedSeq = cmp.Or(s.Facts.IntendedSeq, at.Seq)
	trigger := s.Rule.due("compact", at)
	return s.checkpoint(trigger, at)
}

// checkpoint records a checkpoint, unless trigger is empty.
func (s LastCompactState) checkpoint(trigger string, at At) LastCompactState {
	if trigger != "" {
		s.NewestCheckpoint = checkpointID(at)
	}
	return s
}

// noticed records weak evidence, unless nothing has happened since the last fact or weak evidence is recorded already.
func (s LastCompactState) noticed(_ events.CompactionNoticed, at At) LastCompactState {
	f := s.Facts
	if (s.Count == 0 || f.Worked || f.Spoken || f.Intended) && f.NoticedSeq == 0 {
		s.Facts.NoticedSeq, s.Facts.NoticedAt = at.Seq, at.At
	}
	return s
}

// confirmed makes weak evidence, if there is any, a fact at the sequence and time of the notification.
func (s LastCompactState) confirmed(at At) LastCompactState {
	if s.Facts.NoticedSeq == 0 {
		return s
	}
	before := s.Facts
	at.Seq, at.At = before.NoticedSeq, before.NoticedAt
	s.Facts.Worked = true // so that the fact begins a new compaction
	s = s.addFact(false, at)
	s.Facts.Spoken = before.Spoken // so that another notification can be weak evidence again
	return s
}

// received confirms weak evidence by a receipt, unless its recovery text is older than the evidence: that receipt is of an earlier
// compaction.
func (s LastCompactState) received(e events.DeliveryConfirmed, at At) LastCompactState {
	if e.Recovery != 0 && e.Recovery < s.Facts.NoticedSeq {
		return s
	}
	return s.confirmed(at)
}

func (s LastCompactState) sampled(e events.UsageSampled, at At) LastCompactState {
	if e.Tokens > 0 && 2*e.Tokens < s.Facts.Tokens { // less than half the former size confirms weak evidence
		s = s.confirmed(at)
	}
	if e.Tokens > 0 {
		s.Facts.Tokens = e.Tokens
		if s.Count > 0 && s.PostTokens == 0 {
			s.PostTokens = e.Tokens
		}
	}
	trigger := s.Rule.sampled(e, at)
	return s.checkpoint(trigger, at)
}

func (s LastCompactState) restarted(_ events.ContextRestarted, at At) LastCompactState {
	s = s.addFact(s.Facts.Restarted, at)
	s.Facts.Restarted = true
	s.Rule.Percent, s.Rule.Tokens = 0, 0
	return s
}

func (s LastCompactState) completed(e events.CompactionCompleted, at At) LastCompactState {
	s = s.addFact(s.Facts.Completed, at)
	s.Facts.Completed = true
	return s.summary(e.Trigger, e.Summary, at)
}

// summary records the trigger and the summary of the compaction. Both may be empty.
func (s LastCompactState) summary(trigger, text string, at At) LastCompactState {
	setNonEmpty(&s.Trigger, trigger)
	if text != "" && s.SummarySeq == 0 {
		s.SummarySeq = at.Seq
	}
	return s
}

// summarised records an imported summary. It is no fact, because it may come long after the compaction.
func (s LastCompactState) summarised(e events.SummaryImported, at At) LastCompactState {
	if s.Count == 0 || e.Compaction < s.Seq { // the summary of an earlier compaction
		return s
	}
	return s.summary(e.Trigger, e.Summary, at)
}

// addFact records a fact. seen is set if the newest compaction already has a fact of the same kind. Weak evidence before the fact no
// longer counts.
func (s LastCompactState) addFact(seen bool, at At) LastCompactState {
	f := s.Facts
	waiting := s.Flow.ForCompound()
	if s.Count == 0 || f.Worked || seen && (f.Spoken || f.Intended) {
		s = LastCompactState{
			Count: s.Count + 1, Seq: at.Seq, At: Stamp(at.At), AgentID: at.Lane, Trigger: f.Trigger,
			Since: cmp.Or(f.IntendedSeq, at.Seq), Flow: s.Flow, Stock: s.Stock,
			CompoundDone: s.Flow.Compound.Seq > s.Seq && len(waiting) == 0,
			Unpromoted:   len(waiting), Headings: Headings(waiting), Confidence: s.Stock.Confidence(),
			Checkpoint: s.NewestCheckpoint, PreTokens: f.Tokens, NewestCheckpoint: s.NewestCheckpoint, Rule: s.Rule,
		}
		f = CompactionFacts{}
	}
	s.Facts = CompactionFacts{Restarted: f.Restarted, Completed: f.Completed, Tokens: f.Tokens}
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

// imported applies a marker from the time before the log, if the log has no compaction yet. A later import replaces an earlier one,
// whatever the times in the markers.
func (s LastCompactState) imported(e events.MarkerImported, at At) LastCompactState {
	if s.Count > 0 || e.Marker != events.LastCompactMarker {
		return s
	}
	s.Imported, s.At, s.Trigger, s.CompoundDone = at.Seq, StampOf(e.At), e.Trigger, e.Compound
	s.Unpromoted = max(0, e.Entries)
	s.Headings = slices.Clone(e.Headings[:min(maxHeadings, len(e.Headings))])
	s.Confidence = Confidence{Entries: max(0, e.Learnings), Unverified: max(0, e.Unverified)}
	if mean, err := strconv.ParseFloat(e.Mean, 64); err == nil && mean > 0 && !math.IsInf(mean, 1) {
		s.Confidence.Mean = mean
	}
	return s
}

// MarshalJSON encodes {"count":0} and imported fields before the first compaction.
func (s LastCompactState) MarshalJSON() ([]byte, error) {
	if s.Count == 0 {
		return s.beforeFirst()
	}
	type shown LastCompactState
	return json.Marshal(shown(s))
}

// beforeFirst is MarshalJSON before the first compaction. It omits CompoundDone, because the log cannot verify that claim of
// an older tool (ADR-0008).
func (s LastCompactState) beforeFirst() ([]byte, error) {
	type imported struct {
		Imported   uint64      `json:"imported"`
		At         Stamp       `json:"at,omitempty"`
		Trigger    string      `json:"trigger"`
		Unpromoted int         `json:"unpromoted"`
		Headings   []string    `json:"headings"`
		Confidence *Confidence `json:"confidence,omitempty"`
	}
	doc := struct {
		Count int `json:"count"`
		*imported
	}{}
	if s.Imported != 0 {
		doc.imported = &imported{s.Imported, s.At, s.Trigger, s.Unpromoted, append([]string{}, s.Headings...), nil}
		if s.Confidence != (Confidence{}) {
			doc.Confidence = &s.Confidence
		}
	}
	return json.Marshal(doc)
}

// ProjectCompactState is the newest compaction in any main lane of a project.
type ProjectCompactState struct {
	Session string `json:"session"`
	Seq     uint64 `json:"seq"` // newest fact
	At      Stamp  `json:"at"`
	Trigger string `json:"trigger"` // manual, auto; that of Intended if the fact has none; empty if both have none

	// Intended is the last announcement of a compaction in a main lane: the session and the trigger.
	Intended struct{ Session, Trigger string } `json:"-"`
}

// ProjectCompact records the newest compaction of the project's sessions, for the text of a new session (S1.10).
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
	AllSessions,
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

// MarshalJSON encodes {} before the first compaction.
func (s ProjectCompactState) MarshalJSON() ([]byte, error) {
	if s.Seq == 0 {
		return []byte("{}"), nil
	}
	type shown ProjectCompactState
	return json.Marshal(shown(s))
}
