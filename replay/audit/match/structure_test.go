package match

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarker(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"# a": "a", "### a": "a", "#a": "-", "#": "-", "- a": "a", "* a": "a", "+ a": "a", "• a": "a", "-a": "-", "a": "-", "": "-",
		"1. a": "a", "12) a": "a", "123. a": "a", "1234. a": "-", "1.a": "-", "1 a": "-", ". a": "-",
		"- [ ] a": "a", "* [x] a": "a", "1. [X] a": "a", "- [y] a": "[y] a", "# [ ] a": "[ ] a", "- [ ]": "[ ]",
	} {
		n, marked := marker(s)
		got := "-"
		if marked {
			got = s[n:]
		}
		if got != want || !marked && n != 0 {
			t.Errorf("%q: %q after %d, want %q", s, got, n, want)
		}
	}
}

// The tree of a text: what stands under what, which lines are headings, code, or tell of
// what is still to be done.
func TestLinesOf(t *testing.T) {
	t.Parallel()
	const text = "# Work\nIt goes on.\n## Done\n- one\n  - two\n    deeper\n- three\n\nNext steps:\n- four\n```\n# no heading\n```\n## Pending\r\n\tfive\n# End\nsix"
	lines := linesOf(text)
	var got []string
	for i, l := range lines {
		s := fmt.Sprintf("%d %d %s", i, l.parent, text[l.from:l.to])
		for _, mark := range []struct {
			is   bool
			name string
		}{{l.heading, " heading"}, {l.code, " code"}, {l.wish, " wish"}} {
			if mark.is {
				s += mark.name
			}
		}
		got = append(got, s)
	}
	want := []string{
		"0 -1 Work heading", "1 0 It goes on.", "2 0 Done heading", "3 2 one", "4 3 two", "5 4 deeper", "6 2 three", "7 -2 ",
		"8 2 Next steps:", "9 8 four", "10 9 ``` code", "11 9 no heading heading code", "12 9 ``` code", "13 0 Pending heading wish",
		"14 13 five wish", "15 -1 End heading", "16 15 six",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
