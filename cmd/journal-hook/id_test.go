//go:build linux || darwin

package main

import "testing"

// Without random bits, as in a sandbox without devices, ids of different processes and times still differ: the log drops an event with a
// known id.
func TestIDWithoutRandomBits(t *testing.T) {
	t.Parallel()
	const at = 1_796_000_000_123_456_789
	ids := map[string]bool{}
	for _, id := range []string{newID(at, 7, nil), newID(at, 8, nil), newID(at+1, 7, nil), newID(at+1, 8, nil)} {
		if ids[id] || len(id) != 36 || id[14] != '7' {
			t.Errorf("id %s", id)
		}
		ids[id] = true
	}
}
