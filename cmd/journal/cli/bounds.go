package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// Bounded is a flag's number or duration between two inclusive bounds. Verbs need not check them again.
type Bounded[T int | time.Duration] struct {
	to          *T
	Least, Most T
	kind        string // for kindOf
	parse       func(string) (T, error)
}

// Type names the values of the flag.
func (b Bounded[T]) Type() string { return b.kind }

// String returns the value; empty for zero, so that the help names no default.
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
		return fmt.Errorf("%q is not %s from %v to %v", s, kindOf(b.kind), b.Least, b.Most)
	}
	*b.to = v
	return nil
}

// CountFlag adds a flag for a whole number.
func CountFlag(c *cobra.Command, to *int, name, short string, is, least, most int, about string) {
	*to = is
	c.Flags().VarP(Bounded[int]{to, least, most, "int", strconv.Atoi}, name, short, about)
}

// DurationFlag adds a flag for a duration from 0 to most.
func DurationFlag(c *cobra.Command, to *time.Duration, name string, is, most time.Duration, about string) {
	*to = is
	c.Flags().Var(Bounded[time.Duration]{to, 0, most, "duration", time.ParseDuration}, name, about)
}

const (
	// MaxCount is above every real count, and small enough to be multiplied without overflow.
	MaxCount = 100_000_000
	// maxOrdinal is the largest integer that every reader of JSON represents exactly.
	maxOrdinal = 1<<53 - 1
)
