package embedded

import (
	"path/filepath"

	"journal/embedded/blocks"
)

// Records reads a stream of the store in a directory from its files, whoever owns
// it: what the owner has acknowledged is in them. It begins with the index that the
// owner keeps in a file (blocks.Reader.Save).
func Records(dir, stream string) *blocks.Reader {
	// "$G" is the account of a server without accounts.
	at := filepath.Join(storePath(dir), "jetstream", "$G", "streams", stream)
	return blocks.NewReader(blocks.Stream{Name: stream, Dir: at}).Indexed(filepath.Join(dir, indexName))
}
