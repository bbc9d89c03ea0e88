package recovery

import (
	"slices"
	"time"

	"journal/events"
	"journal/projections"
)

// ListedFile is a line about one file of notes or knowledge.
type ListedFile struct {
	Name       string
	Stock      bool
	Entries    int
	Waiting    int // of working notes: not promoted
	Open       int // tasks with a box
	Unverified int // of knowledge
	Mean       float64
	Seq        uint64
	At         time.Time // of the event at Seq, UTC
}

// filesThere lists the files of plan, notes and knowledge with what they hold, those of notes that wait first.
func filesThere(notes projections.FlowState, there []projections.NoteFile) []ListedFile {
	files := noteFiles(notes)
	for _, n := range there {
		f := fileNamed(&files, n.Path, n.Seq)
		f.Stock = n.Kind == events.StockFile
		f.Entries, f.Open, f.Unverified, f.Mean = max(f.Entries, n.Entries), n.Open, n.Unverified, n.Mean
	}
	slices.SortStableFunc(files, func(a, b ListedFile) int { return b.rank() - a.rank() })
	return files
}

func (f ListedFile) rank() int {
	switch {
	case f.Waiting > 0:
		return 3
	case f.Open > 0:
		return 2
	case f.Entries > 0:
		return 1
	}
	return 0
}

// noteFiles counts the working notes that stand in a file.
func noteFiles(s projections.FlowState) []ListedFile {
	var files []ListedFile
	for _, e := range s.Entries {
		if e.DroppedSeq != 0 || e.File == "" {
			continue
		}
		f := fileNamed(&files, e.File, max(e.Seq, e.ChangedSeq))
		f.Entries++
		if !e.Promoted && !e.Plan {
			f.Waiting++
		}
	}
	return files
}

// fileNamed gives the line of a file, a new one when it has none, last changed
// at seq or later.
func fileNamed(files *[]ListedFile, name string, seq uint64) *ListedFile {
	i := slices.IndexFunc(*files, func(f ListedFile) bool { return f.Name == name })
	if i < 0 {
		*files = append(*files, ListedFile{Name: name})
		i = len(*files) - 1
	}
	f := &(*files)[i]
	f.Seq = max(f.Seq, seq)
	return f
}
