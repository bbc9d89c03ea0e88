// Package copies reads the two copies of a log, the store and the archive, without an owner. Walk visits the records of both, Offline opens
// the log from their files, and Losses returns the losses that the log has recorded. Scrub reads both slowly, to find damage in one copy
// while the other is good. It writes only a file with its progress, which is a cache.
package copies

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/journal/disk"
)

// ScrubOptions configures a pass.
type ScrubOptions struct {
	// Rate is the greatest number of bytes read per second; 0 is scrubRate.
	Rate int
	// Until is a sequence that the server has acknowledged. A store that ends before it is damaged.
	Until uint64
	// Idle, if set, reports whether the pass may go on. If not, Scrub returns context.Canceled within one read.
	Idle func() bool
	// Found, which may be nil, is called with damage that the last whole pass did not find.
	Found func(Damage)
}

// scrubRate is the default rate: a gigabyte in two minutes, with about a hundredth of a processor.
const scrubRate = 8 << 20

// Scrub begins or continues a pass over the blocks of a stream and the archive in dir, and returns at the end of the pass. It saves its
// progress after each block and segment, so that the next call continues a pass that ctx or Idle has ended. No other pass over the
// directory may run meanwhile, but the directory's owner may write. The error is that of ctx, context.Canceled or that of the disk.
func Scrub(ctx context.Context, dir string, s blocks.Stream, o ScrubOptions) error {
	p := pass{ScrubOptions: o, ctx: ctx, dir: dir, state: LoadState(dir)}
	p.Rate = cmp.Or(o.Rate, scrubRate)
	if p.state.Stream != s.Name {
		p.state = State{Stream: s.Name}
	}
	if err := p.readStore(s); err != nil {
		return err
	}
	if err := p.readArchive(); err != nil {
		return err
	}
	return State{Stream: s.Name, Done: time.Now().UTC().Truncate(time.Second), Before: p.state.Found}.save(dir)
}

// pass is a pass over both copies.
type pass struct {
	ScrubOptions
	ctx   context.Context
	dir   string
	state State
}

// readStore reads the rest of the store's blocks.
func (p *pass) readStore(s blocks.Stream) error {
	for !p.state.Stored {
		damage, more, err := s.CheckNext(p.ctx, &p.state.Store, p.Until, p.pace)
		if errors.Is(err, blocks.ErrUnknown) { // not damage
			more, err = false, nil
		}
		if err != nil {
			return fmt.Errorf("scrub: %w", err)
		}
		for _, d := range damage {
			p.found(Damage{Where: Store, First: d.First, Last: d.Last, What: d.String()})
		}
		p.state.Stored = !more
		if err := p.state.save(p.dir); err != nil {
			return err
		}
	}
	return nil
}

// readArchive reads the rest of the archive's sealed segments.
func (p *pass) readArchive() error {
	for {
		last, damage, more, err := archive.CheckNext(filepath.Join(p.dir, Archive), p.state.Archive, p.pace)
		if err != nil {
			return fmt.Errorf("scrub: %w", err)
		}
		if !more {
			return nil
		}
		p.state.Archive = last
		if damage != nil {
			p.found(Damage{Where: Archive, First: damage.First, Last: damage.Last, What: damage.Error()})
		}
		if err := p.state.save(p.dir); err != nil {
			return err
		}
	}
}

// pace waits for the time that some bytes may take. The error is that of ctx, or context.Canceled if the pass may not go on.
func (p *pass) pace(bytes int) error {
	timer := time.NewTimer(time.Duration(bytes) * time.Second / time.Duration(p.Rate))
	defer timer.Stop()
	select {
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-timer.C:
	}
	if p.Idle != nil && !p.Idle() {
		return context.Canceled
	}
	return nil
}

// found records damage, and reports it if the last whole pass did not find it.
func (p *pass) found(d Damage) {
	d.At = time.Now().UTC().Truncate(time.Second)
	if p.state.add(d) && p.Found != nil {
		p.Found(d)
	}
}

// ScrubName is the file in a journal directory with the progress of a pass.
const ScrubName = "scrub"

// Damage is a place in a copy that was changed or lost after it was written. Scripts rely on its JSON form.
type Damage struct {
	Where string    `json:"where"`           // store or archive
	First uint64    `json:"first,omitempty"` // damaged sequences, 0 if there are none
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

// State is the progress of a pass over both copies, with its findings.
type State struct {
	Stream  string       `json:"stream"`
	Done    time.Time    `json:"done"`    // end of the last whole pass, zero if there was none
	Store   blocks.Check `json:"store"`   // how far the store was read in this pass
	Archive uint64       `json:"archive"` // sequence up to which the archive was read in this pass
	Stored  bool         `json:"stored"`  // all of the store was read in this pass
	Found   []Damage     `json:"found"`   // in this pass
	Before  []Damage     `json:"before"`  // in the last whole pass
}

// maxState bounds the files of this package, in bytes.
const maxState = 1 << 20

// maxFound bounds the number of damaged places that a pass or journal verify records: more would not help.
const maxFound = 100

// LoadState returns the progress of the last pass, the zero State if the file cannot be read.
func LoadState(dir string) State {
	var s State
	b, err := disk.ReadFile(filepath.Join(dir, ScrubName), maxState)
	if err != nil || json.Unmarshal(b, &s) != nil {
		return State{}
	}
	return s
}

// Damage returns the damage that this pass and the previous pass found, together with more. Equal findings are returned once.
func (s State) Damage(more ...Damage) []Damage {
	all := slices.Clone(s.Found)
	for _, d := range slices.Concat(s.Before, more) {
		if !slices.ContainsFunc(all, d.same) {
			all = append(all, d)
		}
	}
	return all
}

// same reports whether two findings are of the same damage. They may be of different times.
func (d Damage) same(e Damage) bool {
	return d.Where == e.Where && d.First == e.First && d.Last == e.Last && d.What == e.What
}

// add records damage, and reports whether it is new since the last whole pass. Known damage keeps its time.
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

// save writes the state to its file, which is not synced: after a power cut a pass may begin again.
func (s State) save(dir string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := disk.ReplaceAlone(filepath.Join(dir, ScrubName), append(b, '\n')); err != nil {
		return fmt.Errorf("scrub: %w", err)
	}
	return nil
}

// ForgetDamage removes all findings, after both copies were checked in another way or written again.
func ForgetDamage(dir string) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir, ScrubName)), RememberDamage(dir, nil))
}

// VerifiedName is the file in a journal directory with the findings of the last journal verify.
const VerifiedName = "verified"

// RememberDamage replaces the findings of journal verify. A finding that was known before keeps its time. Without findings it removes the
// file.
func RememberDamage(dir string, found []Damage) error {
	path := filepath.Join(dir, VerifiedName)
	if len(found) == 0 {
		return os.RemoveAll(path)
	}
	before := VerifiedDamage(dir)
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
		return fmt.Errorf("save the findings of journal verify: %w", err)
	}
	return nil
}

// VerifiedDamage returns the findings of the last journal verify that were neither repaired nor acknowledged since. It returns none if the
// file cannot be read.
func VerifiedDamage(dir string) (found []Damage) {
	b, err := disk.ReadFile(filepath.Join(dir, VerifiedName), maxState)
	if err != nil || json.Unmarshal(b, &found) != nil {
		return nil
	}
	return found
}
