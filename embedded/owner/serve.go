package owner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"journal/embedded"
)

// tick is how often an owner looks after itself: its heartbeat, its directory,
// its binary, its idleness.
const tick = time.Second

// sweepTicks is how many ticks lie between two looks for what dead writers left
// in the spool.
const sweepTicks = 10

// handlerGrace bounds what requests at work are waited for when the owner leaves,
// before they are cancelled: as long as one event may take.
const handlerGrace = storeWait

// quiet is how long nothing was asked when the file of the index is written: an agent
// that works asks more often, and would wait for the processor.
const quiet = 5 * time.Second

// ErrUnhealthy is returned by Serve when the store takes no writes any more, which
// only a new start of the server ends. Hooks spool until then.
var ErrUnhealthy = errors.New("the owner leaves")

// Serve answers requests until ctx ends, somebody asks it to stop, nobody asked
// anything for the idle time, its binary is replaced or its directory is gone.
// It does not close the owner; nothing that it started goes on behind it. ready, which
// may be nil, is called once requests are answered; its error ends Serve. It is called
// once.
func (o *Owner) Serve(ctx context.Context, ready func() error) error {
	o.sweep(ctx)
	defer func() { o.handlers.close(handlerGrace) }()
	if err := o.subscribe(); err != nil {
		return err
	}
	if err := o.server.Serve(); err != nil {
		return err
	}
	if ready != nil {
		if err := ready(); err != nil {
			return err
		}
	}
	beside, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { o.confirming(beside) })
	work.Go(func() { o.linking(beside) })
	defer func() {
		stop()
		work.Wait()
	}()
	return o.look(ctx)
}

func (o *Owner) look(ctx context.Context) error {
	binary, started := executable()
	// What came before the door was open.
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
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-o.leave:
			return nil
		case <-ticker.C:
		}
		if !o.lock.Intact() {
			return embedded.ErrReplaced
		}
		if err := o.lock.Beat(embedded.Holder{Version: o.config.Version}); err != nil {
			o.trouble(err)
		}
		if err := o.server.Healthy(); err != nil {
			o.trouble(err)
			return fmt.Errorf("%w: %w", ErrUnhealthy, err)
		}
		o.writeHead()
		if n++; n%sweepTicks == 0 {
			o.sweep(ctx)
		} else if err := o.Drain(ctx); err != nil {
			o.trouble(err)
		}
		idle := time.Since(time.Unix(0, o.active.Load()))
		if idle > quiet {
			if err := o.records.Save(indexEvents); err != nil {
				o.trouble(err)
			}
		}
		if now, err := os.Stat(binary); started != nil && (err != nil || !os.SameFile(now, started) || now.ModTime() != started.ModTime()) {
			o.config.Logger.Info("owner leaves: its binary was replaced")
			return nil
		}
		if o.config.Idle > 0 && o.server.Clients() == 0 && idle > o.config.Idle {
			o.config.Logger.Info("owner leaves: idle")
			return nil
		}
	}
}

func executable() (string, os.FileInfo) {
	path, err := os.Executable()
	if err != nil {
		return "", nil
	}
	fi, err := os.Stat(path)
	if err != nil {
		return path, nil
	}
	return path, fi
}

// Drain appends what waits in the spool.
func (o *Owner) Drain(ctx context.Context) error { return o.append(ctx, nil, "") }

// sweep drains the spool with what dead writers left, and removes the rest.
func (o *Owner) sweep(ctx context.Context) {
	o.writer.mu.Lock()
	defer o.writer.mu.Unlock()
	if _, err := o.drainAll(ctx); err != nil {
		o.trouble(err)
	}
	if _, err := o.spool.Sweep(time.Now()); err != nil {
		o.trouble(err)
	}
	for _, hints := range []string{"usage", "observed"} {
		o.sweepHints(filepath.Join(o.lock.Dir(), hints))
	}
}

// hintAge is how long the hints of a session's statusline and of a project's
// observed files are kept after the last one. Without a hint one sample more is
// stored, and files are read once more.
const hintAge = 7 * 24 * time.Hour

func (o *Owner) sweepHints(dir string) {
	hints, err := os.ReadDir(dir)
	if err != nil {
		return // no statusline has written any
	}
	for _, h := range hints {
		if fi, err := h.Info(); err == nil && time.Since(fi.ModTime()) > hintAge {
			_ = os.Remove(filepath.Join(dir, h.Name()))
		}
	}
}

// Leave makes Serve return.
func (o *Owner) Leave() { o.left.Do(func() { close(o.leave) }) }

// Retired says whether a newer program asked this owner to make way. What waits
// in the spool then is for that one.
func (o *Owner) Retired() bool { return o.retired.Load() }
