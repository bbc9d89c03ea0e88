// Package disk makes changes of directories durable.
package disk

import "os"

// SyncDir makes the names in a directory durable: what was created in it, renamed
// and removed before.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return Sync(dir)
}
