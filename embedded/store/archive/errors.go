package archive

import (
	"errors"
	"fmt"
)

var (
	// ErrOrder is returned by Append for a sequence that is not the next one.
	ErrOrder = errors.New("record out of order")

	// ErrTooLarge is returned for a record that no frame can hold.
	ErrTooLarge = errors.New("record too large for the archive")

	// ErrNewer is returned for a segment of a format that this program does not
	// know yet. The file stays as it is.
	ErrNewer = errors.New("archive segment of a newer format; update this program")
)

// Damage is a place of the archive that is not as it was written.
type Damage struct {
	File        string // name within the directory; empty for a missing segment
	First, Last uint64 // sequences that are lost, or that cannot be vouched for
	Reason      string
	// Tail says that what follows Last is lost too, as far as it was written: nothing in a
	// segment that grows says how far that was.
	Tail bool
}

func (d *Damage) Error() string {
	where := d.File
	if where == "" {
		where = "between segments"
	}
	if d.Tail {
		return fmt.Sprintf("archive damaged: %s, from #%d on: %s", where, d.First, d.Reason)
	}
	return fmt.Sprintf("archive damaged: %s, #%d to #%d: %s", where, d.First, d.Last, d.Reason)
}
