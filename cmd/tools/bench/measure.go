package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// series holds the samples of one variant.
type series []time.Duration

// at returns the percentile p, 0 to 100, by nearest rank: always a measured time. It returns 0 for an empty series.
func (s series) at(p float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := int(p/100*float64(len(sorted)) + 0.999999) // rounded up, unless only the division's error makes it a fraction
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// variant is one of a group that is measured in turns, and a line of the table.
type variant struct {
	name   string
	as     string // its name in the lines of variants that are compared with it; empty means name
	silent bool   // it has no line of its own
	n      int    // number of samples; 0: that of the group
	base   int    // number in the group, from 1, of the variant that it is compared with; 0: none
	bar    bar
	events int // number of events that each sample reads; its line then has a rate

	// run takes a sample and returns its time; i counts from 0, the sample that is not counted, to n. prepare runs before each
	// sample, and after runs after it; neither is measured, and each may be nil.
	prepare func()
	run     func(i int) time.Duration
	after   func()
}

// against returns the variant with a base of its group and a bar.
func (v variant) against(base int, b bar) variant {
	v.base, v.bar = base, b
	return v
}

// bar holds the conditions for the median of a variant. A zero field is no condition.
type bar struct {
	most   float64 // milliseconds
	beyond float64 // milliseconds more than its base
	within float64 // share of its base by which it may differ from it
	rate   float64 // events a second, at least
	share  float64 // of its base's rate, at least
	times  float64 // of its base's time, at most
}

// compare returns the bar as text, and whether the median x reaches it, with the median of its base.
func (b bar) compare(x, base float64, baseName string) (text string, met bool) {
	var parts []string
	met = true
	require := func(ok bool, format string, args ...any) {
		parts, met = append(parts, fmt.Sprintf(format, args...)), met && ok
	}
	if b.most > 0 {
		require(x <= b.most, "<= %g", b.most)
	}
	if b.beyond > 0 {
		require(x <= base+b.beyond, "<= %s + %g", baseName, b.beyond)
	}
	if b.within > 0 {
		require(x >= base*(1-b.within) && x <= base*(1+b.within), "within %g %%", 100*b.within)
	}
	if b.rate > 0 {
		require(x >= b.rate, ">= %gk", b.rate/1000)
	}
	if b.share > 0 {
		require(x >= b.share*base, ">= %g %%", 100*b.share)
	}
	if b.times > 0 {
		require(x <= b.times*base, "<= %.4g %% of %s", 100*b.times, baseName)
	}
	return strings.Join(parts, " and "), met
}

// interleave takes n samples of each variant in turns, in another order each round, so that other work of the machine slows all
// of them alike. A first round warms caches and is not counted. It returns the series of each variant.
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

// measure takes n samples of each variant of a group and returns their lines.
func (b *bench) measure(n int, group ...variant) []line {
	return linesOf(group, b.interleave(n, group...))
}

// linesOf returns the lines of a group; got has the series of each variant.
func linesOf(group []variant, got []series) (lines []line) {
	median := func(i int) float64 {
		at := got[i].at(50)
		if group[i].events > 0 {
			return float64(group[i].events) / at.Seconds()
		}
		return ms(at)
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
			base, name = median(v.base-1), cmp.Or(group[v.base-1].as, group[v.base-1].name)
			if rate {
				l.Baseline, l.Beyond = fmt.Sprintf("%s %.0fk", name, base/1000), fmt.Sprintf("%.0f %%", 100*x/base)
			} else {
				l.Baseline, l.Beyond = fmt.Sprintf("%s %.2f", name, base), fmt.Sprintf("%+.2f (%.2fx)", x-base, x/base)
			}
		}
		if text, met := v.bar.compare(x, base, name); text != "" {
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

// run starts the process and waits for its end. It returns the time from before the start until the wait returned. The streams
// are files, so that this process need not copy anything meanwhile. An exit code other than 0 is an error.
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
