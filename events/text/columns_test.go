package text_test

import (
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"journal/events/text"
)

func TestCutColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"결정 사항", 9, "결정 사항"}, {"결정 사항", 8, "결정 사…"}, {"결정", 3, "결…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"any", 0, "any"}, {"", 3, ""},
	} {
		if got := text.CutColumns(c.in, c.limit); got != c.want {
			t.Errorf("CutColumns(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(1, 40).Draw(t, "limit")
		got := text.CutColumns(s, limit)
		if uniseg.StringWidth(got) > limit || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q in %d columns is %q", s, limit, got)
		}
	})
}
