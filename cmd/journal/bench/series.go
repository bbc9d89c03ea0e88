package main

import (
	"context"
	"slices"
	"time"
)

// series is what one thing took, time after time, in no order that matters.
type series []time.Duration

// at gives the percentile p, 0 to 100, by nearest rank: a time that was
// measured, never one between two. Zero for an empty series.
func (s series) at(p float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := int(p/100*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func (s series) median() time.Duration { return s.at(50) }

// variant is one of the things that are measured beside each other.
type variant struct {
	name string
	n    int // samples; 0: as many as the others
	// prepare comes before each sample and is not measured; nil is nothing.
	prepare func(ctx context.Context, i int) error
	run     func(i int) (time.Duration, error)
}

// interleave takes n samples of each variant in turns, and in another order each
// time: what else the machine does meanwhile then slows all of them alike. One
// round before it warms caches and is not counted. It gives a series for each
// variant, in their order. Index i runs from 0, which is the uncounted one, to n.
func interleave(ctx context.Context, n int, variants ...variant) ([]series, error) {
	all := make([]series, len(variants))
	for i := range n + 1 {
		for j := range variants {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			at := (i + j) % len(variants)
			v := variants[at]
			if v.n > 0 && i > v.n {
				continue
			}
			if v.prepare != nil {
				if err := v.prepare(ctx, i); err != nil {
					return nil, err
				}
			}
			took, err := v.run(i)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				all[at] = append(all[at], took)
			}
		}
	}
	return all, nil
}
