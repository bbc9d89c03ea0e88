package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// bounded is a flag's number or duration between two bounds, both of which are allowed. No verb looks at the bounds again.
type bounded[T int | time.Duration] struct {
	to          *T
	least, most T
	kind        string // as kindOf knows it
	parse       func(string) (T, error)
}

func (b bounded[T]) Type() string { return b.kind }

// String gives the value, nothing for zero: help names no default then.
func (b bounded[T]) String() string {
	if *b.to == 0 {
		return ""
	}
	return fmt.Sprint(*b.to)
}

func (b bounded[T]) Set(s string) error {
	v, err := b.parse(s)
	if err != nil || v < b.least || v > b.most {
		return fmt.Errorf("%q is no %s, from %v to %v", s, kindOf(b.kind), b.least, b.most)
	}
	*b.to = v
	return nil
}

// countFlag adds a flag for a whole number.
func countFlag(c *cobra.Command, to *int, name, short string, is, least, most int, about string) {
	*to = is
	c.Flags().VarP(bounded[int]{to, least, most, "int", strconv.Atoi}, name, short, about)
}

// durationFlag adds a flag for a duration from none to the longest.
func durationFlag(c *cobra.Command, to *time.Duration, name string, is, most time.Duration, about string) {
	*to = is
	c.Flags().Var(bounded[time.Duration]{to, 0, most, "duration", time.ParseDuration}, name, about)
}

const (
	// maxCount is above every number of things that are counted, and small enough to be multiplied.
	maxCount = 100_000_000
	// maxOrdinal is the last number that JSON spells for every reader.
	maxOrdinal = 1<<53 - 1
)

// ordinal is a flag's number that counts from 1, as sequences and compactions do. Zero is
// that nobody gave it.
type ordinal uint64

func (o *ordinal) String() string {
	if *o == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*o), 10)
}

func (o *ordinal) Type() string { return "number" }

func (o *ordinal) Set(s string) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n == 0 || n > maxOrdinal {
		return fmt.Errorf("%q is no number from 1 to %d", s, uint64(maxOrdinal))
	}
	*o = ordinal(n)
	return nil
}
