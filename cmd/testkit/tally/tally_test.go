package tally_test

import (
	"strings"
	"testing"

	"journal/cmd/testkit/tally"
)

// A group's precision and recall follow from what readers and the audit said of its items.
func TestGroups(t *testing.T) {
	t.Parallel()
	g := tally.Groups{}
	for _, said := range []struct {
		kept, found bool
		n           int
	}{{true, true, 6}, {true, false, 2}, {false, true, 4}, {false, false, 3}} {
		for range said.n {
			g.Count(said.kept, said.found, "todo", "en")
		}
	}
	g.Count(false, false, "none")
	want := tally.Tally{Hit: 6, Missed: 2, Wrong: 4, Right: 3}
	if g["todo"] != want || g["en"] != want || g["none"] != (tally.Tally{Right: 1}) {
		t.Errorf("groups %v", g)
	}
	want.Right++
	if g[tally.All] != want || want.Precision() != 0.6 || want.Recall() != 0.75 {
		t.Errorf("all %v, precision %v, recall %v", g[tally.All], want.Precision(), want.Recall())
	}
	if none := g["none"]; none.Precision() != 1 || none.Recall() != 1 {
		t.Errorf("of nothing: precision %v, recall %v", none.Precision(), none.Recall())
	}
	if missed := (tally.Tally{Missed: 1, Wrong: 1}); missed.Precision() != 0 || missed.Recall() != 0 {
		t.Errorf("of nothing found: precision %v, recall %v", missed.Precision(), missed.Recall())
	}
	var b strings.Builder
	g.Write(&b, "kept")
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{"kept precision recall hit wrong missed right", "all 0.600 0.750 6 4 2 4", "en 0.600 0.750 6 4 2 3", "none 1.000 1.000 0 0 0 1", "todo 0.600 0.750 6 4 2 3", ""} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
}
