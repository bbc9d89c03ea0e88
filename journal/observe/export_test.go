package observe

import "time"

// Patient gives the watcher all the time that a busy machine and the race
// detector may need.
func (w *Watcher) Patient() *Watcher {
	w.softStop, w.hardStop = time.Minute, time.Minute
	return w
}
