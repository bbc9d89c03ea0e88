package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// series is what one thing took, time after time, in no order that matters.
type series []time.Duration

// at returns the percentile p, 0 to 100, by nearest rank: a time that was
// measured, never one between two. Zero for an empty series.
func (s series) at(p float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := int(p/100*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// variant is one of a group of things that are measured beside each other, and a
// line of the table.
type variant struct {
	name   string
	as     string // how the lines that are held against it call it; name when empty
	silent bool   // without a line of its own
	n      int    // samples; 0: as many as the group has
	base   int    // place in the group, from 1, of what it is held against; 0: nothing
	bar    bar
	events int // that each sample reads; its line is a rate then

	// prepare comes before each sample and after after it; neither is measured, and
	// both may be nil. run gives how long the sample took; i runs from 0, the uncounted
	// one, to n.
	prepare func()
	run     func(i int) time.Duration
	after   func()
}

// against returns the variant held against another one of its group.
func (v variant) against(base int, b bar) variant {
	v.base, v.bar = base, b
	return v
}

// bar is what the median of a variant has to reach. Zero fields ask for nothing.
type bar struct {
	most   float64 // milliseconds
	beyond float64 // milliseconds more than its base
	within float64 // share of its base by which it may differ from it
	rate   float64 // events a second, at least
	share  float64 // of its base's rate, at least
	times  float64 // of its base's time, at most
}

// of returns the bar as text, and whether x reaches it beside the base.
func (b bar) of(x, base float64, baseName string) (text string, met bool) {
	var parts []string
	met = true
	ask := func(ok bool, format string, args ...any) {
		parts, met = append(parts, fmt.Sprintf(format, args...)), met && ok
	}
	if b.most > 0 {
		ask(x <= b.most, "<= %g", b.most)
	}
	if b.beyond > 0 {
		ask(x <= base+b.beyond, "<= %s + %g", baseName, b.beyond)
	}
	if b.within > 0 {
		ask(x >= base*(1-b.within) && x <= base*(1+b.within), "within %g %%", 100*b.within)
	}
	if b.rate > 0 {
		ask(x >= b.rate, ">= %gk", b.rate/1000)
	}
	if b.share > 0 {
		ask(x >= b.share*base, ">= %g %%", 100*b.share)
	}
	if b.times > 0 {
		ask(x <= b.times*base, "<= %.4g %% of %s", 100*b.times, baseName)
	}
	return strings.Join(parts, " and "), met
}

// interleave takes n samples of each variant in turns, and in another order each
// time: what else the machine does meanwhile then slows all of them alike. One
// round before it warms caches and is not counted. It gives a series for each
// variant, in their order.
func (b *bench) interleave(n int, variants ...variant) []series {
	all := make([]series, len(variants))
	for i := range n + 1 {
		for j := range variants {
			at := (i + j) % len(variants)
			v := variants[at]
			if v.n > 0 && i > v.n {
				continue
			}
			check(b.ctx.Err())
			if v.prepare != nil {
				v.prepare()
			}
			took := v.run(i)
			if v.after != nil {
				v.after()
			}
			if i > 0 {
				all[at] = append(all[at], took)
			}
		}
	}
	return all
}

// measure takes n samples of each variant of a group and gives their lines.
func (b *bench) measure(n int, group ...variant) []line {
	return linesOf(group, b.interleave(n, group...))
}

// linesOf makes the lines of a group, given the series of each variant.
func linesOf(group []variant, got []series) (lines []line) {
	median := func(i int) float64 {
		if at := got[i].at(50); group[i].events > 0 {
			return float64(group[i].events) / at.Seconds()
		} else {
			return ms(at)
		}
	}
	for i, v := range group {
		if v.silent {
			continue
		}
		x, rate := median(i), v.events > 0
		l := line{What: v.name, N: len(got[i])}
		if rate {
			l.Value = fmt.Sprintf("%.0fk events/s", x/1000)
		} else {
			l.P50, l.P95, l.P99 = x, ms(got[i].at(95)), ms(got[i].at(99))
		}
		base, name := 0.0, ""
		if v.base > 0 {
			of := group[v.base-1]
			if base, name = median(v.base-1), of.as; name == "" {
				name = of.name
			}
			if rate {
				l.Baseline, l.Beyond = fmt.Sprintf("%s %.0fk", name, base/1000), fmt.Sprintf("%.0f %%", 100*x/base)
			} else {
				l.Baseline, l.Beyond = fmt.Sprintf("%s %.2f", name, base), fmt.Sprintf("%+.2f (%.2fx)", x-base, x/base)
			}
		}
		if text, met := v.bar.of(x, base, name); text != "" {
			l = l.reached(text, met)
		}
		lines = append(lines, l)
	}
	return lines
}

// process is a program to start.
type process struct {
	args []string // its path first
	env  []string // all of it
}

// run starts the process and waits for its end. The time is that of its parent:
// from before the start until the wait returned. Its streams are files, so that
// nothing of ours has to copy while it runs. Anything but exit code 0 is an error.
func (p process) run(stdin, stdout *os.File) (time.Duration, error) {
	attr := &os.ProcAttr{Env: p.env, Files: []*os.File{stdin, stdout, stdout}}
	began := time.Now()
	child, err := os.StartProcess(p.args[0], p.args, attr)
	if err != nil {
		return 0, err
	}
	state, err := child.Wait()
	took := time.Since(began)
	if err == nil && !state.Success() {
		err = fmt.Errorf("%v: %v", p.args, state)
	}
	return took, err
}
