package owner

import (
	"context"
	"sync/atomic"
	"time"
)

// activity knows when something was asked last.
type activity struct {
	active atomic.Int64 // then, ns
	// interrupt ends what only runs while nothing is asked; nil when nothing does.
	interrupt atomic.Pointer[context.CancelFunc]
}

func (a *activity) touch() {
	a.active.Store(time.Now().UnixNano())
	if stop := a.interrupt.Load(); stop != nil {
		(*stop)()
	}
}

// Unasked is how long nobody has asked anything.
func (a *activity) Unasked() time.Duration { return time.Since(time.Unix(0, a.active.Load())) }

// Interrupt has whoever asks next call stop; nil is for nothing.
func (a *activity) Interrupt(stop *context.CancelFunc) { a.interrupt.Store(stop) }

// trouble notes what went wrong for the log file and for `journal status`. What
// goes wrong again with every tick is logged once.
func (o *Owner) trouble(err error) {
	is := &problem{err.Error(), time.Now()}
	if was := o.problem.Swap(is); was == nil || was.text != is.text {
		o.config.Logger.Error("owner", "error", is.text)
	}
}

// problem is what went wrong last, and when. What lasts goes wrong again with the next
// tick; what has not for problemAge is over.
type problem struct {
	text string
	at   time.Time
}

const problemAge = time.Minute

// over says whether the owner got on without it since.
func (p *problem) over(now time.Time) bool { return p == nil || now.Sub(p.at) > problemAge }
