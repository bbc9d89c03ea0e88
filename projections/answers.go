package projections

import "journal/events"

// AnswersState is what was given to the agent and to the person, so that
// nothing is given twice.
type AnswersState struct {
	Recovery int    `json:"recovery"`       // ordinal of the newest compaction whose recovery text was given, 0 none
	Stop     uint64 `json:"stop,omitempty"` // newest working note of the project that the advice at the end of a turn spoke of
	Start    uint64 `json:"start,omitempty"`
	Seq      uint64 `json:"seq,omitempty"` // newest in the lane
	// RecoverySeq is where the newest recovery text was given.
	RecoverySeq uint64 `json:"-"`
	// EarlierSeq is the same for the compactions before that.
	EarlierSeq uint64 `json:"-"`

	// Restore is the newest request to give the agent something back that is still open, 0 for none. RestoreText is the
	// text of all open requests.
	Restore     uint64 `json:"restore,omitempty"`
	RestoreText string `json:"-"`
}

// maxRestore bounds the text that waits to be given back, in bytes. Beyond it only the newest request counts.
const maxRestore = 64 << 10

// Answers tells what was given to the agent and to the person.
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
	// The notes are the project's, and so is the person: after /clear another
	// session would say the same again (S1.2).
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
