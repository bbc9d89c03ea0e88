package text_test

import (
	"testing"
	"unicode"

	"journal/events/text"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                               "",
		"a\tb\r\nc\n":                    "a\tb\nc\n",
		"bar\rfoo":                       "bar·foo",
		"\x1b[2J\x07~\x7f\u009b":         "·[2J·~··",
		"user\u202etxt.exe \u200f\ufeff": "user·txt.exe ··",
		"a\u2028b\u2029c":                "a·b·c",
		"👩\u200d👩 می\u200cخواهم \u0600١": "👩\u200d👩 می\u200cخواهم \u0600١",
	} {
		if got := text.Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestPrintableOfEveryCharacter: every Unicode character becomes a dot or stays, and no remaining one is a control.
func TestPrintableOfEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		in := string(r)
		got := text.Printable(in)
		if unicode.IsControl(r) && r != '\n' && r != '\t' && got != "·" || unicode.IsPrint(r) && got != in || got != in && got != "·" {
			t.Fatalf("Printable(%q) = %q", in, got)
		}
	}
}
