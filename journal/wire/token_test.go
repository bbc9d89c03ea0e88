package wire_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/events"
	"journal/journal/wire"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":            "none",
		"none":        "none",
		"abc-DEF_019": "abc-DEF_019",
		"a.b":         "a=2Eb",
		"*":           "=2A",
		">":           "=3E",
		"a b\t":       "a=20b=09",
		"=":           "=3D",
		"가":           "=EA=B0=80",
		"\xff":        "=FF",
		"\x00":        "=00",
	} {
		if got := wire.Token(text); got != want {
			t.Errorf("Of(%q) = %q, want %q", text, got, want)
		}
	}
}

// checkToken is the law of tokens: safe in a subject, bounded, and either
// undone or plainly a cut.
func checkToken(t interface{ Fatalf(string, ...any) }, text string) {
	got := wire.Token(text)
	if got == "" || len(got) > 240 || strings.ContainsAny(got, ".*> \t\r\n\f\v\u0085\u00a0") {
		t.Fatalf("Of(%q) = %q", text, got)
	}
	for _, c := range []byte(got) {
		if c <= ' ' || c > '~' {
			t.Fatalf("Of(%q) = %q holds the byte %#x", text, got, c)
		}
	}
	back, ok := wire.TokenText(got)
	switch {
	case text == "":
		text = events.None
		fallthrough
	case ok:
		if back != text {
			t.Fatalf("Of(%q) = %q comes back as %q", text, got, back)
		}
	case !strings.Contains(got, "=~"):
		t.Fatalf("Of(%q) = %q does not come back and does not say why", text, got)
	case len(text) <= 80:
		t.Fatalf("Of(%q) is cut", text)
	}
}

func TestTokenIsUndone(t *testing.T) {
	t.Parallel()
	texts := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-z=.~*> 가-힣]{0,100}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.IntRange(60, 300), func(n int) string { return strings.Repeat("프", n/3) + strings.Repeat("x", n) }),
	)
	rapid.Check(t, func(t *rapid.T) { checkToken(t, texts.Draw(t, "text")) })
}

func FuzzToken(f *testing.F) {
	for _, s := range []string{"", "none", "a.b", "=2E", "=~", "프로젝트", "\xff\x00", strings.Repeat("/", 100), strings.Repeat("y", 241)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkToken(t, s)
		// Only tokens of Token are decoded.
		if text, ok := wire.TokenText(s); ok && wire.Token(text) != s {
			t.Fatalf("Text(%q) = %q, whose token is %q", s, text, wire.Token(text))
		}
	})
}

func TestLongNamesStayApart(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("long/", 100)
	a, b := wire.Token(same+"a"), wire.Token(same+"b")
	if a == b {
		t.Errorf("two names have the token %q", a)
	}
	if _, ok := wire.TokenText(a); ok {
		t.Errorf("%q came back", a)
	}
}

func TestTextOfRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"=", "=4", "a=", "=GG", "=4~", "x=~0011", "", "*", "a.b", "=2e", "=41"} {
		if text, ok := wire.TokenText(s); ok {
			t.Errorf("Text(%q) = %q", s, text)
		}
	}
}
