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

// copyBack reads the new store as it is on disk, compares it with what was
// written, and writes the archive again from it where that is needed.
func copyBack(ctx context.Context, dir string, r *Result, want string) (err error) {
	made := filepath.Join(dir, storeName+newSuffix)
	streams, err := blocks.Streams(made)
	if err != nil {
		return err
	}
	if len(streams) != 1 {
		return fmt.Errorf("%w: it has %d streams", ErrMismatch, len(streams))
	}
	each := func(record.Record) error { return nil }
	if r.Archive {
		w, err := archive.Open(filepath.Join(dir, archiveName+newSuffix), archive.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.Close()) }()
		each = w.Append
	}
	sum := newDigest()
	report, err := blocks.Scan(ctx, streams[0], blocks.Options{}, func(r record.Record) error {
		r, err := r.Unpack()
		if err != nil {
			return err
		}
		sum.add(r)
		return each(r)
	})
	if err != nil {
		return err
	}
	if len(report.Damage) > 0 || report.Unknown != "" || report.Records != r.Events || sum.sum() != want {
		return fmt.Errorf("%w: %d of %d records", ErrMismatch, report.Records, r.Events)
	}
	return nil
}
