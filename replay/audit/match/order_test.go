package match

import (
	"fmt"
	"testing"
)

// TestNearDuplicatesEveryTime: two items share just half of their weight here, and
// sums of the same weights in another order differ by a rounding: an audit said one
// thing today and another one tomorrow.
func TestNearDuplicatesEveryTime(t *testing.T) {
	t.Parallel()
	var items []Item
	for _, text := range []string{
		"wordn wordf wordb worda worde wordf wordg wordi", "wordi wordd worde", "wordn wordd wordi wordn wordc", "wordm wordm wordg wordj",
	} {
		items = append(items, Words(text, text))
	}
	telling := func() (all string) {
		m := New("worda wordb. wordc wordd.", items, &Vocabulary{})
		for i, said := range m.said {
			for _, s := range m.weighed(said, i, m.items[i]) {
				all += fmt.Sprint(s.telling)
			}
		}
		return all
	}
	first := telling()
	for range 200 {
		if again := telling(); again != first {
			t.Fatalf("%s, then %s", first, again)
		}
	}
}
