package blocks

import "fmt"

// Damage is a place of a stream that is not as it was written.
type Damage struct {
	First, Last uint64 // sequences that cannot be read; 0, 0 for what concerns none
	File        string // name below the stream's directory, with slashes
	Offset      int64  // in the file
	What        string
}

func (d Damage) String() string {
	switch {
	case d.First == 0:
		return fmt.Sprintf("%s: %s", d.File, d.What)
	case d.First == d.Last:
		return fmt.Sprintf("#%d: %s at byte %d: %s", d.First, d.File, d.Offset, d.What)
	}
	return fmt.Sprintf("#%d to #%d: %s at byte %d: %s", d.First, d.Last, d.File, d.Offset, d.What)
}

// Summary is what a scan found.
type Summary struct {
	Stream      string
	Blocks      int
	Bytes       int64  // of the blocks
	Records     uint64 // that can be read
	First, Last uint64 // of those; 0, 0 for none
	Damage      []Damage
	// Torn is how many bytes stand after the last good record of the last block
	// and are no whole record: a write that a kill or a power cut interrupted, or
	// the end of what was lost. Only the remembered head can tell the two apart.
	Torn int64
	// Interrupted says that the only damage is in the newest record, whose length is right and
	// whose checksum is not: as a power cut leaves what it interrupted, where a file system
	// makes a file longer before it writes the bytes. The record may have been acknowledged.
	Interrupted bool
	// Unknown says what this program does not know of the format; then nothing was
	// judged.
	Unknown string
}
