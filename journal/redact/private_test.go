package redact_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/journal/redact"
)

// ADR-0016 rule 7: the text between the tags is never stored.
func TestPrivate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"use <private>the blue door</private> today":                  "use [redacted:private] today",
		"<private>all of it</private>":                                "[redacted:private]",
		"a <private>b</private> c <private>d</private> e":             "a [redacted:private] c [redacted:private] e",
		"a <private>b <private>c</private> d</private> e":             "a [redacted:private] e",
		"비밀은 <private>파란 문</private>이다":                               "비밀은 [redacted:private]이다",
		"not closed: <private>the rest of it":                         "not closed: [redacted:private]",
		"the tag was cut away</private> and this stays":               "[redacted:private] and this stays",
		"one <private>x</private> and the next cut</private> tail":    "[redacted:private] tail",
		"in <PRIVATE>capitals</PRIVATE> or <Private>one</Private>":    "in [redacted:private] or [redacted:private]",
		"the words private> and <private stay":                        "the words private> and <private stay",
		"a <b>private</b> < <private>\n[redacted:token]\n</private>.": "a <b>private</b> < [redacted:private].",
	} {
		if got := redact.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

// Nothing from inside of a passage comes through, however texts are cut.
func TestPrivateNeverComesThrough(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"<private>", "</private>", "<", "private>", "</", " ", "word", "한", "[redacted:token]"})
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "before"), "")
		inside := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{" ", "<", "</b>", "한", "x"}), 0, 8).Draw(t, "inside"), "")
		after := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "after"), "")
		whole := before + "<private>" + inside + "unspeakable" + inside + "</private>" + after
		for _, s := range []string{whole, whole[:strings.Index(whole, "</private>"+after)], whole[strings.Index(whole, "unspeakable"):]} {
			if got := redact.Text(s); strings.Contains(got, "unspeakable") {
				t.Fatalf("Text(%q) = %q", s, got)
			}
		}
	})
}
