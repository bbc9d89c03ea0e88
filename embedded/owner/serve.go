package owner

import (
	"context"
	"sync"

	"journal/embedded/owner/writer"
)

// handlerGrace is the time after which an owner that leaves cancels its running requests. Storing one event may take as long.
const handlerGrace = writer.StoreWait

// ErrUnhealthy is returned by Serve if the store takes no writes until the server is restarted. Hooks spool until then.
var ErrUnhealthy = writer.ErrUnhealthy

// Serve answers requests until ctx ends, a request to stop arrives, no request arrives for the idle time, the program's file is replaced,
// the team calls TeamConfig.Leave, or the owner cannot go on. Once it answers requests it calls ready, unless that is nil; an error of
// ready ends Serve. Then it drains the spool. Meanwhile it answers queries, and reports of hooks queue up behind the spool. It does not
// close the owner. When it returns, none of its goroutines runs any more. The error is ErrUnhealthy or ownership.ErrReplaced if the owner
// cannot go on. Call it once.
func (o *Owner) Serve(ctx context.Context, ready func() error) error {
	o.reader.Begin()
	team, endTeam := context.WithCancel(context.Background())
	var linked sync.WaitGroup
	linked.Go(func() { o.runTeam(team) })
	defer linked.Wait()
	defer endTeam()
	defer func() {
		if !o.lock.Intact() {
			o.handlers.cancel() // handlers would write into another owner's directory
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
	background, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { o.reader.Run(background) })
	work.Go(func() { o.forks.Run(background) })
	work.Go(func() { o.tree.Run(background) })
	scrubber := writer.Scrubber{
		Scrub: o.config.Scrub, Dir: o.lock.Dir(), Log: o.log, Head: o.Head, IdleFor: o.idleFor, Intact: o.lock.Intact, OnError: o.reportError,
	}
	work.Go(func() { scrubber.Run(background) })
	work.Go(func() { o.keepCatalogue(background) })
	work.Go(func() { o.keepTranscripts(background) })
	defer func() {
		stop()
		work.Wait()
	}()
	return o.upkeep(ctx)
}

// LeftIdle reports whether Serve returned because no request arrived for the idle time.
func (o *Owner) LeftIdle() bool { return o.leftIdle.Load() }

// Leave makes Serve return.
func (o *Owner) Leave() { o.leaving.Do(func() { close(o.leave) }) }

// Retired reports whether a newer program asked this owner to leave. That program then drains the spool.
func (o *Owner) Retired() bool { return o.retired.Load() }
