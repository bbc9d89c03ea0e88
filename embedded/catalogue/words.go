package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/record"
	"journal/replay/search"
)

// WordsName is the name of the file in a journal directory that says where words cannot occur.
const WordsName = "words"

// wordsKind has a number that is raised if the same events make other meshes.
const wordsKind = "journal words 2"

// words are the meshes of the first stretches of a log, in a file.
type words struct {
	file *blocks.PagedFile
	n    uint64 // stretches
}

// tailOf identifies the log of the meshes: its stream, and the newest record in them.
func tailOf(stream, at string) string { return stream + "\n" + at }

// Words returns a function that looks up the meshes of a log (search.Options) in a directory, empty for none. There are none if
// the file is of another log.
func Words(ctx context.Context, dir string, log Log) func(from, to uint64) []*search.Mesh {
	open := sync.OnceValue(func() words { return wordsOf(ctx, dir, log) })
	return func(from, to uint64) (all []*search.Mesh) {
		w := open()
		if w.file == nil {
			return nil
		}
		defer w.file.Close()
		for ; from < min(to, w.n); from++ {
			m := &search.Mesh{}
			if _, err := w.file.ReadAt(m[:], int64(from)*search.MeshBytes); err != nil {
				break // it is damaged: the search reads the rest
			}
			all = append(all, m)
		}
		return all
	}
}

// wordsOf opens the file, if it is of this log.
func wordsOf(ctx context.Context, dir string, log Log) (none words) {
	if dir == "" {
		return none
	}
	file, tail, err := blocks.OpenPaged(filepath.Join(dir, WordsName), wordsKind)
	if err != nil {
		return none
	}
	n := uint64(file.Len() / search.MeshBytes)
	last := n * search.Stretch
	if st, err := log.Stats(ctx); err != nil || st.Last < last {
		return none
	}
	for r, err := range log.Messages(ctx, events.Span{After: max(last, 1) - 1, Until: last}) {
		if err == nil && r.Seq == last && tailOf(log.Stream(), nameOf(r)) == string(tail) {
			return words{file, n}
		}
	}
	return none
}

// errSame ends the writing of words if there is nothing new.
var errSame = errors.New("nothing new")

// KeepWords writes the meshes if the log has at least so many whole stretches more than the file. The file only saves searches
// a pass over the log. on is called now and then, and reports whether to continue; what was read until then is kept.
func (k *Keeper) KeepWords(ctx context.Context, least uint64, on func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || st.Last/search.Stretch < k.words+least {
		return err
	}
	w := wordsOf(ctx, k.Dir, k.Log)
	if k.words = w.n; st.Last/search.Stretch < k.words+least {
		return nil
	}
	path := filepath.Join(k.Dir, WordsName)
	err = blocks.WritePaged(path, wordsKind, func(to io.Writer) ([]byte, error) {
		if w.file != nil {
			defer w.file.Close()
			if _, err := io.Copy(to, io.NewSectionReader(w.file, 0, w.file.Len())); err != nil {
				return nil, err
			}
		}
		return k.newWords(ctx, events.Span{After: w.n * search.Stretch, Until: st.Last / search.Stretch * search.Stretch}, to, on)
	})
	if err == nil {
		return nil
	}
	k.words = w.n
	if errors.Is(err, blocks.ErrUnusable) { // the old file is damaged: the next call makes a new one
		k.words, err = 0, disk.Remove(path)
	}
	if err == nil || errors.Is(err, errSame) {
		return nil
	}
	return fmt.Errorf("words of the log: %w", err)
}

// newWords writes the meshes of a span, and returns the tail of the file.
func (k *Keeper) newWords(ctx context.Context, span events.Span, to io.Writer, on func() bool) (tail []byte, err error) {
	mesh, next := search.Mesh{}, span.After+1
	for r, err := range k.Log.Messages(ctx, span) {
		if err != nil {
			return nil, err
		}
		if r.Seq != next {
			return nil, errSame // readers report what is missing
		}
		next++
		see(&mesh, r)
		if r.Seq%search.Stretch > 0 {
			continue
		}
		if _, err := to.Write(mesh[:]); err != nil {
			return nil, err
		}
		k.words, tail = r.Seq/search.Stretch, []byte(tailOf(k.Log.Stream(), nameOf(r)))
		mesh = search.Mesh{}
		if !on() {
			break
		}
	}
	if tail == nil {
		return nil, errSame
	}
	return tail, nil
}

// see adds the next record of a stretch.
func see(m *search.Mesh, r record.Record) {
	switch e, foreign, err := journal.Decode(r); {
	case foreign:
	case err != nil:
		m.Fill() // a search reads it and reports the error
	default:
		m.Add(e)
	}
}
