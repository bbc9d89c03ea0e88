package rebuild

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"journal/embedded/copies"
	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/journal/record"
)

// writeArchive writes a new archive from the new store, if r.Archive is true. It reads the store from disk, with checksums, and reuses
// archive segments in which no record changed.
func writeArchive(ctx context.Context, dir string, r *Result) (err error) {
	stream, err := onlyStream(filepath.Join(dir, storeName+newSuffix))
	if err != nil || !r.Archive {
		return err
	}
	w, err := archive.Open(filepath.Join(dir, archiveName+newSuffix), archive.Options{AtOnce: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	from := &archive.Segments{}
	if r.segments != "" {
		if from, err = archive.SegmentsIn(filepath.Join(dir, r.segments)); err != nil {
			return err
		}
	}
	same := func(first, last uint64) bool { return !r.changed.Overlap(copies.Range{First: first, Last: last}) }
	store := blocks.NewReader(stream, "")
	for last := w.Last(); last < r.Events; last = w.Last() {
		taken, err := w.Take(from, same)
		if err != nil {
			return err
		}
		if taken {
			continue
		}
		if err := appendSpan(ctx, store, w, last, min(from.Until(last+1), r.Events)); err != nil {
			return err
		}
	}
	return nil
}

// appendSpan appends the records of a store to an archive: those after one sequence, up to and including another.
func appendSpan(ctx context.Context, store *blocks.Reader, w *archive.Writer, after, until uint64) error {
	var failed error
	err := store.Read(ctx, after, until, nil, func(r record.Record) bool {
		if r, failed = r.Unpack(); failed != nil {
			return false
		}
		failed = w.Append(r)
		return failed == nil
	})
	return errors.Join(failed, err)
}

// onlyStream returns the only stream of a new store.
func onlyStream(store string) (blocks.Stream, error) {
	all, err := blocks.Streams(store)
	if err != nil {
		return blocks.Stream{}, err
	}
	if len(all) != 1 {
		return blocks.Stream{}, fmt.Errorf("%w: it has %d streams, not 1", ErrMismatch, len(all))
	}
	return all[0], nil
}
