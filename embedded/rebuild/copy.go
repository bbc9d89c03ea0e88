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

// copyBack writes a new archive from the new store, if one is needed. It reads the store from disk, with checksums. Segments
// without a changed record are copied from the old archive.
func copyBack(ctx context.Context, dir string, r *Result) (err error) {
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
	from.Spares = r.spares
	same := func(first, last uint64) bool { return !r.changed.Meet(copies.Range{First: first, Last: last}) }
	made := blocks.NewReader(stream)
	for last := w.Last(); err == nil && last < r.Events; last = w.Last() {
		var taken bool
		if taken, err = w.Take(from, same); taken || err != nil {
			continue
		}
		var failed error
		err = made.Read(ctx, last, min(from.Until(last+1), r.Events), nil, func(r record.Record) bool {
			if r, failed = r.Unpack(); failed == nil {
				failed = w.Append(r)
			}
			return failed == nil
		})
		err = errors.Join(failed, err)
	}
	return err
}

// onlyStream returns the only stream of a new store.
func onlyStream(store string) (blocks.Stream, error) {
	all, err := blocks.Streams(store)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%w: it has %d streams", ErrMismatch, len(all))
	}
	if err != nil {
		return blocks.Stream{}, err
	}
	return all[0], nil
}
