package cli

import (
	"fmt"
	"io"
	"time"
)

const (
	// progressEvery is the time between two writes of a progress line.
	progressEvery = 100 * time.Millisecond
	// rateAfter is the time after which a rate means something.
	rateAfter = time.Second
)

// Progress is ProgressOf in bytes.
func (t *Terminal) Progress(label string) (show func(done, total int64), end func()) {
	return t.ProgressOf(label, Size)
}

// ProgressOf shows the progress of a long operation on a terminal; amount formats what
// is done. Elsewhere, and of a short operation, it shows nothing. end removes the line.
func (t *Terminal) ProgressOf(label string, amount func(uint64) string) (show func(done, total int64), end func()) {
	if !IsTerminal(t.Err) {
		return func(_, _ int64) {}, func() {}
	}
	line := newProgressLine(Verbatim(t.Err), label, amount, time.Now)
	return line.show, line.end
}

// progressLine is a line of a terminal that is written again and again. It is not safe
// for concurrent use.
type progressLine struct {
	out    io.Writer
	label  string
	amount func(uint64) string
	now    func() time.Time
	began  time.Time
	newest time.Time // when it was written last
	shown  bool
}

func newProgressLine(out io.Writer, label string, amount func(uint64) string, now func() time.Time) *progressLine {
	t := now()
	return &progressLine{out: out, label: label, amount: amount, now: now, began: t, newest: t}
}

// show shows how much is done, the rate, and how long the rest will take.
func (p *progressLine) show(done, total int64) {
	now := p.now()
	if total <= 0 || now.Sub(p.newest) < progressEvery {
		return
	}
	p.shown, p.newest, done = true, now, min(done, total) // a file may grow meanwhile
	fmt.Fprintf(p.out, "\r%s %d%% of %s", p.label, done*100/total, p.amount(uint64(total)))
	if took := now.Sub(p.began); took >= rateAfter && done > 0 {
		rate := float64(done) / took.Seconds()
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		fmt.Fprintf(p.out, ", %s/s, %v left", p.amount(uint64(rate)), left.Round(time.Second))
	}
	fmt.Fprint(p.out, "\x1b[K")
}

// end removes the line.
func (p *progressLine) end() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
