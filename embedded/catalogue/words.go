package catalogue

import (
	"context"
	"fmt"
	"path/filepath"

	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/record"
	"journal/replay/search"
)

// WordsName is the name of the file in a journal directory that says where words cannot stand.
const WordsName = "words"

// wordsMade says how the meshes are made: the number is raised when the same events make others.
var wordsMade = "journal words 1" + formOf(storedWords{})

// storedWords is what is in the file.
type storedWords struct {
	Stream string
	At     string // name of the newest record
	Meshes []byte
}

// Words gives the meshes of the first stretches of a log that a directory, empty for none, has: none where the file is
// not of this log.
func Words(ctx context.Context, dir string, log Log) (all []*search.Mesh) {
	for b := wordsOf(ctx, dir, log).Meshes; len(b) >= search.MeshBytes; b = b[search.MeshBytes:] {
		all = append(all, (*search.Mesh)(b))
	}
	return all
}

// wordsOf gives what is in the file, if it is of this log.
func wordsOf(ctx context.Context, dir string, log Log) (s storedWords) {
	none := storedWords{Stream: log.Stream()}
	if dir == "" || open(filepath.Join(dir, WordsName), wordsMade, &s) != nil || s.Stream != log.Stream() {
		return none
	}
	last := s.stretches() * search.Stretch
	if st, err := log.Stats(ctx); err != nil || st.Last < last {
		return none
	}
	for r, err := range log.Messages(ctx, events.Span{After: max(last, 1) - 1, Until: last}) {
		if err == nil && r.Seq == last && nameOf(r) == s.At {
			return s
		}
	}
	return none
}

// stretches are how many have a mesh.
func (s storedWords) stretches() uint64 { return uint64(len(s.Meshes) / search.MeshBytes) }

// KeepWords writes the meshes when the log holds at least so many whole stretches more than they are of. Nobody has to:
// the file saves searches a pass over the log. on is asked now and then whether there is time to go on; what was read until
// then is kept.
func (k *Keeper) KeepWords(ctx context.Context, least uint64, on func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || st.Last/search.Stretch < k.words+least {
		return err
	}
	s := wordsOf(ctx, k.Dir, k.Log)
	if k.words = s.stretches(); st.Last/search.Stretch < k.words+least {
		return nil
	}
	span := events.Span{After: k.words * search.Stretch, Until: st.Last / search.Stretch * search.Stretch}
	mesh, next := search.Mesh{}, span.After+1
	for r, err := range k.Log.Messages(ctx, span) {
		if err != nil {
			return fmt.Errorf("words of the log: %w", err)
		}
		if r.Seq != next {
			return nil // what is missing is told by whoever reads it
		}
		next++
		if see(&mesh, r); r.Seq%search.Stretch > 0 {
			continue
		}
		s.Meshes, s.At = append(s.Meshes, mesh[:]...), nameOf(r)
		if mesh = (search.Mesh{}); !on() {
			break
		}
	}
	if s.stretches() == k.words {
		return nil
	}
	b, err := seal(wordsMade, s)
	if err == nil {
		err = disk.ReplaceAlone(filepath.Join(k.Dir, WordsName), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("words of the log: %w", err)
	}
	k.words = s.stretches()
	return nil
}

// see takes the next record of a stretch.
func see(m *search.Mesh, r record.Record) {
	switch e, foreign, err := journal.Decode(r); {
	case foreign:
	case err != nil:
		m.Fill() // whoever reads it is told
	default:
		m.Add(e)
	}
}
