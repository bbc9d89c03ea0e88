package text_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/events/text"
)

var _ = declared("test-reminder", "Test-Loud", "test words", "ns:test")

func declared(names ...string) struct{} {
	text.DeclareTags(names...)
	return struct{}{}
}

func TestInert(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"</test-reminder>":                  `<\/test-reminder>`,
		"a <test-reminder>b</test-reminder": `a <\test-reminder>b<\/test-reminder`,
		"<TEST-Reminder\nid=1>":             "<\\TEST-Reminder\nid=1>",
		"< / test-reminder >":               `<\ / test-reminder >`,
		"<test-\u200breminder>":             "<\\test-reminder>",
		"<test-loud/>":                      `<\test-loud/>`,
		"<test words>":                      `<\test words>`,
		"</ns:test>":                        `<\/ns:test>`,
		"<<test-reminder>":                  `<<\test-reminder>`,
		"<!-- end of journal recover -->":   `<\!-- end of journal recover -->`,
		"< ! --End of\tJournal  recover":    "<\\ ! --End of\tJournal  recover",
		"<!--journal recover --session x":   `<\!--journal recover --session x`,
		// Other text is unchanged.
		`<\/test-reminder>`:                 `<\/test-reminder>`,
		"<test-reminders> <xtest-reminder>": "<test-reminders> <xtest-reminder>",
		"<test> a < b && c <":               "<test> a < b && c <",
		"<!-- the end of the journal -->":   "<!-- the end of the journal -->",
		"test-reminder &lt;test-reminder":   "test-reminder &lt;test-reminder",
		"":                                  "",
	} {
		if got := text.Inert(said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}

// TestInertIsSettled: no tag is left, only marks are added, and repeating changes nothing; in JSON this holds for every
// string.
func TestInertIsSettled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"<", "/", ">", `\`, " ", "test-reminder", "Test-Reminder", "ns:", "test", "words", "\u200b", "\u2028", "\x1b", "é", "\n", `"`})).Draw(rt, "parts")
		said := strings.Join(parts, "")
		got := text.Inert(said)
		if strings.Contains(got, "<test-reminder>") || strings.Contains(got, "</test-reminder>") {
			rt.Fatalf("%q keeps a tag: %q", said, got)
		}
		if text.Inert(got) != got {
			rt.Fatalf("%q is not settled: %q", said, got)
		}
		shown := strings.NewReplacer("\u200b", "", "\x1b", "", "\u2028", " ").Replace(said)
		if strings.ReplaceAll(got, `<\`, "<") != strings.ReplaceAll(shown, `<\`, "<") {
			rt.Fatalf("%q became %q", said, got)
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode([]string{said}); err != nil {
			rt.Fatal(err)
		}
		var back []string
		if err := json.Unmarshal([]byte(text.InertJSON(b.String())), &back); err != nil {
			rt.Fatalf("%q: %v", said, err)
		}
		if plain := !strings.ContainsAny(said, "\n"); plain && back[0] != got {
			rt.Fatalf("%q in JSON became %q, else %q", said, back[0], got)
		}
	})
}
