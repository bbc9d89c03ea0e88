package journal_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/events"
	"journal/journal"
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
		if got := journal.Token(text); got != want {
			t.Errorf("Token(%q) = %q, want %q", text, got, want)
		}
	}
}

// checkToken is the law of tokens: safe in a subject, bounded, and either
// undone or plainly a cut.
func checkToken(t interface{ Fatalf(string, ...any) }, text string) {
	token := journal.Token(text)
	if token == "" || len(token) > 240 || strings.ContainsAny(token, ".*> \t\r\n\f\v\u0085\u00a0") {
		t.Fatalf("Token(%q) = %q", text, token)
	}
	for _, c := range []byte(token) {
		if c <= ' ' || c > '~' {
			t.Fatalf("Token(%q) = %q holds the byte %#x", text, token, c)
		}
	}
	back, ok := journal.TextOf(token)
	switch {
	case text == "":
		text = events.None
		fallthrough
	case ok:
		if back != text {
			t.Fatalf("Token(%q) = %q comes back as %q", text, token, back)
		}
	case !strings.Contains(token, "=~"):
		t.Fatalf("Token(%q) = %q does not come back and does not say why", text, token)
	case len(text) <= 80:
		t.Fatalf("Token(%q) is cut", text)
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
		// Of what strangers put into a subject only tokens are read back.
		if text, ok := journal.TextOf(s); ok && journal.Token(text) != s {
			t.Fatalf("TextOf(%q) = %q, whose token is %q", s, text, journal.Token(text))
		}
	})
}

func TestLongNamesStayApart(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("long/", 100)
	a, b := journal.Token(same+"a"), journal.Token(same+"b")
	if a == b {
		t.Errorf("two names have the token %q", a)
	}
	if _, ok := journal.TextOf(a); ok {
		t.Errorf("%q came back", a)
	}
}

func TestTextOfRefuses(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"=", "=4", "a=", "=GG", "=4~", "x=~0011", "", "*", "a.b", "=2e", "=41"} {
		if text, ok := journal.TextOf(token); ok {
			t.Errorf("TextOf(%q) = %q", token, text)
		}
	}
}

// TestSubjectOfEveryType: a type keeps its own dots, and everything comes back.
func TestSubjectOfEveryType(t *testing.T) {
	t.Parallel()
	for _, d := range events.Declared() {
		for _, m := range []events.Meta{
			{Project: "web-1a2b3c4d", Session: "3f6c"},
			{Project: "프로 젝트.*", Session: ">"},
			{},
		} {
			m.Type = d.Name
			s := journal.Subject(m)
			parts := strings.SplitN(s, ".", 4)
			if len(parts) != 4 || parts[0] != "journal" || parts[3] != string(d.Name) {
				t.Errorf("subject of %s is %q", d.Name, s)
				continue
			}
			for i, want := range []string{m.Project, m.Session} {
				if want == "" {
					want = events.None
				}
				if got, ok := journal.TextOf(parts[i+1]); !ok || got != want {
					t.Errorf("%q: token %d is %q, %v; want %q", s, i+1, got, ok, want)
				}
			}
		}
	}
}
