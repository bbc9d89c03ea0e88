package scrub

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/journal/disk"
)

// VerifiedName is the file in a journal directory that keeps what a person's last reading of everything found.
const VerifiedName = "verified"

// Remember keeps what a reading of everything found, in the place of what one before did: of nothing there is no file.
func Remember(dir string, found []Damage) error {
	path := filepath.Join(dir, VerifiedName)
	if len(found) == 0 {
		return os.RemoveAll(path)
	}
	before := Verified(dir)
	found = slices.Clone(found[:min(len(found), maxFound)])
	for i, d := range found {
		found[i].At = time.Now().UTC().Truncate(time.Second)
		if n := slices.IndexFunc(before, d.same); n >= 0 {
			found[i].At = before[n].At
		}
	}
	b, err := json.Marshal(found)
	if err != nil {
		return err
	}
	if err := disk.ReplaceDurable(path, append(b, '\n')); err != nil {
		return fmt.Errorf("remember what was found: %w", err)
	}
	return nil
}

// Verified is what the last reading of everything found, until it is repaired or acknowledged. What cannot be read is
// nothing.
func Verified(dir string) (found []Damage) {
	b, err := disk.ReadFile(filepath.Join(dir, VerifiedName), maxState)
	if err != nil || json.Unmarshal(b, &found) != nil {
		return nil
	}
	return found
}
