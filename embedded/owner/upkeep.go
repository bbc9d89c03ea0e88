package owner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"journal/embedded/catalogue"
	"journal/embedded/store/ownership"
	"journal/journal/disk"
	"journal/projections"
)

// tick is how often an owner looks after itself: its heartbeat, its directory,
// its binary, its idleness.
const tick = time.Second

// sweepTicks is how many ticks lie between two looks for what dead writers left
// in the spool.
const sweepTicks = 10

// quiet is how long nothing was asked when the file of the index is written: an agent
// that works asks more often, and would wait for the processor.
const quiet = 5 * time.Second

// upkeep looks after the owner until it is time to leave.
func (o *Owner) upkeep(ctx context.Context) error {
	program := runningProgram()
	// What came before the door was open, and what came meanwhile.
	o.sweep(ctx)
	if err := o.Drain(ctx); err != nil {
		o.trouble(err)
	}
	// Versions before kept states of folds there. Everything in it follows from the
	// log, and may hold what is forgotten since.
	if err := os.RemoveAll(filepath.Join(o.lock.Dir(), "snapshots")); err != nil {
		o.trouble(err)
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	rested := false
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-o.leave:
			return nil
		case <-o.look:
		case <-ticker.C:
		}
		if err := o.able(); err != nil {
			return err
		}
		o.writeHead()
		if o.Unasked() > quiet {
			if err := o.records.Save(indexEvents); err != nil {
				o.trouble(err)
			}
		}
		rests := o.Unasked() > 4*quiet
		if rests && !rested {
			debug.FreeOSMemory() // what the work took; left alone the collector keeps it for minutes
		}
		rested = rests
		if n%sweepTicks == 0 {
			o.sweep(ctx)
			o.writer.ReapAll(ctx)
		} else if err := o.Drain(ctx); err != nil {
			o.trouble(err)
		}
		switch {
		case program.replaced():
			o.config.Logger.Info("owner leaves: its binary was replaced")
			return nil
		case o.idle():
			o.config.Logger.Info("owner leaves: idle")
			o.rested.Store(true)
			return nil
		}
	}
}

// catalogueEvents is how many events are new when the table of sessions is written again: to read so many takes
// whoever lists sessions some milliseconds.
const catalogueEvents = 1000

// wordStretches is how many stretches are new when the words of the log are written again: to look through so many takes
// a search some 20 ms.
const wordStretches = 8

// keepCatalogue moves the table of sessions on with the log while nobody asks anything.
func (o *Owner) keepCatalogue(ctx context.Context) {
	k := catalogue.Keeper{Dir: o.lock.Dir(), Log: o.log, Config: func() projections.Config { return o.config.Settings().Fold }}
	unasked := func() bool { return o.Unasked() > quiet && o.lock.Intact() }
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !unasked() {
			continue
		}
		err := k.Keep(ctx, catalogueEvents, unasked)
		if err == nil && unasked() {
			err = k.KeepWords(ctx, wordStretches, unasked)
		}
		if err != nil && ctx.Err() == nil {
			o.trouble(err)
		}
	}
}

// lookNow has upkeep look after the owner at once.
func (o *Owner) lookNow() {
	select {
	case o.look <- struct{}{}:
	default: // it is about to
	}
}

// able says why the owner cannot go on: ownership.ErrReplaced or ErrUnhealthy.
func (o *Owner) able() error {
	if !o.lock.Intact() {
		return ownership.ErrReplaced
	}
	if err := o.lock.Beat(ownership.Holder{Version: o.config.Version}); err != nil {
		o.trouble(err)
	}
	if err := o.server.Healthy(); err != nil {
		o.trouble(err)
		return fmt.Errorf("%w: %w", ErrUnhealthy, err)
	}
	return nil
}

// idle reports whether nobody is connected, nobody asked anything for the idle time, and a team's hub that
// can be reached has everything.
func (o *Owner) idle() bool {
	return o.config.Idle > 0 && o.server.Clients() == 0 && o.Unasked() > o.config.Idle && !o.hub.Busy()
}

// program is the file that this process was started from.
type program struct {
	path string
	info os.FileInfo // as it was; nil when that is not known
}

func runningProgram() program {
	path, err := os.Executable()
	if err != nil {
		return program{}
	}
	info, err := os.Stat(path)
	if err != nil {
		return program{}
	}
	return program{path, info}
}

func (p program) replaced() bool {
	if p.info == nil {
		return false
	}
	now, err := os.Stat(p.path)
	return err != nil || !os.SameFile(now, p.info) || now.ModTime() != p.info.ModTime()
}

// sweep drains the spool with what dead writers left, and removes the rest, and hints
// that nobody needs any more.
func (o *Owner) sweep(ctx context.Context) {
	o.intake.Sweep(ctx)
	for _, hints := range []string{"usage", "observed"} {
		o.sweepHints(filepath.Join(o.lock.Dir(), hints))
	}
}

// hintAge is how long the hints of a session's statusline and of a project's
// observed files are kept after the last one. Without a hint one sample more is
// stored, and files are read once more.
const hintAge = 7 * 24 * time.Hour

func (o *Owner) sweepHints(dir string) {
	hints, err := disk.ReadDir(dir)
	if err != nil {
		return // no statusline has written any
	}
	for _, h := range hints {
		if fi, err := h.Info(); err == nil && time.Since(fi.ModTime()) > hintAge {
			_ = os.Remove(filepath.Join(dir, h.Name()))
		}
	}
}

// Head is the sequence of the newest event.
func (o *Owner) Head() uint64 { return o.writer.Head() }

// writeHead leaves the head sequence for appenders, as the floor of what they
// spool. It is a lower bound, so it need not be synced.
func (o *Owner) writeHead() {
	if !o.lock.Intact() {
		return // the directory is somebody else's
	}
	path := filepath.Join(o.lock.Dir(), "head")
	if err := disk.ReplaceAlone(path, fmt.Appendf(nil, "%d\n", o.Head()), 0o600); err != nil {
		o.trouble(fmt.Errorf("head file: %w", err))
	}
}
