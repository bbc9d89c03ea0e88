package events

import (
	"errors"
	"testing"
)

// Only the formats from the first release to this program's are read.
func TestCheckFormat(t *testing.T) {
	t.Parallel()
	for format, want := range map[int]error{
		0: ErrUnreleased, firstFormat - 1: ErrUnreleased, firstFormat: nil, Format: nil, Format + 1: ErrNewer,
	} {
		if err := CheckFormat("it has format", format); !errors.Is(err, want) {
			t.Errorf("format %d: %v", format, err)
		}
	}
}
