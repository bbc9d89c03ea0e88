package text_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/events/text"
)

func TestCharacters(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, "abc": 3, "한국어": 3, "한국": 2, "👩‍👩‍👧‍👦!": 2, "e\u0301": 1, "\r\n": 1, "🇰🇷🇯🇵": 2} {
		if got := text.Characters(s); got != want {
			t.Errorf("%q has %d characters, want %d", s, got, want)
		}
	}
}

// TestFirstCharacters: the result has that many characters, whole, and is a prefix of s.
func TestFirstCharacters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab \n각한👩\u200d👧🇰🇷e\u0301"))).Draw(t, "s")
		n := rapid.IntRange(-1, 30).Draw(t, "n")
		got := text.FirstCharacters(s, n)
		if want := min(max(n, 0), text.Characters(s)); !strings.HasPrefix(s, got) || text.Characters(got) != want {
			t.Errorf("%d of %q: %q, want %d characters", n, s, got, want)
		}
	})
}
