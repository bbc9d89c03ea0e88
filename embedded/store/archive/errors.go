package archive

import (
	"cmp"
	"errors"
	"fmt"
)

var (
	// ErrOrder is returned by Append for a sequence that is not the next one.
	ErrOrder = errors.New("record out of order")

	// ErrTooLarge is returned by Append for a record that does not fit into a frame.
	ErrTooLarge = errors.New("record too large for the archive")
)

// Damage is a part of the archive that was changed or lost after it was written.
type Damage struct {
	File        string // name within the directory; empty for a missing segment
	First, Last uint64 // sequences that are lost, or that may be wrong
	Reason      string
	// Tail is true if records after Last may be lost too, because an open segment does not hold the count of its records.
	Tail bool
}

func (d *Damage) Error() string {
	place := cmp.Or(d.File, "between segments")
	if d.Tail {
		return fmt.Sprintf("archive damaged: %s, from #%d on: %s", place, d.First, d.Reason)
	}
	return fmt.Sprintf("archive damaged: %s, #%d to #%d: %s", place, d.First, d.Last, d.Reason)
}
