package owner

import (
	"context"
	"slices"
	"time"

	"journal/events"
	"journal/projections"
)

// knownFile is a line about one file of notes or knowledge.
type knownFile struct {
	Name       string
	Stock      bool
	Entries    int
	Waiting    int // of working notes: not promoted
	Unverified int // of knowledge
	Seq        uint64
	At         time.Time // of the event at Seq, UTC
}

// timeOf gives the own time of the event at a sequence.
func (o *Owner) timeOf(ctx context.Context, seq uint64) (time.Time, error) {
	for e, err := range o.log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		return e.Time(), err
	}
	return time.Time{}, nil
}

// notes counts the working notes that stand in a file.
func notes(s projections.FlowState) []knownFile {
	var files []knownFile
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

func knowledge(s projections.StockState) []knownFile {
	var files []knownFile
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
func fileNamed(files *[]knownFile, name string, seq uint64) *knownFile {
	i := slices.IndexFunc(*files, func(f knownFile) bool { return f.Name == name })
	if i < 0 {
		*files = append(*files, knownFile{Name: name})
		i = len(*files) - 1
	}
	f := &(*files)[i]
	f.Seq = max(f.Seq, seq)
	return f
}
