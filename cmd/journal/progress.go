package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// progressEvery is how often a progress line is written again.
const progressEvery = 100 * time.Millisecond

// progress shows on a terminal how far something long has come; elsewhere, and
// for what is done at once, it shows nothing. show gets bytes; end removes the
// line.
func (a *app) progress(what string) (show func(done, total int64), end func()) {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	shown, last := false, time.Now()
	show = func(done, total int64) {
		if total <= 0 || time.Since(last) < progressEvery {
			return
		}
		shown, last = true, time.Now()
		fmt.Fprintf(f, "\r%s %d%% of %s\x1b[K", what, done*100/total, size(uint64(total)))
	}
	return show, func() {
		if shown {
			fmt.Fprint(f, "\r\x1b[K")
		}
	}
}
