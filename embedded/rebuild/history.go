package rebuild

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"journal/journal/disk"
)

// automaticPause is the least time between two automatic rebuilds (ADR-0012 rule 5).
const automaticPause = 24 * time.Hour

// Entry is an entry of the history. It is made when a rebuild begins, and added when the rebuild is complete.
type Entry struct {
	At        time.Time `json:"at"`
	Reason    string    `json:"reason"`
	Epoch     int       `json:"epoch"`               // of the stream that the rebuild made
	Automatic bool      `json:"automatic,omitempty"` // see Options
}

// History returns the completed rebuilds of a directory, oldest first.
func History(dir string) ([]Entry, error) {
	b, err := disk.ReadFile(filepath.Join(dir, rebuiltName), maxPlan)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Entry
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("history of rebuilds: %w", err)
	}
	return all, nil
}

// mayRebuild returns ErrRebuiltToday if an automatic rebuild has to wait. It compares absolute ages, because a clock that was set back must
// not forbid rebuilds for ever.
func mayRebuild(past []Entry, now time.Time) error {
	for _, p := range past {
		if p.Automatic && now.Sub(p.At).Abs() < automaticPause {
			return fmt.Errorf("%w: last at %s, %s", ErrRebuiltToday, p.At.Local().Format(time.DateTime), p.Reason)
		}
	}
	return nil
}

// remember adds a rebuild to the history, once.
func remember(dir string, p Entry) error {
	all, _ := History(dir) // an unreadable history is replaced
	if n := len(all); n > 0 && all[n-1].At.Equal(p.At) {
		return nil
	}
	b, err := json.MarshalIndent(append(all, p), "", "  ")
	if err != nil {
		return err
	}
	return disk.ReplaceDurable(filepath.Join(dir, rebuiltName), append(b, '\n'))
}
