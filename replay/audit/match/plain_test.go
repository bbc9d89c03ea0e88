package match

import (
	"testing"

	"pgregory.net/rapid"
)

// plainText gives what plainOf does, by whichever way.
func TestPlainText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab/.  \n\n\t\r\v\u00a0　ｱ한é\u0301\u007f\x00"))).Draw(t, "text")
		if got, want := plainText(s), plainOf(s).text; got != want {
			t.Errorf("%q gives %q, want %q", s, got, want)
		}
	})
}
