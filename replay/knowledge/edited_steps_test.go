package knowledge

import (
	"slices"
	"testing"
)

// TestNumberedSteps: the last numbered list counts, and only what no language has as a word is a name.
func TestNumberedSteps(t *testing.T) {
	t.Parallel()
	steps := numberedSteps("I see:\n1. a\n2. b\n\n계획:\n1. `sumRows`를 고친다\n2. 合計に --empty を足す (rows.go)\n- a note\n3. Run the tests")
	var got [][]string
	for _, s := range steps {
		got = append(got, append([]string{s.number}, s.names...))
	}
	want := [][]string{{"1", "sumRows"}, {"2", "--empty", "rows.go"}, {"3"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
}
