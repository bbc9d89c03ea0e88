package agent

import "testing"

// A text that is cut says so, also if its last line does not end.
func TestTruncate(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"12345\n78\n":         "12345\n78\n",
		"12345678\nabc\nde\n": "12345678\n… 2 more lines\n",
		"12345678\nabcd":      "12345678\n… 1 more line\n",
		"1234567890ab\n":      "1234567890…\n",
		"1234567890ab\nc":     "1234567890…\n… 1 more line\n",
	} {
		if got := (tool{Limit: 10}).truncate(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
