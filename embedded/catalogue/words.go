package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"journal/embedded/store/paged"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/record"
	"journal/replay/search"
)

// WordsName is the name of the file in a journal directory that says where words cannot stand.
const WordsName = "words"

// wordsKind says how the meshes are made: the number is raised when the same events make others.
const wordsKind = "journal words 2"

// words are the meshes in a file: of the first stretches of a log, one behind the other.
type words struct {
	file *paged.File
	n    uint64 // stretches
}

// tailOf is what the file says of the log that its meshes are of: its stream, and the newest record.
func tailOf(stream, at string) string { return stream + "\n" + at }

// Words gives what looks up the meshes of a log (search.Options) in a directory, empty for none: they are none where the file
// is not of this log.
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
				break // it is damaged: what comes then is read
			}
			all = append(all, m)
		}
		return all
	}
}

// wordsOf gives what is in the file, if it is of this log.
func wordsOf(ctx context.Context, dir string, log Log) (none words) {
	if dir == "" {
		return none
	}
	file, tail, err := paged.Open(filepath.Join(dir, WordsName), wordsKind)
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

// errSame ends the writing of words that would be those that are there.
var errSame = errors.New("nothing new")

// KeepWords writes the meshes when the log holds at least so many whole stretches more than they are of. Nobody has to:
// the file saves searches a pass over the log. on is asked now and then whether there is time to go on; what was read until
// then is kept.
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
	err = paged.Write(path, wordsKind, func(to io.Writer) ([]byte, error) {
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
	if errors.Is(err, paged.ErrUnusable) { // what it says of before: the next time anew
		k.words, err = 0, disk.Remove(path)
	}
	if err == nil || errors.Is(err, errSame) {
		return nil
	}
	return fmt.Errorf("words of the log: %w", err)
}

// newWords writes the meshes of a span, and gives the tail of the file.
func (k *Keeper) newWords(ctx context.Context, span events.Span, to io.Writer, on func() bool) (tail []byte, err error) {
	mesh, next := search.Mesh{}, span.After+1
	for r, err := range k.Log.Messages(ctx, span) {
		if err != nil {
			return nil, err
		}
		if r.Seq != next {
			return nil, errSame // what is missing is told by whoever reads it
		}
		next++
		if see(&mesh, r); r.Seq%search.Stretch > 0 {
			continue
		}
		if _, err := to.Write(mesh[:]); err != nil {
			return nil, err
		}
		k.words, tail = r.Seq/search.Stretch, []byte(tailOf(k.Log.Stream(), nameOf(r)))
		if mesh = (search.Mesh{}); !on() {
			break
		}
	}
	if tail == nil {
		return nil, errSame
	}
	return tail, nil
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
