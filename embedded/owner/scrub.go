package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"journal/embedded"
	"journal/embedded/store/scrub"
)

// Scrub says when and how fast both copies of the log are read, to find damage while one of them is good. The zero value
// is what an owner should do.
type Scrub struct {
	Quiet time.Duration // nobody asked anything for so long; 0 is scrubQuiet
	Every time.Duration // between the ends of two passes; 0 is scrubEvery
	Rate  int           // bytes a second at most; 0 is scrub.DefaultRate
}

const (
	scrubQuiet = 20 * time.Second
	scrubEvery = 7 * 24 * time.Hour
	scrubRetry = time.Minute // after a pass that failed
)

// scrubbing reads both copies while nobody asks anything, until ctx ends. Who asks stops it at once (touch).
func (o *Owner) scrubbing(ctx context.Context) {
	quiet, every := cmp.Or(o.config.Scrub.Quiet, scrubQuiet), cmp.Or(o.config.Scrub.Every, scrubEvery)
	for {
		wait := max(quiet-o.unasked(), quiet/10)
		if due := time.Until(scrub.Load(o.lock.Dir()).Done.Add(every)); due > wait {
			wait = min(due, every) // a clock that was set back must not forbid it for ever
		}
		pause(ctx, wait, nil)
		if ctx.Err() != nil {
			return
		}
		switch err := o.scrub(ctx, quiet); {
		case err == nil, errors.Is(err, context.Canceled):
		default:
			o.trouble(err)
			pause(ctx, scrubRetry, nil)
		}
	}
}

// scrub goes on with a pass, unless somebody asked something a moment ago.
func (o *Owner) scrub(ctx context.Context, quiet time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o.interrupt.Store(&stop)
	defer o.interrupt.Store(nil)
	if o.unasked() < quiet || !o.lock.Intact() {
		return context.Canceled
	}
	return scrub.Pass(ctx, o.lock.Dir(), embedded.StreamIn(o.lock.Dir(), o.log.Stream()), scrub.Options{
		Rate: o.config.Scrub.Rate, Until: o.Head(),
		Found: func(d scrub.Damage) { o.trouble(fmt.Errorf("damage at rest: %s; try: journal repair", d)) },
	})
}
