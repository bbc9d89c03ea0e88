package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"journal/events/text"
)

func TestCut(t *testing.T) {
	t.Parallel()
	const family = "👩‍👩‍👧‍👦" // 25 bytes
	for _, tc := range []struct {
		name       string
		s          string
		head, tail int
		from, to   string
	}{
		{"ascii", strings.Repeat("a", 100), 10, 5, strings.Repeat("a", 10), strings.Repeat("a", 5)},
		{"hangul", strings.Repeat("가", 100), 10, 5, "가가가", "가"},
		{"hangul of single letters", strings.Repeat("\u1100\u1161\u11a8", 30), 20, 10, strings.Repeat("\u1100\u1161\u11a8", 2), "\u1100\u1161\u11a8"},
		{"japanese with a voiced mark", strings.Repeat("か\u3099", 40), 10, 11, "か\u3099", "か\u3099"},
		{"emoji family", strings.Repeat(family, 10), 60, 30, family + family, family},
		{"emoji family too long", strings.Repeat(family, 10), 24, 24, "", ""},
		{"flags", strings.Repeat("🇰🇷", 40), 12, 15, "🇰🇷", "🇰🇷"},
		{"accents", strings.Repeat("e\u0301", 60), 4, 5, "e\u0301", "e\u0301"},
		{"line ends", strings.Repeat("\r\n", 60), 5, 5, "\r\n\r\n", "\r\n\r\n"},
		{"ascii before an accent", "abc" + strings.Repeat("e\u0301", 60), 4, 3, "abc", "e\u0301"},
		{"nothing", strings.Repeat("a", 100), 0, 0, "", ""},
		{"negative", strings.Repeat("a", 100), -5, -5, "", ""},
		{"one cluster without end", "e" + strings.Repeat("\u0301", 1000), 600, 601, "e" + strings.Repeat("\u0301", 299), strings.Repeat("\u0301", 300)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := text.Cut(tc.s, tc.head, tc.tail)
			m := mark(t, got)
			if got != tc.from+m+tc.to {
				t.Errorf("Cut = %q, want %q and %q around the mark", got, tc.from, tc.to)
			}
			if again := text.Cut(got, tc.head, tc.tail); again != got {
				t.Errorf("a second Cut changed it to %q", again)
			}
		})
	}
}

// TestMarksDiffer: texts that differ in the kept part have different marks, wherever they differ.
func TestMarksDiffer(t *testing.T) {
	t.Parallel()
	marks := map[string]string{}
	for _, s := range []string{"a" + strings.Repeat("x", 200) + "b", "a" + strings.Repeat("x", 200) + "c", "b" + strings.Repeat("x", 200) + "b", "a" + strings.Repeat("x", 201) + "b"} {
		m := mark(t, text.Cut(s, 5, 5))
		if other, taken := marks[m]; taken {
			t.Errorf("%q and %q have the mark %s", s, other, m)
		}
		marks[m] = s
	}
}

func TestCutLeavesShortStrings(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 30, 94} {
		s := strings.Repeat("가", n)[:n]
		if got := text.Cut(s, 20, 10); got != s {
			t.Errorf("%d bytes: Cut = %q", n, got)
		}
	}
	if s := strings.Repeat("a", 95); text.Cut(s, 20, 10) == s {
		t.Error("95 bytes were not cut to 30 and a mark")
	}
}

// clustered draws strings of characters that form clusters, and of others.
func clustered() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b ", "\r\n", "\n", "e\u0301", "가", "\u1100\u1161\u11a8", "日本", "か\u3099", "👩‍👩‍👧‍👦", "👍🏽", "🇰🇷", "❤️", "\u200d", "\u0600", "\xff"}),
		rapid.String(),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 60), func(p []string) string { return strings.Join(p, "") })
}

func TestCutLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := clustered().Draw(t, "s")
		head, tail := rapid.IntRange(0, 80).Draw(t, "head"), rapid.IntRange(0, 80).Draw(t, "tail")
		got := text.Cut(s, head, tail)
		if len(s) <= head+tail+64 {
			if got != s {
				t.Fatalf("Cut = %q", got)
			}
			return
		}
		if len(got) > head+tail+64 {
			t.Fatalf("%d bytes are more than %d and a mark", len(got), head+tail)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("Cut broke a rune: %q", got)
		}
	})
}

