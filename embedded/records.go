package embedded

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/journal/record"
)

// Records returns a reader of a stream in a directory. It needs no owner: every acknowledged record is in the files. It uses the index that
// the owner has saved (blocks.Reader.Save), and reads from the archive the records that the store lacks.
func Records(dir, stream string) *blocks.Reader {
	return blocks.NewReader(StreamIn(dir, stream), filepath.Join(dir, indexName)).WithFallback(secondCopy(filepath.Join(dir, archiveName)))
}

// StreamIn returns a stream of the store in a directory.
func StreamIn(dir, stream string) blocks.Stream {
	// "$G" is the server's global account, which has the log.
	return blocks.Stream{Name: stream, Dir: filepath.Join(storePath(dir), "jetstream", "$G", "streams", stream)}
}

// secondCopy returns a function that reads the records of a span from an archive, without damaged ones.
func secondCopy(dir string) blocks.Fallback {
	return func(ctx context.Context, after, until uint64, visit func(record.Record) bool) error {
		for r, err := range archive.Read(ctx, dir, after) {
			if _, damaged := errors.AsType[*archive.Damage](err); damaged {
				continue
			}
			switch {
			case errors.Is(err, fs.ErrNotExist): // a segment was removed meanwhile
				return nil
			case err != nil:
				return err
			case r.Seq > until || !visit(r):
				return nil
			}
		}
		return nil
	}
}
