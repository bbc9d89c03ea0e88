package scrub

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/embedded/store/blocks"
	"journal/journal/disk"
)

// Name is the file in a journal directory that says how far a pass has come.
const Name = "scrub"

// Damage is a place that is not as it was written, in a form that scripts rely on.
type Damage struct {
	Where string    `json:"where"`           // store or archive
	First uint64    `json:"first,omitempty"` // sequences that it is about, 0 when it is about none
	Last  uint64    `json:"last,omitempty"`
	What  string    `json:"what"`
	At    time.Time `json:"at"` // when it was found
}

func (d Damage) String() string { return d.Where + ": " + d.What }

// The copies, as Damage.Where names them.
const (
	Store   = "store"
	Archive = "archive"
)

// State is how far a pass over both copies has come, and what it found.
type State struct {
	Stream  string       `json:"stream"` // that it is about
	Done    time.Time    `json:"done"`   // end of the last whole pass, zero for none
	Store   blocks.Check `json:"store"`
	Archive uint64       `json:"archive"` // sequence up to which the archive was read in this pass
	Stored  bool         `json:"stored"`  // the store was read in this pass
	Found   []Damage     `json:"found"`   // in this pass
	Before  []Damage     `json:"before"`  // in the last whole one
}

// maxState bounds what is read of the file, in bytes.
const maxState = 1 << 20

// maxFound bounds the places that a pass remembers: many are one trouble.
const maxFound = 100

// Load reads how far the last pass came. What cannot be read is no pass.
func Load(dir string) State {
	var s State
	b, err := disk.ReadFile(filepath.Join(dir, Name), maxState)
	if err != nil || json.Unmarshal(b, &s) != nil {
		return State{}
	}
	return s
}

// Damage lists what this pass and the one before found, and what else did, each once.
func (s State) Damage(more ...Damage) []Damage {
	all := slices.Clone(s.Found)
	for _, d := range slices.Concat(s.Before, more) {
		if !slices.ContainsFunc(all, d.same) {
			all = append(all, d)
		}
	}
	return all
}

func (d Damage) same(e Damage) bool {
	return d.Where == e.Where && d.First == e.First && d.Last == e.Last && d.What == e.What
}

// add remembers what was found, and says whether no pass had found it before.
func (s *State) add(d Damage) (fresh bool) {
	i := slices.IndexFunc(s.Before, d.same)
	if i >= 0 {
		d.At = s.Before[i].At
	}
	if len(s.Found) < maxFound {
		s.Found = append(s.Found, d)
	}
	return i < 0
}

// ended is the state after a whole pass.
func (s State) ended(now time.Time) State {
	return State{Stream: s.Stream, Done: now, Before: s.Found}
}

// save leaves the state for the next owner. It is a cache: after a power cut a pass begins anew.
func (s State) save(dir string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := disk.ReplaceAlone(filepath.Join(dir, Name), append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("scrub: %w", err)
	}
	return nil
}

// Forget removes all that was found: both copies were read otherwise, or written anew.
func Forget(dir string) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir, Name)), Remember(dir, nil))
}
