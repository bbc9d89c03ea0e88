package embedded

import (
	"context"
	"iter"
	"time"
)

// Ticks yields the time after each interval until ctx ends.
func Ticks(ctx context.Context, interval time.Duration) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				if ctx.Err() != nil || !yield(now) {
					return
				}
			}
		}
	}
}
