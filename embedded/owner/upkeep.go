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
	"journal/embedded/owner/writer"
	"journal/embedded/store/ownership"
	"journal/journal/disk"
	"journal/projections"
)

// tick is the interval of an owner's upkeep: its heartbeat, and the checks of its directory, its program and its idle time.
const tick = time.Second

// sweepTicks is the number of rounds of upkeep, one a tick, between two sweeps. A sweep also handles the files that dead writers left in
// the spool.
const sweepTicks = 10

// indexIdle is the idle time before the owner writes the index file and the words of the log. A working agent sends requests more often,
// and would wait for the processor.
const indexIdle = 5 * time.Second

// memoryIdle is the idle time before the owner returns free memory to the system.
const memoryIdle = 20 * time.Second

// upkeep does the owner's upkeep until it is time to leave. See Serve for its error.
func (o *Owner) upkeep(ctx context.Context) error {
	program := runningProgram()
	o.sweep(ctx) // reports that were spooled before the owner could answer
	o.reportError(o.Drain(ctx))
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	wasQuiet := false // at the last tick
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-o.leave:
			return nil
		case <-o.checks:
		case <-ticker.C:
		}
		if err := o.checkHealth(); err != nil {
			return err
		}
		o.writeHead()
		if o.idleFor() > indexIdle {
			o.reportError(o.records.Save(indexEvents))
		}
		quiet := o.idleFor() > memoryIdle
		if quiet && !wasQuiet {
			debug.FreeOSMemory() // else the runtime keeps the memory for minutes
		}
		wasQuiet = quiet
		if n%sweepTicks == 0 {
			o.sweep(ctx)
			o.writer.ReapAll(ctx)
		} else {
			o.reportError(o.Drain(ctx))
		}
		switch {
		case program.replaced():
			o.config.Logger.Info("owner leaves: its binary was replaced")
			return nil
		case o.idle():
			o.config.Logger.Info("owner leaves: idle")
			o.leftIdle.Store(true)
			return nil
		}
	}
}

// catalogueEvents is the number of new events after which the derived files are written again. A list of sessions reads that many in some
// milliseconds.
const catalogueEvents = 1000

// catalogueIdle is the idle time before the owner writes the table of sessions or copies transcripts. It is short, because without the
// table every list reads the whole log, and because the work stops when a request arrives.
const catalogueIdle = time.Second

// keepCatalogue updates the files of the table of sessions and of the words of the log while the owner is idle.
func (o *Owner) keepCatalogue(ctx context.Context) {
	k := catalogue.Keeper{Dir: o.lock.Dir(), Log: o.log, Config: func() projections.Config { return o.config.Settings().Fold }}
	idle := func() bool { return o.idleFor() > catalogueIdle && o.lock.Intact() }
	canIndex := func() bool { return o.idleFor() > indexIdle && o.lock.Intact() }
	update := func() error {
		if !idle() {
			return nil
		}
		if err := k.Keep(ctx, catalogueEvents, idle); err != nil || !canIndex() {
			return err
		}
		return k.KeepWords(ctx, catalogueEvents, canIndex)
	}
	for range embedded.Ticks(ctx, tick) {
		if err := update(); err != nil && ctx.Err() == nil {
			o.reportError(err)
		}
	}
}

// requestCheck makes upkeep check the health of the owner at once.
func (o *Owner) requestCheck() { writer.Notify(o.checks) }

// checkHealth checks the lock and the server, and writes the heartbeat. It returns ownership.ErrReplaced or ErrUnhealthy if the owner
// cannot go on.
func (o *Owner) checkHealth() error {
	if !o.lock.Intact() {
		return ownership.ErrReplaced
	}
	o.reportError(o.lock.Beat(o.config.Version))
	if err := o.server.Healthy(); err != nil {
		o.reportError(err)
		return fmt.Errorf("%w: %w", ErrUnhealthy, err)
	}
	return nil
}

// idle reports whether the owner may leave: it has an idle time, no request arrived for that time, no client is connected, and the team is
// not busy.
func (o *Owner) idle() bool {
	if t := o.joined(); t != nil && t.Busy() {
		return false
	}
	return o.config.Idle > 0 && o.server.Clients() == 0 && o.idleFor() > o.config.Idle
}

// program describes the file from which this process was started.
type program struct {
	path string
	info os.FileInfo // at the start; nil if unknown
}

// runningProgram returns the file of this process.
func runningProgram() program {
	path, _ := os.Executable() // nothing is at an empty path
	info, _ := os.Stat(path)
	return program{path, info}
}

// replaced reports whether the program's file is gone or is another file now.
func (p program) replaced() bool {
	if p.info == nil {
		return false
	}
	now, err := os.Stat(p.path)
	return err != nil || !os.SameFile(now, p.info) || now.ModTime() != p.info.ModTime()
}

// sweep drains the spool, including complete files of dead writers. It removes incomplete files of dead writers, and hints older than
// hintAge.
func (o *Owner) sweep(ctx context.Context) {
	o.intake.Sweep(ctx)
	for _, name := range []string{"usage", "observed"} {
		dir := filepath.Join(o.lock.Dir(), name)
		hints, _ := disk.ReadDir(dir) // a missing directory has none
		for _, h := range hints {
			if fi, err := h.Info(); err == nil && time.Since(fi.ModTime()) > hintAge {
				_ = os.Remove(filepath.Join(dir, h.Name()))
			}
		}
	}
}

// hintAge is the age at which hints are removed. A hint is the newest usage sample of a session, or the size and time of a project's
// observed files. Without it one more sample is stored, or the files are read once more.
const hintAge = 7 * 24 * time.Hour

// Head returns the sequence of the newest event.
func (o *Owner) Head() uint64 { return o.writer.Head() }

// writeHead writes the newest sequence to the head file. Appenders put that sequence into the reports that they spool. It is a lower bound,
// so the file need not be synced.
func (o *Owner) writeHead() {
	if !o.lock.Intact() {
		return // another owner has the directory
	}
	path := filepath.Join(o.lock.Dir(), "head")
	if err := disk.ReplaceAlone(path, fmt.Appendf(nil, "%d\n", o.Head())); err != nil {
		o.reportError(fmt.Errorf("write the head file: %w", err))
	}
}
