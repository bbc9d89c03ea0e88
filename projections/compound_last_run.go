package projections

import (
	"slices"
	"strconv"

	"journal/events"
)

// CompoundState is the newest promotion of working notes to lasting knowledge.
// It is the one place that says what counts as one (ADR-0008): folds that
// have to know hold it and hand it the events it reads. There is a compound
//
//   - when compound.finished says so,
//   - when a tool wrote compound-last-run.json, or it has other content than it had
//     and tells of another time: how it looked at the first look is history,
//   - when a turn that began with a compound command wrote lasting knowledge.
//
// Lasting knowledge that was written in any other turn is not a compound, and neither is an imported marker: that is
// kept here, marked and without a Seq, until the log itself holds a compound.
type CompoundState struct {
	Seq      uint64 `json:"seq,omitempty"`
	At       Stamp  `json:"at,omitempty"`
	Promoted int    `json:"promoted"` // 0 when nobody told
	// Imported is the import that At and Promoted are from, 0 for none (S1.15).
	// There is one in states of CompoundLastRun alone.
	Imported uint64 `json:"imported,omitempty"`

	// In is the turn that the newest one was seen in, zero for none.
	In CompoundTurn `json:"-"`
	// Asked are the newest turns that began with a compound command, oldest
	// first, at most 16.
	Asked []CompoundTurn `json:"-"`
	// Known is what the files of knowledge and of compounds held last, the
	// newest observation last, at most 200.
	Known []KnownFile `json:"-"`
}

// CompoundTurn names a turn of a session.
type CompoundTurn struct{ Session, Turn string }

// KnownFile is the newest digest of a file, empty for one that is gone.
type KnownFile struct{ Path, Digest string }

const (
	maxAsked = 16
	maxKnown = 200
)

// CompoundLastRun tells when compound ran last in the project (S1.8).
var CompoundLastRun = Declare("compound-last-run", 3, Project, "when working notes were last promoted",
	On(CompoundState.finished),
	On(CompoundState.requested),
	On(CompoundState.observed),
	On(CompoundState.imported),
)

func (s CompoundState) finished(e events.CompoundFinished, at At) CompoundState {
	return s.ran(e.Promoted, CompoundTurn{}, at)
}

// requested remembers a turn. Without turn ids nothing can be remembered: what is written later may belong to any turn.
func (s CompoundState) requested(_ events.CompoundRequested, at At) CompoundState {
	if at.Turn == "" {
		return s
	}
	s.Asked = grown(s.Asked, CompoundTurn{at.Session, at.Turn}, maxAsked)
	return s
}

func (s CompoundState) observed(e events.FileObserved, at At) CompoundState {
	if e.Kind != events.StockFile && e.Kind != events.CompoundFile || e.Gap != "" {
		return s
	}
	i := slices.IndexFunc(s.Known, func(k KnownFile) bool { return k.Path == e.Path })
	other := e.Written || i >= 0 && s.Known[i].Digest != e.Digest
	s.Known = slices.DeleteFunc(slices.Clone(s.Known), func(k KnownFile) bool { return k.Path == e.Path })
	s.Known = last(append(s.Known, KnownFile{e.Path, e.Digest}), maxKnown)
	turn := CompoundTurn{at.Session, at.Turn}
	switch {
	case !other || e.Gone:
		return s
	case e.Kind == events.CompoundFile && !e.Written && s.At != 0 && StampOf(e.Label("timestamp")).Time().Unix() == s.At.Time().Unix():
		return s // it tells of the known one, as our own markers do
	case e.Kind == events.CompoundFile:
		promoted, err := strconv.Atoi(e.Label("promotedCount"))
		if err != nil || promoted < 0 {
			promoted = 0
		}
		return s.ran(promoted, turn, at)
	case slices.Contains(s.Asked, turn):
		promoted := 0
		if s.In == turn { // the same compound, which told its number before
			promoted = s.Promoted
		}
		return s.ran(promoted, turn, at)
	}
	return s
}

// imported takes what a marker says about the time before the log; the later import wins, whatever the times in the
// markers are.
func (s CompoundState) imported(e events.MarkerImported, at At) CompoundState {
	if s.Seq != 0 || e.Marker != events.CompoundMarker {
		return s
	}
	s.At, s.Promoted, s.Imported = StampOf(e.At), max(0, e.Promoted), at.Seq
	return s
}

func (s CompoundState) ran(promoted int, in CompoundTurn, at At) CompoundState {
	s.Seq, s.At, s.Promoted, s.In, s.Imported = at.Seq, Stamp(at.At), promoted, in, 0
	return s
}
