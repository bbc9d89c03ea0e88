package notes

import (
	"path"
	"time"
)

// At lets the watcher look at that moment.
func (w *Watcher) At(now time.Time) { w.now = func() time.Time { return now } }

// Stuck keeps the parser of one file busy for ever, and lets the time for looking
// be over as soon as it is. budget is what the watcher had asked for.
func (w *Watcher) Stuck(name string) (budget <-chan time.Duration) {
	asked, over := make(chan time.Duration, 1), make(chan time.Time)
	w.after = func(d time.Duration) <-chan time.Time {
		asked <- d
		return over
	}
	parse := w.fill
	w.fill = func(found *File, content []byte) {
		if path.Base(found.Path) == name {
			close(over)
			select {}
		}
		parse(found, content)
	}
	return asked
}
