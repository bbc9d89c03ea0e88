package projections

import "journal/events"

// AnswersState holds the texts that the agent and the person got, so that none is repeated.
type AnswersState struct {
	Recovery int    `json:"recovery"`       // number of the newest compaction with a recovery text, 0 for none
	Stop     uint64 `json:"stop,omitempty"` // newest working note of the project that the advice at the end of a turn was about
	Start    uint64 `json:"start,omitempty"`
	Seq      uint64 `json:"seq,omitempty"` // newest in the lane
	// RecoverySeq is the event of the newest recovery text.
	RecoverySeq uint64 `json:"-"`
	// EarlierSeq is the same, for earlier compactions.
	EarlierSeq uint64 `json:"-"`

	// Restore is the newest open request to restore something for the agent, 0 for none. RestoreText is the text of all
	// open requests.
	Restore     uint64 `json:"restore,omitempty"`
	RestoreText string `json:"-"`
}

// maxRestore bounds RestoreText, in bytes. If a request would exceed it, only that newest one is kept.
const maxRestore = 64 << 10

// Answers records the texts that the agent and the person got.
var Answers = Declare("answers", 3, Lane, "what was given to the agent and to the person",
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
	// The notes belong to the project, and so does the person: after /clear another session would repeat the advice
	// (S1.2).
	OnIn(Project, func(s AnswersState, e events.NoticeGiven, at At) AnswersState {
		own := at.Session == at.Target.Session && at.Lane == at.Target.Lane
		if own {
			s.Seq = at.Seq
		}
		switch {
		case e.Kind == "stop":
			s.Stop = max(s.Stop, e.About)
		case e.Kind == "start" && own:
			s.Start = max(s.Start, e.About)
		case e.Kind == "restore" && own && e.About >= s.Restore:
			s.Restore, s.RestoreText = 0, ""
		}
		return s
	}),
)
