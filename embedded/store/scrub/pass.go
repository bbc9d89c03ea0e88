// Package scrub reads both copies of a log where they lie, a little at a time, so that damage at rest is found while the
// other copy is good. It changes nothing but the file of how far it has come, which is a cache.
package scrub

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
)

// Options configures a pass.
type Options struct {
	// Rate is how many bytes a second are read at most; 0 is DefaultRate.
	Rate int
	// Until is a sequence that the server has acknowledged.
	Until uint64
	// Found is told of damage that no pass had found before; nil for nobody.
	Found func(Damage)
}

// DefaultRate reads a gigabyte in two minutes, with about a hundredth of a processor.
const DefaultRate = 8 << 20

// Pass goes on with a pass over the stream's store and over the archive, and returns at the end of the pass. Each block and
// segment that was read is remembered, so that a pass that ctx ended goes on behind it. Nobody else may make a pass over
// the directory, but its owner may write meanwhile.
func Pass(ctx context.Context, dir string, s blocks.Stream, o Options) error {
	at := Load(dir)
	if at.Stream != s.Name {
		at = State{Stream: s.Name}
	}
	if o.Rate == 0 {
		o.Rate = DefaultRate
	}
	pace := func(bytes int) error {
		timer := time.NewTimer(time.Duration(bytes) * time.Second / time.Duration(o.Rate))
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		}
	}
	found := func(d Damage) {
		d.At = time.Now().UTC().Truncate(time.Second)
		if at.add(d) && o.Found != nil {
			o.Found(d)
		}
	}
	for !at.Stored {
		damage, more, err := s.CheckNext(ctx, &at.Store, o.Until, pace)
		if errors.Is(err, blocks.ErrUnreadable) { // of a format that is not known: unknown is not damaged
			more, err = false, nil
		}
		if err != nil {
			return fmt.Errorf("scrub: %w", err)
		}
		for _, d := range damage {
			found(Damage{Where: Store, First: d.First, Last: d.Last, What: d.String()})
		}
		at.Stored = !more
		if err := at.save(dir); err != nil {
			return err
		}
	}
	for more := true; more; {
		var damage *archive.Damage
		var err error
		if at.Archive, damage, more, err = archive.CheckNext(filepath.Join(dir, "archive"), at.Archive, pace); err != nil {
			return fmt.Errorf("scrub: %w", err)
		}
		if damage != nil {
			found(Damage{Where: Archive, First: damage.First, Last: damage.Last, What: damage.Error()})
		}
		if more {
			if err := at.save(dir); err != nil {
				return err
			}
		}
	}
	return at.ended(time.Now().UTC().Truncate(time.Second)).save(dir)
}
