package projections

import "journal/events"

// GitState is the checkout as it was observed last. Seq is 0 when nobody looked.
type GitState struct {
	events.GitObserved

	Seq uint64 `json:"seq,omitempty"`
}

// Git tells how the checkout stood when the owner of the log looked at it last, at a compaction.
var Git = Declare("git", 1, Lane, "how the checkout stood at the newest compaction",
	On(func(_ GitState, e events.GitObserved, at At) GitState { return GitState{e, at.Seq} }),
)
