package text_test

import (
	"strings"
	"testing"
	"unicode"

	"journal/events/text"
)

// TestInertShowsAll: unseen characters are removed from a text for an agent; what writing needs stays.
func TestInertShowsAll(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"ok\U000e0069\U000e0067":          "ok",          // tags
		"user\u202etxt.exe\u202c":         "usertxt.exe", // overrides
		"\u2067a\u2069 \u202ab":           "a b",         // isolates, embeddings
		"a\u200bb\u2060c\ufeffd\u00ade":   "abcde",
		"\x1b[31mred\x1b[0m\x07":          "[31mred[0m",
		"a\u0085b\u2028c\u2029d\ve\ff\rg": "a b c d e f g",
		"a\r\nb\tc":                       "a\nb\tc",
		"👩\u200d👩\u200d👧 👩🏽\u200d💻 ❤\ufe0f\u200d🔥": "👩\u200d👩\u200d👧 👩🏽\u200d💻 ❤\ufe0f\u200d🔥",
		"می\u200cخواهم ක\u200dෂ":                   "می\u200cخواهم ක\u200dෂ",
		"a\u200db 한\u200c글 👩\u200d":                "ab 한글 👩", // joiners that join nothing
		"שלום\u200f! 3":                            "שלום\u200f! 3",
		"שלום\u200f\u200e\u200f!":                  "שלום\u200f!", // one is enough
		"left\u200e to right\u200f":                "left to right",
		"1\ufe0f\u20e3 葛\U000e0100 ☎\ufe0e":        "1\ufe0f\u20e3 葛\U000e0100 ☎\ufe0e",
		"😀\U000e0101\U000e0102\U000e0103":          "😀\U000e0101", // bytes hidden in selectors
		"a\U000e0101":                              "a",
		"ㅤa\uffa0\u034f":                           "a",
		"\u0600١ é 한국어 日本語":                        "\u0600١ é 한국어 日本語",
		"no\xffutf8\u200b":                         "no\xffutf8",
		"\u200bat the end \xff":                    "at the end \xff",
	} {
		if got := text.Inert(said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}

// TestInertOfEveryCharacter: a single character stays, becomes a blank, or goes; those that stay have a form.
func TestInertOfEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		in := string(r)
		switch got := text.Inert(in); {
		case got != in && got != "" && got != " ":
			t.Fatalf("Inert(%q) = %q", in, got)
		case got == in && (unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) || unicode.IsControl(r) && r != '\n' && r != '\t'):
			t.Fatalf("%q stays", in)
		}
	}
}

func TestInertJSONEscapes(t *testing.T) {
	t.Parallel()
	in := `["a\u001b[31m\u2028b\\u001b","\u200b\n\t\u00e9 \ud83d\ude00"]`
	want := `["a[31m b\\u001b","\n\t\u00e9 \ud83d\ude00"]`
	if got := text.InertJSON(in); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBreaks(t *testing.T) {
	t.Parallel()
	if got := text.Breaks("a\r\nb\rc\u0085d\u2028e\u2029f\vg\fh\ni"); strings.Join(strings.Split(got, "\n"), "") != "abcdefghi" || strings.Count(got, "\n") != 8 {
		t.Errorf("got %q", got)
	}
}
