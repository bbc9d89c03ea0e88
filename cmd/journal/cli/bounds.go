package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// Bounded is a flag's number or duration between two bounds, both of which are allowed. No verb looks at the bounds again.
type Bounded[T int | time.Duration] struct {
	to          *T
	Least, Most T
	kind        string // as kindOf knows it
	parse       func(string) (T, error)
}

// Type names the values of the flag.
func (b Bounded[T]) Type() string { return b.kind }

// String gives the value, nothing for zero: help names no default then.
func (b Bounded[T]) String() string {
	if *b.to == 0 {
		return ""
	}
	return fmt.Sprint(*b.to)
}

// Set takes a value within the bounds.
func (b Bounded[T]) Set(s string) error {
	v, err := b.parse(s)
	if err != nil || v < b.Least || v > b.Most {
		return fmt.Errorf("%q is no %s, from %v to %v", s, kindOf(b.kind), b.Least, b.Most)
	}
	*b.to = v
	return nil
}

// CountFlag adds a flag for a whole number.
func CountFlag(c *cobra.Command, to *int, name, short string, is, least, most int, about string) {
	*to = is
	c.Flags().VarP(Bounded[int]{to, least, most, "int", strconv.Atoi}, name, short, about)
}

// DurationFlag adds a flag for a duration from none to the longest.
func DurationFlag(c *cobra.Command, to *time.Duration, name string, is, most time.Duration, about string) {
	*to = is
	c.Flags().Var(Bounded[time.Duration]{to, 0, most, "duration", time.ParseDuration}, name, about)
}

const (
	// MaxCount is above every number of things that are counted, and small enough to be multiplied.
	MaxCount = 100_000_000
	// maxOrdinal is the last number that JSON spells for every reader.
	maxOrdinal = 1<<53 - 1
)
