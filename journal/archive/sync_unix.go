//go:build unix

package archive

import "os"

// syncDir makes renames, creations and removals in a directory durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
