package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"journal/cmd/journal/cli/when"
	_ "journal/projections/all"
)

// Ordinal is a flag's number that counts from 1, like sequences and compactions. Zero means
// that it was not given.
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

// Moment is a flag's point in time, or its whole day, in the forms of the package when.
type Moment struct{ when.Span }

// IsZero reports whether it was not given.
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

// Set takes a time in any of when's forms.
func (m *Moment) Set(s string) (err error) {
	m.Span, err = when.Parse(s, time.Now())
	return err
}

// IdleAfter is the age from which a running port or a session counts as idle (S0.10). Being idle
// ends neither.
const IdleAfter = 24 * time.Hour
