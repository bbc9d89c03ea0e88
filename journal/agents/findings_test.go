package agents

import (
	"fmt"
	"slices"
	"testing"
)

// TestAddFinding: of many findings the first, the newest and those with the most evidence stay.
func TestAddFinding(t *testing.T) {
	t.Parallel()
	var findings []Finding
	for i := range 20 {
		words := fmt.Sprintf("This is already known from the look at number %d.", i)
		switch i {
		case 4:
			words = "Found it: `load` in a/b.go:12 drops the row, which explains the count."
		case 6:
			words = "The rows are already counted in the other place, which I just read."
		}
		findings = AddFinding(findings, Finding{Words: words, At: i, Spoken: i == 6})
	}
	var at []int
	for _, f := range findings {
		at = append(at, f.At)
	}
	if len(at) != maxFindings || at[0] != 0 || !slices.Contains(at, 4) || !slices.Contains(at, 6) || !slices.Equal(at[len(at)-newestFindings:], []int{15, 16, 17, 18, 19}) {
		t.Errorf("kept %v", at)
	}
	if got := Strongest(slices.Clone(findings), 2); len(got) != 2 || got[0].At != 4 || got[1].At != 6 {
		t.Errorf("the strongest: %v", got)
	}
	if got := AddFinding(findings, Finding{Words: "Let me look."}); len(got) != len(findings) {
		t.Error("an intention was added")
	}
}
