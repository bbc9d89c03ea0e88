package owner

import (
	"context"
	"time"

	"journal/embedded"
	"journal/embedded/transcriptcopies"
)

// Times between two searches for transcripts to copy: if there are new events, and if not.
const (
	keepPause = 10 * time.Second
	keepRest  = 5 * time.Minute
)

// keepTranscripts copies the clients' transcripts of ended sessions while the owner is idle, if the person chose that.
func (o *Owner) keepTranscripts(ctx context.Context) {
	k := transcriptcopies.Keeper{Dir: o.lock.Dir(), Log: o.log}
	idle := func() bool { return ctx.Err() == nil && o.IdleFor() > catalogueIdle && o.lock.Intact() }
	var last time.Time
	var seen uint64
	for now := range embedded.Ticks(ctx, tick) {
		head, rest := o.Head(), keepRest
		if head != seen {
			rest = keepPause
		}
		if now.Sub(last) < rest || !idle() {
			continue
		}
		last, seen = now, head
		if !o.config.Settings().Transcripts {
			continue
		}
		if err := k.Keep(ctx, idle); err != nil && ctx.Err() == nil {
			o.reportError(err)
		}
	}
}
