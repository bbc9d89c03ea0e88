package owner

import (
	"context"
	"errors"
	"sync"
)

// handlerGrace bounds what requests at work are waited for when the owner leaves,
// before they are cancelled: as long as one event may take.
const handlerGrace = storeWait

// ErrUnhealthy is returned by Serve when the store takes no writes any more, which
// only a new start of the server ends. Hooks spool until then.
var ErrUnhealthy = errors.New("the owner leaves")

// Serve answers requests until ctx ends, somebody asks it to stop, nobody asked
// anything for the idle time, its binary is replaced or its directory is gone.
// It does not close the owner; nothing that it started goes on after it. ready, which
// may be nil, is called once requests are answered; its error ends Serve. What waits in the
// spool is drained after that: whoever asks meanwhile is answered, and whoever reports
// queues up behind it. An owner serves once.
func (o *Owner) Serve(ctx context.Context, ready func() error) error {
	o.writer.mu.Lock()
	o.writer.followers.on = true
	o.writer.mu.Unlock()
	defer o.uplink.start()()
	defer func() {
		if !o.lock.Intact() {
			o.handlers.cancel() // what they write is for somebody else's directory
		}
		o.handlers.close(handlerGrace)
		if o.lock.Intact() {
			o.readLast()
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
	work.Go(func() { o.following(beside) })
	work.Go(func() { o.linking(beside) })
	work.Go(func() { o.scrubbing(beside) })
	defer func() {
		stop()
		work.Wait()
	}()
	return o.upkeep(ctx)
}

// Rested says whether Serve returned because nobody asked anything for the idle time.
func (o *Owner) Rested() bool { return o.rested.Load() }

// Leave makes Serve return.
func (o *Owner) Leave() { o.left.Do(func() { close(o.leave) }) }

// Retired says whether a newer program asked this owner to make way. What waits
// in the spool then is for that one.
func (o *Owner) Retired() bool { return o.retired.Load() }
