package projections

import (
	"slices"
	"strconv"

	"journal/events"
)

// CompoundState is the newest compound: a promotion of working notes to learnings (ADR-0008). Other folds that need the newest
// compound embed this state and apply the same events to it. There is a compound
//
//   - at compound.finished,
//   - when a tool wrote compound-last-run.json,
//   - when a later observation of that file shows another content, with another time than that of the known compound,
//   - when a turn that began with a compound command wrote learnings.
//
// Learnings written in any other turn are no compound. An imported marker is no compound either: it is shown, without a Seq,
// until the log has a compound.
type CompoundState struct {
	Seq      uint64 `json:"seq,omitempty"`
	At       Stamp  `json:"at,omitempty"`
	Promoted int    `json:"promoted"` // number of notes, 0 if unknown
	// Imported is the sequence of the imported marker from which At and Promoted come, 0 for none (S1.15). Only states of
	// CompoundLastRun have it.
	Imported uint64 `json:"imported,omitempty"`

	// Turn is the turn of the newest compound, zero if unknown.
	Turn CompoundTurn `json:"-"`
	// Requested lists the newest turns that began with a compound command, oldest first.
	Requested []CompoundTurn `json:"-"`
	// Files lists the files of learnings and of compounds with their newest digests, the newest observation last.
	Files []KnownFile `json:"-"`
}

// CompoundTurn is a turn of a session.
type CompoundTurn struct{ Session, Turn string }

// KnownFile is a file and its newest digest, which is empty for a removed file.
type KnownFile struct{ Path, Digest string }

const (
	maxRequested = 16  // turns with a compound command
	maxKnown     = 200 // files
)

// CompoundLastRun records when compound last ran in the project (S1.8).
var CompoundLastRun = Declare("compound-last-run", 3, Project, "when working notes were last promoted",
	On(CompoundState.finished),
	On(CompoundState.requested),
	On(CompoundState.observed),
	On(CompoundState.imported),
)

func (s CompoundState) finished(e events.CompoundFinished, at At) CompoundState {
	return s.ran(e.Promoted, CompoundTurn{}, at)
}

// requested records the turn of a compound command. It ignores a command without a turn's id, because later writes could not be
// assigned to it.
func (s CompoundState) requested(_ events.CompoundRequested, at At) CompoundState {
	if at.Turn == "" {
		return s
	}
	s.Requested = grown(s.Requested, CompoundTurn{at.Session, at.Turn}, maxRequested)
	return s
}

func (s CompoundState) observed(e events.FileObserved, at At) CompoundState {
	if e.Kind != events.StockFile && e.Kind != events.CompoundFile || e.Gap != "" {
		return s
	}
	i := slices.IndexFunc(s.Files, func(k KnownFile) bool { return k.Path == e.Path })
	changed := e.Written || i >= 0 && s.Files[i].Digest != e.Digest
	s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(k KnownFile) bool { return k.Path == e.Path })
	s.Files = lastOf(append(s.Files, KnownFile{e.Path, e.Digest}), maxKnown)
	turn := CompoundTurn{at.Session, at.Turn}
	switch {
	case !changed || e.Gone:
		return s
	case e.Kind == events.CompoundFile && !e.Written && s.At != 0 && StampOf(e.Label("timestamp")).Time().Unix() == s.At.Time().Unix():
		return s // the file describes the known compound
	case e.Kind == events.CompoundFile:
		promoted, err := strconv.Atoi(e.Label("promotedCount"))
		if err != nil || promoted < 0 {
			promoted = 0
		}
		return s.ran(promoted, turn, at)
	case slices.Contains(s.Requested, turn):
		promoted := 0
		if s.Turn == turn { // the same compound: its number may be known
			promoted = s.Promoted
		}
		return s.ran(promoted, turn, at)
	}
	return s
}

// imported applies a marker from the time before the log. A later import replaces an earlier one, whatever the times in the
// markers.
func (s CompoundState) imported(e events.MarkerImported, at At) CompoundState {
	if s.Seq != 0 || e.Marker != events.CompoundMarker {
		return s
	}
	s.At, s.Promoted, s.Imported = StampOf(e.At), max(0, e.Promoted), at.Seq
	return s
}

// ran records a compound in a turn.
func (s CompoundState) ran(promoted int, in CompoundTurn, at At) CompoundState {
	s.Seq, s.At, s.Promoted, s.Turn, s.Imported = at.Seq, Stamp(at.At), promoted, in, 0
	return s
}
