package blocks_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"journal/embedded/store/blocks"
)

// A reader that has read the end of a block does not read its beginning again. If the block was replaced, it reads the new content.
func TestEndIsReadAgain(t *testing.T) {
	t.Parallel()
	s, want := store(t, 1000, 500)
	other, now := store(t, 1000, 700)
	const last = 1000
	end := func(r *blocks.Reader) ([]message, error) { return given(r, last-10, last, nil, 10) }
	r := blocks.NewReader(s, "")
	if got, err := end(r); err != nil || !slices.Equal(want[last-10:], got) {
		t.Fatalf("%d messages, error %v", len(got), err)
	}
	block := file(t, s, "msgs/1.blk")
	second := binary.LittleEndian.Uint32(block) &^ (1 << 31)
	clear(block[second : second+4]) // its length: nobody gets past it
	put(t, s, "msgs/1.blk", block)
	if got, err := end(r); err != nil || !slices.Equal(want[last-10:], got) {
		t.Errorf("again: %d messages, error %v", len(got), err)
	}
	if _, err := end(blocks.NewReader(s, "")); !errors.Is(err, blocks.ErrUnreadable) {
		t.Errorf("from the beginning: error %v", err)
	}
	put(t, s, "msgs/1.blk", file(t, other, "msgs/1.blk"))
	if got, err := end(r); err != nil || !slices.Equal(now[last-10:], got) {
		t.Errorf("of another block: %d messages, error %v", len(got), err)
	}
}
