package owner

import (
	"context"
	"time"

	"journal/embedded"
	"journal/embedded/transcriptcopies"
)

// The least times between two searches for transcripts to copy.
const (
	keepPause = 10 * time.Second // if there are new events
	keepRest  = 5 * time.Minute  // if there are none
)

// keepTranscripts copies the clients' transcripts of ended sessions while the owner is idle, if the person chose that.
func (o *Owner) keepTranscripts(ctx context.Context) {
	k := transcriptcopies.Keeper{Dir: o.lock.Dir(), Log: o.log.PastMalformed(nil)}
	idle := func() bool { return ctx.Err() == nil && o.idleFor() > catalogueIdle && o.lock.Intact() }
	var last time.Time
	var lastHead uint64 // head at the last search
	for now := range embedded.Ticks(ctx, tick) {
		head, pause := o.Head(), keepRest
		if head != lastHead {
			pause = keepPause
		}
		if now.Sub(last) < pause || !idle() {
			continue
		}
		last, lastHead = now, head
		if !o.config.Settings().Transcripts {
			continue
		}
		if err := k.Keep(ctx, idle); err != nil && ctx.Err() == nil {
			o.reportError(err)
		}
	}
}
