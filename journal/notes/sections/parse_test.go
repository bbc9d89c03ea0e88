package sections_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/journal/notes/sections"
)

func TestParse(t *testing.T) {
	t.Parallel()
	fence := "```"
	for _, tc := range []struct {
		name, markdown string
		labels         []events.Label
		entries        []events.Entry
	}{
		{name: "nothing"},
		{name: "only a title", markdown: "# Progress\n\nwords\n"},
		{
			name:     "two entries",
			markdown: "# Progress\n\n## One\n- a\n\n## Two\n\n- b\n- c\n",
			entries:  []events.Entry{{Heading: "One", Text: "- a"}, {Heading: "Two", Text: "\n- b\n- c"}},
		},
		{
			name:     "no line break at the end",
			markdown: "## One\ntext",
			entries:  []events.Entry{{Heading: "One", Text: "text"}},
		},
		{name: "a heading and no more", markdown: "## One", entries: []events.Entry{{Heading: "One"}}},
		{
			name:     "headings without words",
			markdown: "##\na\n## \nb\n## ##\nc\n##",
			entries:  []events.Entry{{Text: "a"}, {Text: "b"}, {Text: "c"}, {}},
		},
		{
			name:     "line breaks of Windows",
			markdown: "# T\r\n\r\n**Phase**: review\r\n\r\n## One\r\n- a\r\n- b\r\n\r\n## Two\r\n",
			labels:   []events.Label{{Name: "Phase", Value: "review"}},
			entries:  []events.Entry{{Heading: "One", Text: "- a\r\n- b"}, {Heading: "Two"}},
		},
		{
			name:     "byte order mark",
			markdown: "\ufeff## One\na\n",
			entries:  []events.Entry{{Heading: "One", Text: "a"}},
		},
		{
			name:     "marks around a heading",
			markdown: "   ##   One two   ##  \na\n",
			entries:  []events.Entry{{Heading: "One two", Text: "a"}},
		},
		{
			name:     "underlined",
			markdown: "One\n---\na\n\nTitle of\ntwo lines\n---------\nb\n\nTop\n===\nc\n",
			entries:  []events.Entry{{Heading: "One", Text: "a"}, {Heading: "Title of two lines", Text: "b"}},
		},
		{
			name:     "a line between paragraphs is no underline",
			markdown: "## One\n\na\n\n---\n\nb\n",
			entries:  []events.Entry{{Heading: "One", Text: "\na\n\n---\n\nb"}},
		},
		{
			name:     "S1.5: in a code fence",
			markdown: "## One\n" + fence + "md\n## not one\n" + fence + "\n~~~\n## nor this\n" + fence + "\n~~~\n## Two\n",
			entries: []events.Entry{
				{Heading: "One", Text: fence + "md\n## not one\n" + fence + "\n~~~\n## nor this\n" + fence + "\n~~~"},
				{Heading: "Two"},
			},
		},
		{
			name:     "in a fence that never ends",
			markdown: "## One\n" + fence + "\n## not one\n",
			entries:  []events.Entry{{Heading: "One", Text: fence + "\n## not one"}},
		},
		{
			name:     "in a longer fence",
			markdown: "## One\n````\n" + fence + "\n## not one\n" + fence + "\n````\n## Two\n",
			entries:  []events.Entry{{Heading: "One", Text: "````\n" + fence + "\n## not one\n" + fence + "\n````"}, {Heading: "Two"}},
		},
		{
			name:     "in HTML, indented code, a quotation and a list",
			markdown: "## One\n\n<!--\n## a\n-->\n\n    ## b\n\n> ## c\n\n- ## d\n\n## Two\n",
			entries:  []events.Entry{{Heading: "One", Text: "\n<!--\n## a\n-->\n\n    ## b\n\n> ## c\n\n- ## d"}, {Heading: "Two"}},
		},
		{
			name:     "no heading without a space",
			markdown: "##One\n\\## Two\n",
		},
		{
			name:     "third level",
			markdown: "### before\nx\n## Completed Sections\nintro\n### Section 1: Why\n**Summary**: good\ntext\n#### detail\nmore\n### Section 2\nb\n# Other\n### astray\n",
			entries: []events.Entry{{
				Heading: "Completed Sections",
				Text:    "intro\n### Section 1: Why\n**Summary**: good\ntext\n#### detail\nmore\n### Section 2\nb",
				Labels:  []events.Label{{Name: "Summary", Value: "good"}},
				Heads: []events.Head{
					{Heading: "Section 1: Why", Text: "**Summary**: good\ntext\n#### detail\nmore", Labels: []events.Label{{Name: "Summary", Value: "good"}}},
					{Heading: "Section 2", Text: "b"},
				},
			}},
		},
		{
			name: "labels",
			markdown: "# S\n**Skill**: cpm:do\n**Phase:** 2 — Why: because\n* **Output target** :  docs/a.md \n+ **入力**：仕様\n**Owner*:** x\n" +
				"**no value**:\n**bold** text\n**never closed: x\n" + fence + "\n**Hidden**: x\n" + fence + "\n****: y\n\n## E\n- **Confirmed**: 3回 | 2026-02-20 | implement\n",
			labels: []events.Label{
				{Name: "Skill", Value: "cpm:do"}, {Name: "Phase", Value: "2 — Why: because"},
				{Name: "Output target", Value: "docs/a.md"}, {Name: "入力", Value: "仕様"}, {Name: "Owner*", Value: "x"}, {Name: "no value"},
			},
			entries: []events.Entry{{
				Heading: "E", Text: "- **Confirmed**: 3回 | 2026-02-20 | implement",
				Labels: []events.Label{{Name: "Confirmed", Value: "3回 | 2026-02-20 | implement"}},
			}},
		},
		{
			name:     "Korean and Japanese",
			markdown: "## 2026-02-18 — 결정 사항\n- 작게 유지\n\n## 決定　事項\n- 小さく\n",
			entries:  []events.Entry{{Heading: "2026-02-18 — 결정 사항", Text: "- 작게 유지"}, {Heading: "決定　事項", Text: "- 小さく"}},
		},
		{
			name:     "inline markup stays as written",
			markdown: "## `unknown` and *more* <b>[x](y)</b>\n",
			entries:  []events.Entry{{Heading: "`unknown` and *more* <b>[x](y)</b>"}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			labels, entries := sections.Parse(tc.markdown)
			if diff := cmp.Diff(tc.labels, labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.entries, entries); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParse: whatever a file holds, the texts are parts of it in its order, none
// is invented and none overlaps the next.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "##", "## a\nb", "a\n---\nb\n===\n", "## a\n```\n## b\n", "\ufeff## a\r\n\tb\r\n", "> ## a\n- ## b\n  ## c\n",
		"<!--\n## a\n", "\t## a\n", "##\t\n", "**a**: b\n## c\n### d\n**e:** f\n", "[a]: b\n---\n", "## 결정\n決\n", "- a\n---\n", "\xff\xfe## a",
		"[a]: /b\n===\n## c", "1. ## a\n\n   b\n---\n", "## a\rb\n", "a\n  ---  \n\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		labels, entries := sections.Parse(s)
		rest := s
		for _, e := range entries {
			i := strings.Index(rest, e.Text)
			if i < 0 {
				t.Fatalf("%q is not what comes next in %q", e.Text, rest)
			}
			rest = rest[i+len(e.Text):]
			if strings.ContainsAny(e.Heading, "\n\r") {
				t.Fatalf("heading %q has line breaks", e.Heading)
			}
			within := e.Text
			for _, h := range e.Heads {
				j := strings.Index(within, h.Text)
				if j < 0 {
					t.Fatalf("%q is not what comes next in %q", h.Text, within)
				}
				within = within[j+len(h.Text):]
			}
			if utf8.ValidString(s) && !utf8.ValidString(e.Text+e.Heading) {
				t.Fatalf("a character of %q is broken", s)
			}
		}
		for _, l := range labels {
			if l.Name == "" || strings.ContainsAny(l.Name+l.Value, "\n") {
				t.Fatalf("label %q", l)
			}
		}
	})
}
