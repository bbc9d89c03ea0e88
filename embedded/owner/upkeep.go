package owner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"journal/embedded"
	"journal/embedded/catalogue"
	"journal/embedded/store/ownership"
	"journal/journal/disk"
	"journal/projections"
)

// tick is how often an owner does its upkeep: its heartbeat, and checks of its directory,
// its binary, and whether it is idle.
const tick = time.Second

// sweepTicks is the number of ticks between two sweeps of what dead writers left
// in the spool.
const sweepTicks = 10

// quiet is the idle time before the index file is written: a working agent asks more
// often, and would wait for the processor.
const quiet = 5 * time.Second

// upkeep does the owner's upkeep until it is time to leave.
func (o *Owner) upkeep(ctx context.Context) error {
	program := runningProgram()
	// What came before requests were answered, and meanwhile.
	o.sweep(ctx)
	o.trouble(o.Drain(ctx))
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
			o.trouble(o.records.Save(indexEvents))
		}
		rests := o.Unasked() > 4*quiet
		if rests && !rested {
			debug.FreeOSMemory() // otherwise the runtime keeps the memory of the work for minutes
		}
		rested = rests
		if n%sweepTicks == 0 {
			o.sweep(ctx)
			o.writer.ReapAll(ctx)
		} else {
			o.trouble(o.Drain(ctx))
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

// catalogueEvents is the number of new events after which the table of sessions is written again: reading that many
// takes some milliseconds when sessions are listed.
const catalogueEvents = 1000

// wordStretches is the number of new stretches after which the words of the log are written again: searching that many
// takes some 20 ms.
const wordStretches = 8

// pause is how long the owner must have been idle before it writes the table of sessions. The table grows in steps of some
// milliseconds; until it is there, every list reads the log.
const pause = time.Second

// keepCatalogue updates the table of sessions from the log while the owner is idle.
func (o *Owner) keepCatalogue(ctx context.Context) {
	k := catalogue.Keeper{Dir: o.lock.Dir(), Log: o.log, Records: o.records, Config: func() projections.Config { return o.config.Settings().Fold }}
	unasked := func() bool { return o.Unasked() > pause && o.lock.Intact() }
	rests := func() bool { return o.Unasked() > quiet && o.lock.Intact() }
	for range embedded.Ticks(ctx, tick) {
		if !unasked() {
			continue
		}
		err := k.Keep(ctx, catalogueEvents, unasked)
		if err == nil && unasked() {
			err = k.KeepCommon(ctx, catalogueEvents, unasked)
		}
		if err == nil && rests() {
			err = k.KeepWords(ctx, wordStretches, rests)
		}
		if err != nil && ctx.Err() == nil {
			o.trouble(err)
		}
	}
}

// lookNow makes upkeep check the owner at once.
func (o *Owner) lookNow() {
	select {
	case o.look <- struct{}{}:
	default: // it is about to check
	}
}

// able returns an error if the owner cannot go on: ownership.ErrReplaced or ErrUnhealthy.
func (o *Owner) able() error {
	if !o.lock.Intact() {
		return ownership.ErrReplaced
	}
	o.trouble(o.lock.Beat(ownership.Holder{Version: o.config.Version}))
	if err := o.server.Healthy(); err != nil {
		o.trouble(err)
		return fmt.Errorf("%w: %w", ErrUnhealthy, err)
	}
	return nil
}

// idle reports whether there are no connections, nothing was asked for the idle time, and a team's hub, if
// it can be reached, has everything.
func (o *Owner) idle() bool {
	return o.config.Idle > 0 && o.server.Clients() == 0 && o.Unasked() > o.config.Idle && !o.hub.Busy()
}

// program is the file that this process was started from.
type program struct {
	path string
	info os.FileInfo // as it was at the start; nil if not known
}

func runningProgram() program {
	path, _ := os.Executable() // nothing is at an empty path
	info, _ := os.Stat(path)
	return program{path, info}
}

func (p program) replaced() bool {
	if p.info == nil {
		return false
	}
	now, err := os.Stat(p.path)
	return err != nil || !os.SameFile(now, p.info) || now.ModTime() != p.info.ModTime()
}

// sweep drains the spool, including what dead writers left complete, and removes the rest and
// old hints.
func (o *Owner) sweep(ctx context.Context) {
	o.intake.Sweep(ctx)
	for _, name := range []string{"usage", "observed"} {
		dir := filepath.Join(o.lock.Dir(), name)
		hints, _ := disk.ReadDir(dir) // none as long as no statusline has written any
		for _, h := range hints {
			if fi, err := h.Info(); err == nil && time.Since(fi.ModTime()) > hintAge {
				_ = os.Remove(filepath.Join(dir, h.Name()))
			}
		}
	}
}

// hintAge is how long the hints of a session's statusline and of a project's
// observed files are kept after the last one. Without a hint one more sample is
// stored, and files are read once more.
const hintAge = 7 * 24 * time.Hour

// Head returns the sequence of the newest event.
func (o *Owner) Head() uint64 { return o.writer.Head() }

// writeHead notes the newest sequence for appenders, as the floor of what they
// spool. It is a lower bound, so it need not be synced.
func (o *Owner) writeHead() {
	if !o.lock.Intact() {
		return // the directory is another owner's now
	}
	path := filepath.Join(o.lock.Dir(), "head")
	if err := disk.ReplaceAlone(path, fmt.Appendf(nil, "%d\n", o.Head()), 0o600); err != nil {
		o.trouble(fmt.Errorf("head file: %w", err))
	}
}
