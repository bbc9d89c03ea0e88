package events

import (
	"errors"
	"fmt"
)

// firstFormat is the format of the first release.
const firstFormat = 3

// Format is the number of the stored form: the layout of a journal directory, and the contents of its log, a backup and an
// export. It rises when an older program would misread them, also when messages are compressed with another dictionary.
var Format = firstFormat + len(later)

// later is linked into the later programs that tests upgrade to; else it is empty.
var later string

var (
	// ErrUnreleased is returned for bytes of a build before the first release, so that none is taken for something else.
	ErrUnreleased = errors.New("made before the first release: read it with that build, or import the transcripts again")
	// ErrNewer is returned for bytes of a later program.
	ErrNewer = errors.New("made by a newer version: upgrade journal")
)

// CheckFormat returns ErrUnreleased or ErrNewer for a format that this program does not read. The error begins with
// what and the number.
func CheckFormat(what string, format int) error {
	return CheckVersion(what, format, firstFormat, Format)
}

// CheckVersion is CheckFormat for a part whose versions are numbered by themselves, from that of the first release to
// that of this program.
func CheckVersion(what string, version, first, last int) error {
	switch {
	case version < first:
		return fmt.Errorf("%s %d: %w", what, version, ErrUnreleased)
	case version > last:
		return fmt.Errorf("%s %d, this program knows %d: %w", what, version, last, ErrNewer)
	default:
		return nil
	}
}
