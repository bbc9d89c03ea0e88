package embedded

import (
	"path/filepath"

	"journal/embedded/blocks"
)

// Records reads a stream of the store in a directory from its files, whoever owns
// it: what the owner has acknowledged is in them. With an index it is for the owner,
// who reads parts again and again (see blocks.Reader.Indexed).
func Records(dir, stream string, withIndex bool) *blocks.Reader {
	// "$G" is the account of a server without accounts.
	at := filepath.Join(storePath(dir), "jetstream", "$G", "streams", stream)
	r := blocks.NewReader(blocks.Stream{Name: stream, Dir: at})
	if withIndex {
		r = r.Indexed(filepath.Join(dir, indexName))
	}
	return r
}
