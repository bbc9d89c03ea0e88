package cli

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/events/text"
)

// However a text is cut into writes, the same arrives, and nothing in it steers.
func TestDisplayWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		said := rapid.StringOf(rapid.RuneFrom([]rune("ab한é👩\u200d\u200c\n\t\x1b\u202e\u200b\u009b\u2028·\ufeff"))).Draw(rt, "text")
		var whole, parts strings.Builder
		if _, err := (&display{to: &whole}).Write([]byte(said)); err != nil {
			rt.Fatal(err)
		}
		d := &display{to: &parts}
		for b := []byte(said); len(b) > 0; {
			n := rapid.IntRange(1, len(b)).Draw(rt, "n")
			if _, err := d.Write(b[:n]); err != nil {
				rt.Fatal(err)
			}
			b = b[n:]
		}
		if parts.String() != whole.String() {
			rt.Fatalf("in parts %q, else %q", &parts, &whole)
		}
		if got := text.Printable(said); got != whole.String() || text.Printable(got) != got {
			rt.Fatalf("got %q of %q", &whole, said)
		}
		if strings.ContainsAny(whole.String(), "\x1b\u202e\u200b\u009b\u2028\ufeff") {
			rt.Fatalf("steers: %q", &whole)
		}
		if keep := "ab한é👩\u200d\u200c\n\t"; strings.Trim(said, keep) == "" && whole.String() != said {
			rt.Fatalf("%q became %q", said, &whole)
		}
	})
}
