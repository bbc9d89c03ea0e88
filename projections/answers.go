package projections

import "journal/events"

// AnswersState describes the texts that were printed for the agent and the person, so that none is repeated.
type AnswersState struct {
	Recovery int    `json:"recovery"`        // number of the newest compaction with a recovery text, 0 for none
	Stop     uint64 `json:"stop,omitempty"`  // newest working note of the project that the advice at the end of a turn was about
	Start    uint64 `json:"start,omitempty"` // newest event that the text of a start in this lane was about
	Seq      uint64 `json:"seq,omitempty"`   // event of the newest text in this lane
	// RecoverySeq is the event of the newest recovery text, and EarlierSeq the event of the newest recovery text for an earlier
	// compaction; 0 for none.
	RecoverySeq uint64 `json:"-"`
	EarlierSeq  uint64 `json:"-"`

	// Restore is the event of the newest open request to restore items for the agent, 0 for none. RestoreText is the text of
	// the open requests, within maxRestore.
	Restore     uint64 `json:"restore,omitempty"`
	RestoreText string `json:"-"`
}

// maxRestore bounds RestoreText, in bytes. If a request would exceed it, only that newest request is kept.
const maxRestore = 64 << 10

// Answers records the texts that were printed for the agent and the person.
var Answers = Declare("answers", 3, Lane, "texts that were printed for the agent and the person",
	On(func(s AnswersState, e events.RecoveryGiven, at At) AnswersState {
		if e.Compaction > s.Recovery {
			s.EarlierSeq = s.RecoverySeq
		}
		s.Recovery, s.Seq, s.RecoverySeq = max(s.Recovery, e.Compaction), at.Seq, at.Seq
		return s
	}),
	On(func(s AnswersState, e events.RestoreRequested, at At) AnswersState {
		text := e.Text
		if s.RestoreText != "" && len(s.RestoreText)+len(text) < maxRestore {
			text = s.RestoreText + "\n\n" + text
		}
		s.Restore, s.RestoreText = at.Seq, text
		return s
	}),
	// The advice at the end of a turn is about the project's notes. After /clear another session must not repeat it (S1.2).
	OnIn(Project, func(s AnswersState, e events.NoticeGiven, at At) AnswersState {
		inLane := at.Session == at.Target.Session && at.Lane == at.Target.Lane
		if inLane {
			s.Seq = at.Seq
		}
		switch {
		case e.Kind == "stop":
			s.Stop = max(s.Stop, e.About)
		case e.Kind == "start" && inLane:
			s.Start = max(s.Start, e.About)
		case e.Kind == "restore" && inLane && e.About >= s.Restore:
			s.Restore, s.RestoreText = 0, ""
		}
		return s
	}),
)