// TestBorders: a cut is at the nearest character border on the requested side.
func TestBorders(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := clustered().Draw(t, "s")
		borders := []int{0}
		for n := 1; borders[len(borders)-1] < len(s); n++ {
			borders = append(borders, len(text.FirstCharacters(s, n)))
		}
		near := 0 // how far characters are examined
		for i := range borders[1:] {
			near = max(near, borders[i+1]-borders[i])
		}
		if near > 60 {
			t.Skip("longer than any emoji")
		}
		for i := range len(s) + 2 {
			at, exact := slices.BinarySearch(borders, i)
			before, after := at-1, at
			if exact {
				before = at
			}
			if after == len(borders) {
				before, after = len(borders)-1, len(borders)-1
			}
			if b, a := text.Before(s, i), text.After(s, i); b != borders[before] || a != borders[after] {
				t.Fatalf("%q at %d: %d and %d, want %d and %d", s, i, b, a, borders[before], borders[after])
			}
		}
		if text.After(s, -1) != 0 {
			t.Fatal("a place before the beginning")
		}
	})
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"": 0, "abc": 3, "가나": 2, "é": 1, "e\u0301": 2, "😀": 2, "👩‍👩‍👧‍👦": 11, "\xff\xfe": 2,
	} {
		if got := text.Units(s); got != want {
			t.Errorf("Units(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCutUnits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s     string
		limit int
		want  string
	}{
		{"", 0, ""}, {"abc", 0, ""}, {"abc", -1, ""}, {"abc", 1, "…"},
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"},
		{"가나다라", 3, "가나…"},
		{"ab😀", 4, "ab😀"}, {"ab😀c", 4, "ab…"}, {"ab😀cd", 5, "ab😀…"},
		{"a👩‍👩‍👧‍👦b", 12, "a…"}, {"a👩‍👩‍👧‍👦b", 13, "a👩‍👩‍👧‍👦b"},
		{"ae\u0301x", 3, "a…"},
		{"🇰🇷🇯🇵", 7, "🇰🇷…"},
		{"\xff\xff\xff", 2, "\xff…"},
	} {
		if got := text.CutUnits(tc.s, tc.limit); got != tc.want {
			t.Errorf("CutUnits(%q, %d) = %q, want %q", tc.s, tc.limit, got, tc.want)
		}
	}
}

func TestCutUnitsLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := clustered().Draw(t, "s")
		limit := rapid.IntRange(1, 100).Draw(t, "limit")
		got := text.CutUnits(s, limit)
		if text.Units(s) <= limit {
			if got != s {
				t.Fatalf("CutUnits = %q", got)
			}
			return
		}
		// The longest prefix of whole clusters, found by walking all of them.
		want := ""
		for g := uniseg.NewGraphemes(s); g.Next(); {
			_, to := g.Positions()
			if text.Units(s[:to]) > limit-1 {
				break
			}
			want = s[:to]
		}
		if got != want+"…" {
			t.Fatalf("CutUnits = %q, want %q", got, want+"…")
		}
	})
}

// mark returns the mark in a cut text.
func mark(t *testing.T, s string) string {
	t.Helper()
	from, to := strings.Index(s, "…[+"), strings.LastIndex(s, "]…")
	if from < 0 || to < from {
		t.Fatalf("no mark in %d bytes", len(s))
	}
	return s[from : to+len("]…")]
}

func TestEndUnits(t *testing.T) {
	t.Parallel()
	const family = "👩‍👩‍👧‍👦"
	for _, tc := range []struct {
		s     string
		limit int
		want  string
	}{
		{"", 0, ""}, {"abc", 0, ""}, {"abc", 1, "…"}, {"abc", 3, "abc"}, {"abcd", 3, "…cd"}, {"가나다라", 3, "…다라"},
		{"a😀b", 4, "a😀b"}, {"ca😀b", 4, "…😀b"}, {"cd😀b", 3, "…b"}, {"x" + family + "y", 12, "…y"}, {"xx" + family + "y", 13, "…" + family + "y"},
	} {
		if got := text.EndUnits(tc.s, tc.limit); got != tc.want {
			t.Errorf("EndUnits(%q, %d) = %q, want %q", tc.s, tc.limit, got, tc.want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.SampledFrom([]string{" ", "a", "가", "日本", "é", "\n", "\t", "\u00a0", "\u0085", "\u2003", "\u3000", "\u1680", "\xff", "…"}), rapid.String())
		s := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "s"), "")
		if got, want := text.Line(s), strings.Join(strings.Fields(s), " "); got != want {
			t.Fatalf("Line(%q) = %q, want %q", s, got, want)
		}
	})
}
