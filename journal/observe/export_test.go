package observe

import "time"

// Patient lifts the watcher's time limits, for busy machines and the race detector.
func (w *Watcher) Patient() *Watcher {
	w.softStop, w.hardStop = time.Minute, time.Minute
	return w
}
