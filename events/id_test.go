package events_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"journal/events"
)

// TestNewID: ids of one process rise and are unique, however many are made concurrently.
func TestNewID(t *testing.T) {
	t.Parallel()
	const makers, each = 8, 2000
	made := make([][]string, makers)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			for range each {
				made[i] = append(made[i], events.NewID())
			}
		})
	}
	wg.Wait()
	for i, ids := range made {
		if !slices.IsSorted(ids) {
			t.Errorf("the ids of maker %d do not rise", i)
		}
	}
	all := slices.Concat(made...)
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != makers*each {
		t.Errorf("%d ids are equal to another", makers*each-n)
	}
	if id := events.NewID(); len(id) != 36 || id[14] != '7' {
		t.Errorf("%s is no UUIDv7", id)
	}
}

// TestDerivedID: the same words give the same id; other words, or the same letters in other words, give another
// (ADR-0006).
func TestDerivedID(t *testing.T) {
	t.Parallel()
	ids := map[string]string{}
	for _, words := range [][]string{
		nil, {""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "bc"}, {"ab", "c"}, {"abc"}, {"abc", ""},
		{"a\x00", "b"}, {"a", "\x00b"}, {"a", "", "b"}, {"a\x00\x00b"}, {"a\x01", "b"}, {"a", "\x01b"},
	} {
		id := events.DerivedID(words...)
		if other, taken := ids[id]; taken {
			t.Errorf("%q and %s have one id", words, other)
		}
		ids[id] = strings.Join(words, "|")
	}
	// Claims in stored logs depend on this one.
	if got, want := events.DerivedID("recovery", "p-1", "s"), "1b3c5fe2-0ee1-59f2-8a29-3138fbeb4194"; got != want {
		t.Errorf("the id is %s, stored ones are %s", got, want)
	}
}

func TestDerivedIDLaw(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.StringMatching("[ab\x00\x01]{0,3}"), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		if same := events.DerivedID(a...) == events.DerivedID(b...); same != slices.Equal(a, b) {
			t.Fatalf("one id: %v", same)
		}
	})
}
