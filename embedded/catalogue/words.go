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
func Words(ctx context.Context, dir string, log Log) []search.Mesh {
	var s storedWords
	if dir == "" || open(filepath.Join(dir, WordsName), wordsMade, &s) != nil || s.Stream != log.Stream() {
		return nil
	}
	all := make([]search.Mesh, len(s.Meshes)/search.MeshBytes)
	for i := range all {
		copy(all[i][:], s.Meshes[i*search.MeshBytes:])
	}
	last := uint64(len(all)) * search.Stretch
	if st, err := log.Stats(ctx); err != nil || st.Last < last {
		return nil
	}
	for r, err := range log.Messages(ctx, events.Span{After: max(last, 1) - 1, Until: last}) {
		if err == nil && r.Seq == last && nameOf(r) == s.At {
			return all
		}
	}
	return nil
}

// KeepWords writes the meshes when the log holds at least so many whole stretches more than they are of. Nobody has to:
// the file saves searches a pass over the log. on is asked now and then whether there is time to go on; what was read until
// then is kept.
func (k *Keeper) KeepWords(ctx context.Context, least uint64, on func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || st.Last/search.Stretch < k.words+least {
		return err
	}
	all := Words(ctx, k.Dir, k.Log)
	if k.words = uint64(len(all)); st.Last/search.Stretch < k.words+least {
		return nil
	}
	s := storedWords{Stream: k.Log.Stream()}
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
		all, mesh, s.At = append(all, mesh), search.Mesh{}, nameOf(r)
		if !on() {
			break
		}
	}
	if uint64(len(all)) == k.words {
		return nil
	}
	for i := range all {
		s.Meshes = append(s.Meshes, all[i][:]...)
	}
	b, err := seal(wordsMade, s)
	if err == nil {
		err = disk.ReplaceAlone(filepath.Join(k.Dir, WordsName), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("words of the log: %w", err)
	}
	k.words = uint64(len(all))
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
