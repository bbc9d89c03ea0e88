package embedded

import (
	"log/slog"
	"path/filepath"

	"journal/journal/disk"
)

// The names inside a journal directory that this package reads and writes.
const (
	cleanName   = "clean"
	formatName  = "format"
	storeName   = "store"
	archiveName = "archive"
	indexName   = "index" // where each event lies, see blocks.Reader.Save
)

// derived are the files and directories of a journal directory, whoever writes them, that
// only save work or follow from the log: an owner goes on without what somebody put in
// their place.
var derived = map[string]struct{ dir bool }{
	cleanName: {}, indexName: {}, "sessions": {}, "audits": {}, "words": {}, "scrub": {}, "head": {}, "retained": {}, "owner.failed": {}, "owner.slow": {}, "owner.hung": {},
	"journal.log": {}, "journal.log.1": {}, "usage": {dir: true}, "observed": {dir: true},
}

// reclaim puts aside what stands in the place of them and is of another kind.
func reclaim(dir string, log *slog.Logger) error {
	for name, is := range derived {
		to, err := disk.SetAside(filepath.Join(dir, name), is.dir)
		if err != nil {
			return err
		}
		if to != "" {
			log.Warn("something else was in the place of a file of the journal", "file", name, "aside", to)
		}
	}
	return nil
}

func cleanPath(dir string) string  { return filepath.Join(dir, cleanName) }
func formatPath(dir string) string { return filepath.Join(dir, formatName) }
func storePath(dir string) string  { return filepath.Join(dir, storeName) }
