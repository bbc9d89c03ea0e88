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

// Records reads a stream of the store in a directory from its files, whoever owns
// it: what the owner has acknowledged is in them. It begins with the index that the
// owner keeps in a file (blocks.Reader.Save).
func Records(dir, stream string) *blocks.Reader {
	return blocks.NewReader(StreamIn(dir, stream)).Indexed(filepath.Join(dir, indexName)).Beside(secondCopy(filepath.Join(dir, archiveName)))
}

// StreamIn is a stream of the store in a directory.
func StreamIn(dir, stream string) blocks.Stream {
	// "$G" is the account of a server without accounts.
	return blocks.Stream{Name: stream, Dir: filepath.Join(storePath(dir), "jetstream", "$G", "streams", stream)}
}

// secondCopy reads what an archive has of a span; its own damage is left out.
func secondCopy(dir string) blocks.Second {
	return func(ctx context.Context, after, until uint64, each func(record.Record) bool) error {
		for r, err := range archive.Read(ctx, dir, after) {
			if _, damaged := errors.AsType[*archive.Damage](err); damaged {
				continue
			}
			switch {
			case errors.Is(err, fs.ErrNotExist): // there is no archive yet
				return nil
			case err != nil:
				return err
			case r.Seq > until || !each(r):
				return nil
			}
		}
		return nil
	}
}
