package text_test

import (
	"testing"

	"journal/events/text"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                       "",
		"plain\n\ttext 한국어 😀":    "plain\n\ttext 한국어 😀",
		"\x1b[31mred\x1b[0m\x07": "␛[31mred␛[0m␇",
		"a\x00b\x7f\u0085":       "a␀b␡·",
		"user\u202etxt.exe":      "user⇄txt.exe",
		"\u2067a\u2069":          "⇄a⇄",
		"ok\U000e0041\U000e0042": "ok··",
		"👩\u200d👩 \u200fשלום":    "👩\u200d👩 \u200fשלום",
	} {
		if got := text.Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}
