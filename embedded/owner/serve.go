package owner

import (
	"context"
	"sync"

	"journal/embedded/owner/writer"
	"journal/journal/team/upload"
)

// handlerGrace bounds the wait for running requests when the owner leaves, before
// they are cancelled: as long as storing one event may take.
const handlerGrace = writer.StoreWait

// ErrUnhealthy is returned by Serve when the store takes no more writes until the
// server is restarted. Hooks spool until then.
var ErrUnhealthy = writer.ErrUnhealthy

// Serve answers requests until ctx ends, it is asked to stop, nothing was asked for the
// idle time, its binary is replaced or its directory is gone. It does not close the owner;
// nothing that it started runs on after it. ready, which may be nil, is called once
// requests are answered; its error ends Serve. The spool is drained after that: meanwhile
// questions are answered, and reports queue up behind the spool. An owner serves once.
func (o *Owner) Serve(ctx context.Context, ready func() error) error {
	o.reader.Begin()
	defer o.hub.Start()()
	defer func() {
		if !o.lock.Intact() {
			o.handlers.cancel() // they would write into another owner's directory
		}
		o.handlers.close(handlerGrace)
		if o.lock.Intact() {
			o.reader.ReadLast()
		}
	}()
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
	work.Go(func() { o.reader.Run(beside) })
	work.Go(func() { o.forks.Run(beside) })
	work.Go(func() { o.tree.Run(beside) })
	scrubber := writer.Scrubber{
		Scrub: o.config.Scrub, Asked: o, Dir: o.lock.Dir(), Log: o.log, Head: o.Head, Intact: o.lock.Intact, Trouble: o.trouble,
	}
	work.Go(func() { scrubber.Run(beside) })
	work.Go(func() { o.keepCatalogue(beside) })
	defer func() {
		stop()
		work.Wait()
	}()
	return o.upkeep(ctx)
}

// Rested reports whether Serve returned because nothing was asked for the idle time.
func (o *Owner) Rested() bool { return o.rested.Load() }

// Missing returns what the log lacks of what a team's hub has of it, if Serve returned for that, else nil.
func (o *Owner) Missing() *upload.Missing { return o.missing.Load() }

// Leave makes Serve return.
func (o *Owner) Leave() { o.left.Do(func() { close(o.leave) }) }

// Retired reports whether a newer program asked this owner to make way. That one then
// drains the spool.
func (o *Owner) Retired() bool { return o.retired.Load() }
