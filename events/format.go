package events

import (
	"errors"
	"fmt"
)

// firstFormat is the format of the first release.
const firstFormat = 3

// Format is the version of everything stored: the layout of a journal directory, its log, backups and exports. It rises
// when an older program would misread stored data, also when messages are compressed with another dictionary.
var Format = firstFormat + len(later)

// later is empty. Tests link a value into programs that stand for later versions: each byte raises Format by one.
var later string

var (
	// ErrUnreleased is returned for data of a build before the first release. Such data must not be taken for damaged.
	ErrUnreleased = errors.New("made before the first release: read it with that build, or import the transcripts again")
	// ErrNewer is returned for data of a later program.
	ErrNewer = errors.New("made by a newer version: upgrade journal")
)

// CheckFormat returns ErrUnreleased or ErrNewer for a format that this program does not read. name is the data's name in the
// error.
func CheckFormat(name string, format int) error {
	return CheckVersion(name, format, firstFormat, Format)
}

// CheckVersion is CheckFormat for data with versions of its own: first is the version of the first release, last the version of
// this program.
func CheckVersion(name string, version, first, last int) error {
	switch {
	case version < first:
		return fmt.Errorf("%s %d: %w", name, version, ErrUnreleased)
	case version > last:
		return fmt.Errorf("%s %d, this program knows %d: %w", name, version, last, ErrNewer)
	}
	return nil
}
