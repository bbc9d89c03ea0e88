package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Ordinal is the value of a flag for a number that counts from 1, such as that of an event or a compaction. Zero means that the
// flag was not given.
type Ordinal uint64

// String returns the number as a flag shows it.
func (o *Ordinal) String() string {
	if *o == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*o), 10)
}

// Type names the values of the flag.
func (o *Ordinal) Type() string { return "number" }

// Set takes a number, also as #42.
func (o *Ordinal) Set(s string) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n == 0 || n > maxOrdinal {
		return fmt.Errorf("%q is not a number from 1 to %d", s, uint64(maxOrdinal))
	}
	*o = Ordinal(n)
	return nil
}

// OrList returns "a", "a or b", "a, b or c".
func OrList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Moment is the value of a flag for a point in time or a whole day. The zero value means that the flag was not given.
type Moment struct{ TimeSpan }

// IsZero reports whether the flag was not given.
func (m *Moment) IsZero() bool { return m.From.IsZero() }

// String returns the time as a flag shows it.
func (m *Moment) String() string {
	if m.IsZero() {
		return ""
	}
	return m.From.Local().Format(time.DateTime)
}

// Type names the values of the flag.
func (m *Moment) Type() string { return "time" }

// Set takes a time in any of the TimeForms.
func (m *Moment) Set(s string) (err error) {
	m.TimeSpan, err = ParseTime(s, time.Now())
	return err
}

// Bounded is the value of a flag for a number or a duration between two inclusive bounds.
type Bounded[T int | time.Duration] struct {
	target      *T
	Least, Most T
	kind, words string // name and description of the values
	parse       func(string) (T, error)
}

// Type names the values of the flag.
func (b Bounded[T]) Type() string { return b.kind }

// String returns the value; empty for zero, so that the help names no default.
func (b Bounded[T]) String() string {
	if *b.target == 0 {
		return ""
	}
	return fmt.Sprint(*b.target)
}

// Set takes a value within the bounds.
func (b Bounded[T]) Set(s string) error {
	v, err := b.parse(s)
	if err != nil || v < b.Least || v > b.Most {
		return fmt.Errorf("%q is not %s from %v to %v", s, b.words, b.Least, b.Most)
	}
	*b.target = v
	return nil
}

// CountFlag adds a flag for a whole number from least to most, which sets target. short is its letter or empty, initial its
// default, usage its help.
func CountFlag(c *cobra.Command, target *int, name, short string, initial, least, most int, usage string) {
	*target = initial
	c.Flags().VarP(Bounded[int]{target, least, most, "int", "a whole number", strconv.Atoi}, name, short, usage)
}

// DurationFlag adds a flag for a duration from 0 to most, which sets target. initial is its default, usage its help.
func DurationFlag(c *cobra.Command, target *time.Duration, name string, initial, most time.Duration, usage string) {
	*target = initial
	c.Flags().Var(Bounded[time.Duration]{target, 0, most, "duration", "a duration such as 90s or 10m", time.ParseDuration}, name, usage)
}

// IntegerBounds returns the bounds of the whole numbers that Set takes. ok is false for a value of another kind.
func IntegerBounds(v pflag.Value) (least, most int, ok bool) {
	switch v := v.(type) {
	case Bounded[int]:
		return v.Least, v.Most, true
	case *Ordinal:
		return 1, maxOrdinal, true
	}
	return 0, 0, false
}

const (
	// MaxCount bounds the counts of flags. Multiplied by small factors it still fits into an int of 32 bits.
	MaxCount = 100_000_000
	// maxOrdinal is the largest integer that every JSON parser represents exactly.
	maxOrdinal = 1<<53 - 1
)
