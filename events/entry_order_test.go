package events_test

import (
	"testing"

	"journal/events"
)

// TestNewestLast: the dates of headings show which end has the newest entries, if they have dates (S1.5).
func TestNewestLast(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		headings    []string
		last, known bool
	}{
		"nothing":             {nil, false, false},
		"one":                 {[]string{"2026-02-18"}, false, false},
		"no dates":            {[]string{"b", "a"}, false, false},
		"falling":             {[]string{"2026-02-19 — b", "2026-02-18 — a"}, false, true},
		"rising":              {[]string{"2026-02-18 — a", "2026-02-19 — b"}, true, true},
		"one day":             {[]string{"2026-02-18 — a", "2026-02-18 — b"}, false, false},
		"times of one day":    {[]string{"2026-02-18T09:00Z — a", "2026-02-18T10:00Z — b"}, true, true},
		"times with a space":  {[]string{"2026-02-18 10:00 a", "2026-02-18 09:59 b"}, false, true},
		"a day and a time":    {[]string{"2026-02-18 — a", "2026-02-18T10:00 — b"}, false, false},
		"a T without a time":  {[]string{"2026-02-18T — a", "2026-02-19T — b"}, true, true},
		"behind other words":  {[]string{"Step (2026-02-18)", "결정 2026-02-19"}, true, true},
		"one out of order":    {[]string{"2026-02-18", "2026-02-20", "2026-02-19", "2026-02-21"}, true, true},
		"undated ones within": {[]string{"2026-02-18", "today", "2026-02-19"}, true, true},
		"no date":             {[]string{"12026-02-18", "2026-2-18", "2026/02/18", "2026-02-1"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var entries []events.Entry
			for _, h := range tc.headings {
				entries = append(entries, events.Entry{Heading: h})
			}
			if last, known := events.NewestLast(entries); last != tc.last || known != tc.known {
				t.Errorf("newest last %v, known %v; want %v, %v", last, known, tc.last, tc.known)
			}
		})
	}
}

// TestCompoundRequested: what asks for compound, and what does not (ADR-0008).
func TestCompoundRequested(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/compound":                       "/compound",
		"/compound --last":                "/compound",
		"  /claude-praxis:compound\nnow":  "/claude-praxis:compound",
		"/a:b:compound":                   "/a:b:compound",
		"/compounds":                      "",
		"/compound:design":                "",
		"please run /compound":            "",
		"compound":                        "",
		"/":                               "",
		"":                                "",
		"the :compound":                   "",
		"/praxis:design /praxis:compound": "",
	} {
		got := ""
		for _, e := range events.Recognise(events.Hook{Kind: events.PromptSubmit, Text: text}) {
			if r, ok := e.(events.CompoundRequested); ok {
				got = r.Command
			}
		}
		if got != want {
			t.Errorf("%q asks for %q, want %q", text, got, want)
		}
	}
	for name, h := range map[string]events.Hook{
		"a machine's prompt": {Kind: events.PromptSubmit, Text: "/compound", Machine: true},
		"an answer":          {Kind: events.TurnEnd, Text: "/compound"},
	} {
		for _, e := range events.Recognise(h) {
			if _, ok := e.(events.CompoundRequested); ok {
				t.Errorf("%s asks for compound", name)
			}
		}
	}
}

// TestObservationsAreNotAppendable: only hooks report observations: a script that could write them could claim any note
// and any compound.
func TestObservationsAreNotAppendable(t *testing.T) {
	t.Parallel()
	for _, typ := range []events.Type{"file.observed", "compound.requested"} {
		if _, err := events.FromJSON(typ, []byte("{}")); err == nil {
			t.Errorf("%s is appendable", typ)
		}
	}
	if _, err := events.FromJSON("note.recorded", []byte(`{"text": ""}`)); err == nil {
		t.Error("an empty note is taken")
	}
	if _, err := events.FromJSON("note.recorded", []byte(`{"text": "x"}`)); err != nil {
		t.Error(err)
	}
}
