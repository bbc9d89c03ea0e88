package events

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPassageOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, new string
		want     Passage
		ok       bool
	}{
		"within":  {"a\nb\nc", "a\n\tx\n\n\ty\nc", Passage{[]string{"x", "y", "c"}, 3}, true},
		"added":   {"a\nc", "a\nb\nc", Passage{[]string{"b", "c"}, 1}, true},
		"removed": {"a\nb\nc", "a\nc", Passage{[]string{"a", "c"}, 0}, true},
		"all":     {"", "x\ny\nz\nw", Passage{[]string{"x", "y", "z"}, 4}, true},
		"nothing": {"a", "", Passage{Count: 1}, false},
		"long":    {"", strings.Repeat("x", passageBytes+1), Passage{Count: 1}, false},
	} {
		if got, ok := PassageOf(c.old, c.new); ok != c.ok || !cmp.Equal(got, c.want) {
			t.Errorf("%s: %+v %t, want %+v", name, got, ok, c.want)
		}
	}
}
