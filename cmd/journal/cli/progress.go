package cli

import (
	"fmt"
	"time"
)

// progressEvery is the least time between two writes of a progress line.
const progressEvery = 100 * time.Millisecond

// Progress returns two functions for an operation: show writes on a terminal how much of it is done, end removes that line.
// Without a terminal, and in the first progressEvery, show writes nothing. The functions are not safe for concurrent use.
func (t *Terminal) Progress(label string) (show func(done, total int64), end func()) {
	if !IsTerminal(t.Err) {
		return func(_, _ int64) {}, func() {}
	}
	out, written, shown := Verbatim(t.Err), time.Now(), false
	show = func(done, total int64) {
		if total <= 0 || time.Since(written) < progressEvery {
			return
		}
		written, shown = time.Now(), true
		fmt.Fprintf(out, "\r%s %d%%\x1b[K", label, min(done, total)*100/total) // a file may grow meanwhile
	}
	end = func() {
		if shown {
			fmt.Fprint(out, "\r\x1b[K")
		}
	}
	return show, end
}
