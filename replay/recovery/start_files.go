package recovery

import (
	"slices"
	"time"

	"journal/projections"
)

// ListedFile is a line about one file of notes or knowledge.
type ListedFile struct {
	Name       string
	Stock      bool
	Entries    int
	Waiting    int // of working notes: not promoted
	Unverified int // of knowledge
	Seq        uint64
	At         time.Time // of the event at Seq, UTC
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

// stockFiles counts the knowledge that stands in a file.
func stockFiles(s projections.StockState) []ListedFile {
	var files []ListedFile
	for _, l := range s.Learnings {
		if l.DeletedSeq != 0 {
			continue
		}
		f := fileNamed(&files, l.File, max(l.Seq, l.ChangedSeq))
		f.Stock = true
		f.Entries++
		if l.Confirmed == 0 {
			f.Unverified++
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
