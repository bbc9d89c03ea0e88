package embedded

import "path/filepath"

// The names inside a journal directory that this package reads and writes.
const (
	lockName   = "owner.lock"
	failedName = "owner.failed"
	cleanName  = "clean"
	formatName = "format"
	storeName  = "store"
	indexName  = "index" // where each event lies, see blocks.Reader.Save
)

func lockPath(dir string) string   { return filepath.Join(dir, lockName) }
func failedPath(dir string) string { return filepath.Join(dir, failedName) }
func cleanPath(dir string) string  { return filepath.Join(dir, cleanName) }
func formatPath(dir string) string { return filepath.Join(dir, formatName) }
func storePath(dir string) string  { return filepath.Join(dir, storeName) }
