package main

import (
	"context"
	"errors"
	"testing"
	"time"
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
		return variant{name: name, run: func(i int) (time.Duration, error) {
			order += name
			return time.Duration(i), nil
		}}
	}
	few := run("c")
	few.n = 1
	got, err := interleave(t.Context(), 2, run("a"), run("b"), few)
	if err != nil {
		t.Fatal(err)
	}
	if want := "abcbcaab"; order != want {
		t.Errorf("order %s, want %s", order, want)
	}
	if len(got[0]) != 2 || len(got[1]) != 2 || len(got[2]) != 1 {
		t.Errorf("samples %v, want two, two and one", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	stop := variant{run: func(int) (time.Duration, error) { cancel(); return 0, nil }}
	if _, err := interleave(ctx, 9, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt the error is %v", err)
	}
}
