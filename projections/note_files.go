package projections

import (
	"slices"

	"journal/events"
)

// NoteFile is a file of plan, notes or knowledge that is there, whatever it holds.
type NoteFile struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Entries int    `json:"entries"`
	Open    int    `json:"open,omitempty"` // boxes to tick
	// Unverified and Mean are of the learnings in it.
	Unverified int     `json:"unverified,omitempty"`
	Mean       float64 `json:"mean_confirmations,omitempty"`
	Seq        uint64  `json:"seq"` // last change
}

// maxNoteFiles bounds how many files are known, those that changed last.
const maxNoteFiles = 200

// NoteFiles lists the files of plan, notes and knowledge that are there, the one that changed last at the end. A file
// without sections is one as well (S1.10).
var NoteFiles = Declare("note-files", 1, Project, "the files of plan, notes and knowledge that are there",
	On(func(l []NoteFile, e events.FileObserved, at At) []NoteFile {
		switch e.Kind {
		case events.FlowFile, events.PlanFile, events.StockFile, events.OtherFile:
		default:
			return l
		}
		l = slices.DeleteFunc(slices.Clone(l), func(f NoteFile) bool { return f.Path == e.Path })
		if e.Gone {
			return l
		}
		f := NoteFile{Path: e.Path, Kind: e.Kind, Entries: len(e.Entries), Open: max(0, e.Open), Seq: at.Seq}
		if e.Kind == events.StockFile {
			c := confidence(e.Entries)
			f.Unverified, f.Mean = c.Unverified, c.Mean
		}
		l = append(l, f)
		return l[max(0, len(l)-maxNoteFiles):]
	}),
)

// confidence sums up the learnings of a file.
func confidence(entries []events.Entry) Confidence {
	var s StockState
	for _, e := range entries {
		s.Learnings = append(s.Learnings, learningOf(e))
	}
	return s.Confidence()
}
