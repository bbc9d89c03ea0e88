package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPercentiles(t *testing.T) {
	t.Parallel()
	var hundred series
	for i := 100; i > 0; i-- {
		hundred = append(hundred, time.Duration(i))
	}
	for _, c := range []struct {
		s    series
		p    float64
		want time.Duration
	}{
		{nil, 50, 0},
		{series{7}, 50, 7},
		{series{7}, 99, 7},
		{series{3, 1, 2}, 50, 2},
		{series{4, 3, 1, 2}, 50, 2},
		{hundred, 50, 50},
		{hundred, 95, 95},
		{hundred, 99, 99},
		{hundred, 100, 100},
	} {
		if got := c.s.at(c.p); got != c.want {
			t.Errorf("p%v of %d samples is %d, want %d", c.p, len(c.s), got, c.want)
		}
	}
}

func TestInterleave(t *testing.T) {
	t.Parallel()
	var order string
	run := func(name string) variant {
		return variant{name: name, run: func(i int) time.Duration {
			order += name
			return time.Duration(i)
		}}
	}
	few := run("c")
	few.n = 1
	b := &bench{ctx: t.Context()}
	got := b.interleave(2, run("a"), run("b"), few)
	if want := "abcbcaab"; order != want {
		t.Errorf("order %s, want %s", order, want)
	}
	if len(got[0]) != 2 || len(got[1]) != 2 || len(got[2]) != 1 {
		t.Errorf("samples %v, want two, two and one", got)
	}
}

// An interrupt ends a run with its error, and a bug with a panic.
func TestCaught(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := &bench{ctx: ctx}
	measured := func() (err error) {
		defer caught(&err)
		b.interleave(9, variant{run: func(int) time.Duration { cancel(); return 0 }})
		return nil
	}
	if err := measured(); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt the error is %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a bug was taken for a failure")
		}
	}()
	var err error
	defer caught(&err)
	panic("bug")
}

// A line says what its variant took, beside its base, and whether its bar is met.
func TestLinesOf(t *testing.T) {
	t.Parallel()
	second := series{time.Second}
	group := []variant{
		{name: "no-op", silent: true},
		variant{name: "hook"}.against(1, bar{most: 6.5, beyond: 3}),
		variant{name: "slow"}.against(1, bar{beyond: 3}),
		{name: "consumer", as: "ordered", events: 200_000},
		variant{name: "fold", events: 400_000}.against(4, bar{rate: 350_000, share: 0.8}),
		variant{name: "like the hook"}.against(2, bar{within: 0.2}),
	}
	got := linesOf(group, []series{{2 * time.Millisecond}, {4 * time.Millisecond}, {6 * time.Millisecond}, second, second, {5 * time.Millisecond}})
	yes, no := true, false
	want := []line{
		{What: "hook", N: 1, P50: 4, P95: 4, P99: 4, Bar: "<= 6.5 and <= no-op + 3", Baseline: "no-op 2.00", Beyond: "+2.00 (2.00x)", Met: &yes},
		{What: "slow", N: 1, P50: 6, P95: 6, P99: 6, Bar: "<= no-op + 3", Baseline: "no-op 2.00", Beyond: "+4.00 (3.00x)", Met: &no},
		{What: "consumer", N: 1, Value: "200k events/s"},
		{What: "fold", N: 1, Value: "400k events/s", Bar: ">= 350k and >= 80 %", Baseline: "ordered 200k", Beyond: "200 %", Met: &yes},
		{What: "like the hook", N: 1, P50: 5, P95: 5, P99: 5, Bar: "within 20 %", Baseline: "hook 4.00", Beyond: "+1.00 (1.25x)", Met: &no},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
