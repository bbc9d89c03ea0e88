package embedded

import "path/filepath"

// The names inside a journal directory that this package reads and writes.
const (
	cleanName  = "clean"
	formatName = "format"
	storeName  = "store"
	indexName  = "index" // where each event lies, see blocks.Reader.Save
)

func cleanPath(dir string) string  { return filepath.Join(dir, cleanName) }
func formatPath(dir string) string { return filepath.Join(dir, formatName) }
func storePath(dir string) string  { return filepath.Join(dir, storeName) }
