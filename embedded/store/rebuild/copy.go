package rebuild

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/journal/record"
)

// copyBack reads the new store as it is on disk, each record under its checksum, and writes the archive again from it where
// that is needed. Segments without a record that changed go over as they are.
func copyBack(ctx context.Context, dir string, r *Result) (err error) {
	stream, err := onlyStream(filepath.Join(dir, storeName+newSuffix))
	if err != nil {
		return err
	}
	var each func(record.Record) error
	if r.Archive {
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
		same := func(first, last uint64) bool { return !r.changed.meet(Range{first, last}) }
		each = func(r record.Record) error {
			if last, _ := w.Last(); r.Seq <= last {
				return nil
			}
			if taken, err := w.Take(from, same); taken || err != nil {
				return err
			}
			r, err := r.Unpack()
			if err != nil {
				return err
			}
			return w.Append(r)
		}
	}
	report, err := blocks.Scan(ctx, stream, nil, each)
	if err != nil {
		return err
	}
	if len(report.Damage) > 0 || report.Unknown != "" || report.Records != r.Events {
		return fmt.Errorf("%w: %d of %d records", ErrMismatch, report.Records, r.Events)
	}
	return nil
}

// onlyStream gives the one stream of a new store.
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
