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
		"within":     {"a\nb\nc", "a\n\tx\n\n\ty\nc", Passage{[]string{"x", "y", "c"}, 3, "b", 1, "", nil}, true},
		"added":      {"a\nc", "a\nb\nc", Passage{[]string{"b", "c"}, 1, "", 0, "", nil}, true},
		"removed":    {"a\nb\nc", "a\nc", Passage{[]string{"a", "c"}, 0, "b", 1, "", nil}, true},
		"moved":      {"b\nc", "c\nx\nb", Passage{[]string{"x", "b"}, 2, "", 2, "", nil}, true},
		"moved back": {"c\nx\nb", "b\nc", Passage{[]string{"b", "c"}, 2, "x", 2, "", nil}, true},
		"all":        {"", "x\ny\nz\nw", Passage{[]string{"x", "y", "z"}, 4, "", 1, "", nil}, true},
		"comment":    {"c", "// a\n// b\n\n// c\nd\ne\nc", Passage{[]string{"// a", "// b", "// c"}, 6, "", 0, "d", nil}, true},
		"comments":   {"// a\nd", "// b\n// c\n// e\n// f\nd", Passage{[]string{"// b", "// c", "// e"}, 4, "// a", 1, "", nil}, true},
		"nothing":    {"a", "", Passage{nil, 1, "a", 1, "", nil}, true},
		"long":       {"", strings.Repeat("x", passageBytes+1), Passage{Count: 1, RemovedCount: 1}, false},
		"defines": {"func a() {}\n", "func a() {}\n\n// b counts.\nfunc b(s string) {\n\tx()\n}\n\ntype C struct{}\nfunc (c *C) d(n int) {}\n", Passage{
			[]string{"// b counts.", "func b(s string) {", "x()"}, 8, "", 0, "", []string{"C", "d"},
		}, true},
		"long before": {strings.Repeat("x", passageBytes+1), "a", Passage{[]string{"a"}, 1, "", 1, "", nil}, true},
	} {
		if got, ok := PassageOf(c.old, c.new); ok != c.ok || !cmp.Equal(got, c.want) {
			t.Errorf("%s: %+v %t, want %+v", name, got, ok, c.want)
		}
	}
}

func TestUndoes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line\n", 2)
	for name, c := range map[string]struct {
		old, new, then string
		want           bool
	}{
		"replaced":        {"a\nb\nc", "a\nx\ny\nc", "a\nb\nc", true},
		"added":           {"a\nc", "a\nb\nc", "a\nc", true},
		"removed":         {"a\nb\nc", "a\nc", "a\nb\nc", true},
		"whole":           {"", long, "", true},
		"in part":         {"a\nc", "a\nb\nd\nc", "a\nd\nc", false},
		"something third": {"a\nb\nc", "a\nx\nc", "a\ny\nc", false},
		"no change":       {"a", "a", "a", false},
	} {
		first, _ := PassageOf(c.old, c.new)
		second, _ := PassageOf(c.new, c.then)
		if got := second.Undoes(first); got != c.want {
			t.Errorf("%s: %t, want %t: %+v, %+v", name, got, c.want, first, second)
		}
	}
}
