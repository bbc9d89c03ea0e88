package embedded

import (
	"path/filepath"

	"journal/embedded/blocks"
)

// Records reads a stream of the store in a directory from its files, whoever owns
// it: what the owner has acknowledged is in them. With an index it is for one who
// reads by subject again and again (see blocks.NewReader).
func Records(dir, stream string, withIndex bool) *blocks.Reader {
	// "$G" is the account of a server without accounts.
	at := filepath.Join(storePath(dir), "jetstream", "$G", "streams", stream)
	return blocks.NewReader(blocks.Stream{Name: stream, Dir: at}, withIndex)
}
