package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// writeDurable puts data at path so that after a power cut either the old file
// or the whole new one is there. Callers hold the lock, so one name aside is
// enough, and a leftover of a killed owner may be overwritten.
func writeDurable(path string, data []byte) error {
	aside := path + ".new"
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|disk.NoFollow, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", aside, err)
	}
	if err := os.Rename(aside, path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(path))
}
