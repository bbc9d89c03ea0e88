package recovery

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"journal/replay/knowledge"
)

// TestShares: free room goes to items that can use it, reserves first. While another is cut below half of the room,
// none gets more than that, and later ones get nothing.
func TestShares(t *testing.T) {
	t.Parallel()
	kinds := knowledge.Kinds()
	item := rapid.Custom(func(t *rapid.T) knowledge.Item {
		return knowledge.Item{
			Kind: kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")].Kind,
			Rest: rapid.SampledFrom([]int{0, 1, 40, 400, 3000, 9000}).Draw(t, "rest"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(item, 1, 8).Draw(t, "items")
		room := rapid.IntRange(-50, 9000).Draw(t, "room")
		vital := rapid.IntRange(0, len(items)).Draw(t, "vital")
		l := layout{vital: items[:vital], rest: append(items[vital:len(items):len(items)], knowledge.Item{Rest: 99}), more: len(items) - vital}
		longer, cut := l.shares(room)
		if len(longer) != len(items) {
			t.Fatalf("%d shares of %d items", len(longer), len(items))
		}
		given, rest, reserves := 0, 0, 0
		for i, it := range items {
			if longer[i] < 0 || longer[i] > it.Rest {
				t.Fatalf("%d of %d", longer[i], it.Rest)
			}
			given, rest, reserves = given+longer[i], rest+it.Rest, reserves+reserve(it)
		}
		if want := max(0, min(room, rest)); given != want || cut != (given < rest) {
			t.Fatalf("%d shared of %d, want %d; cut %v", given, room, want, cut)
		}
		half := room / 2
		for i, it := range items {
			if reserves <= room && longer[i] < reserve(it) {
				t.Fatalf("%d gets %d, reserved are %d", i, longer[i], reserve(it))
			}
			short := room > 0 && longer[i] < min(it.Rest, half)
			for j, other := range items {
				later := cmp.Or(it.Kind.Def().CompareGrowth(other.Kind.Def()), cmp.Compare(it.Rest, other.Rest)) < 0
				if short && (longer[j] > max(half, reserve(other)) || later && longer[j] > reserve(other)) {
					t.Fatalf("%d gets %d of %d, %d gets %d", i, longer[i], it.Rest, j, longer[j])
				}
			}
		}
	})
	if longer, _ := (&layout{}).shares(9); !slices.Equal(longer, []int{}) {
		t.Errorf("without items: %v", longer)
	}
}

// TestReserved: room is reserved for the growth of an item, with the marks of its lines, and for no item that is whole.
func TestReserved(t *testing.T) {
	t.Parallel()
	some := false
	for _, d := range knowledge.Kinds() {
		whole := knowledge.Item{Kind: d.Kind, Text: "whole"}
		long := knowledge.Item{Kind: d.Kind, Text: "cut", Rest: 9000}
		if got := reserved([]knowledge.Item{whole}); got != 0 {
			t.Errorf("%s: %d for a whole item", d.Kind, got)
		}
		got := reserved([]knowledge.Item{whole, long})
		if want := max(0, d.Text.Reserve-d.Text.Units); got < want || want == 0 && got != 0 {
			t.Errorf("%s: %d, want at least %d", d.Kind, got, want)
		}
		some = some || got > 0
	}
	if !some {
		t.Error("nothing is ever reserved")
	}
}
