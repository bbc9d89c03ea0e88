package projections

import "journal/events"

// PlacesState is where things were in the files in work when the owner looked last. Seq is 0 when nobody looked.
type PlacesState struct {
	events.PlacesObserved

	Seq uint64 `json:"seq,omitempty"`
	// Stale are the files that were written since.
	Stale []string `json:"stale,omitempty"`
}

// Places tells where things were in the files in work when the owner of the log looked at them last, at a compaction. What
// was written since is not where it was.
var Places = Declare("places", 1, Lane, "where things were in the files in work at the newest compaction",
	On(func(_ PlacesState, e events.PlacesObserved, at At) PlacesState {
		return PlacesState{PlacesObserved: e, Seq: at.Seq}
	}),
	OnIn(Session, func(s PlacesState, e events.FileWritten, _ At) PlacesState {
		if s.Seq > 0 {
			s.Stale = append(s.Stale[:len(s.Stale):len(s.Stale)], e.Path)
		}
		return s
	}),
)

// GitState is the checkout as it was observed last. Seq is 0 when nobody looked.
type GitState struct {
	events.GitObserved

	Seq uint64 `json:"seq,omitempty"`
}

// Git tells how the checkout stood when the owner of the log looked at it last, at a compaction.
var Git = Declare("git", 1, Lane, "how the checkout stood at the newest compaction",
	On(func(_ GitState, e events.GitObserved, at At) GitState { return GitState{e, at.Seq} }),
)
