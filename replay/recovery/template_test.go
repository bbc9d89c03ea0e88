package recovery_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/events/text"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

func TestLanguages(t *testing.T) {
	t.Parallel()
	if got := recovery.Languages(); !slices.Equal(got, []string{"en", "ja", "ko"}) {
		t.Errorf("languages %v", got)
	}
	r := recoverFrom(t, events.PromptSubmitted{Text: "go"})
	english := render(t, r, "en").Text
	for lang, same := range map[string]bool{"en": true, "fr": true, "": true, "../en": true, "ko": false, "ja": false} {
		if got := render(t, r, lang).Text; (got == english) != same {
			t.Errorf("%q: %s", lang, got)
		}
	}
}

// TestHeadings: every kind with a section has a heading in every language.
func TestHeadings(t *testing.T) {
	t.Parallel()
	for _, lang := range recovery.Languages() {
		tmpl, err := recovery.Template(lang, "")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]knowledge.Kind{}
		for _, d := range knowledge.Kinds() {
			if d.Text.Frame || d.Text == (knowledge.Text{}) {
				continue
			}
			var b strings.Builder
			of := tmpl.Lookup("heading of " + string(d.Kind))
			if of == nil {
				t.Errorf("%s: %s has no heading", lang, d.Kind)
				continue
			}
			if err := of.Execute(&b, map[string]any{"Subagent": false}); err != nil {
				t.Fatal(err)
			}
			if other, again := seen[b.String()]; again || b.Len() == 0 {
				t.Errorf("%s: the heading of %s is %q, as of %q", lang, d.Kind, b.String(), other)
			}
			seen[b.String()] = d.Kind
		}
	}
}

// TestBrokenTemplate: the error about a person's template names the template.
func TestBrokenTemplate(t *testing.T) {
	t.Parallel()
	r := recoverFrom(t, events.PromptSubmitted{Text: "go"})
	for _, source := range []string{"{{.Items", "{{nosuch .}}", "{{template}}"} {
		if _, err := recovery.Template("en", source); err == nil || !strings.Contains(err.Error(), "template recovery en") {
			t.Errorf("%s: error %v", source, err)
		}
	}
	for _, source := range []string{"{{.Weather}}", `{{template "nosuch"}}`, "{{index .Items 99}}"} {
		tmpl, err := recovery.Template("en", source)
		if err != nil {
			t.Fatal(err)
		}
		got, err := recovery.Render(r, tmpl, recovery.Limit{})
		if err == nil || !strings.Contains(err.Error(), "template recovery en") || got.Text != "" {
			t.Errorf("%s: error %v, text %q", source, err, got.Text)
		}
	}
}

// TestTemplateTooLong: a person's template that is too long by itself is cut between characters as a person sees them,
// and lists no items.
func TestTemplateTooLong(t *testing.T) {
	t.Parallel()
	const family = "👩‍👩‍👧‍👦"
	tmpl, err := recovery.Template("en", strings.Repeat(family, 200)+"{{range .Items}}{{.Text}}{{end}}")
	if err != nil {
		t.Fatal(err)
	}
	got, err := recovery.Render(recoverFrom(t, events.PromptSubmitted{Text: "go"}), tmpl, recovery.Limit{Units: 500})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(family, 499/text.Units(family)) + "…"; got.Text != want || got.Units != text.Units(want) {
		t.Errorf("%d units: %s", got.Units, got.Text)
	}
	if len(got.Items) != 0 {
		t.Errorf("items %v in a text without any", got.Items)
	}
}

// TestOwnTemplate: a person's template gets the items that fit, most needed first, and how many did not.
func TestOwnTemplate(t *testing.T) {
	t.Parallel()
	log := []events.Event{events.PromptSubmitted{Text: "go"}}
	for _, path := range []string{"/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"} {
		log = append(log, events.FileWritten{Path: path, Op: "edit"})
	}
	log = append(log, events.TurnEnded{})
	tmpl, err := recovery.Template("en", `{{range .Items}}{{.Kind}} {{code .Text}} {{end}}and {{.Left}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		limit recovery.Limit
		want  string
		items []string
	}{
		{recovery.Limit{}, "prompt `go` file `/8` file `/7` file `/6` file `/5` file `/4` file `/3` file `/2` file `/1` and 0", nil},
		{recovery.Limit{Units: 60, Vital: 20}, "prompt `go` file `/8` file `/7` file `/6` file `/5` and 4", []string{"prompt-1", "file-9", "file-8", "file-7", "file-6"}},
		{recovery.Limit{Units: 5}, "and 9", nil},
		{recovery.Limit{Units: 3}, "an…", nil},
	} {
		got, err := recovery.Render(recoverFrom(t, log...), tmpl, tc.limit)
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != tc.want || tc.items != nil && !slices.Equal(got.Items, tc.items) {
			t.Errorf("%+v: %s, items %v; want %s, %v", tc.limit, got.Text, got.Items, tc.want, tc.items)
		}
	}
}

// TestCopiedTemplate: a person's copy of the built-in template returns the same text, except for the person's changes.
func TestCopiedTemplate(t *testing.T) {
	t.Parallel()
	for _, lang := range recovery.Languages() {
		source, err := os.ReadFile("languages/" + lang + "/recovery.tmpl")
		if err != nil {
			t.Fatal(err)
		}
		r, limit := recoverFrom(t, session(100)...), recovery.Limit{Units: 3000}
		render := func(source string) recovery.Text {
			tmpl, err := recovery.Template(lang, source)
			if err != nil {
				t.Fatal(err)
			}
			text, err := recovery.Render(r, tmpl, limit)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		built := render("")
		if diff := cmp.Diff(built, render(string(source))); diff != "" || built.Text == "" {
			t.Errorf("%s (-built in +copied):\n%s", lang, diff)
		}
		changed := regexp.MustCompile(`(define "heading of decision"}}).*?({{end)`).ReplaceAllString(string(source), "${1}What we settled${2}")
		if got := render(changed).Text; !strings.Contains(got, "What we settled") {
			t.Errorf("%s: the changed heading is not in\n%s", lang, got)
		}
	}
}

// TestRoomForOmittedLine: the line about omitted items needs room too, so that an item is left out for it.
func TestRoomForOmittedLine(t *testing.T) {
	t.Parallel()
	tmpl, err := recovery.Template("en", "{{range .Items}}{{.Text}} {{end}}{{if .Left}}and {{.Left}} more{{end}}")
	if err != nil {
		t.Fatal(err)
	}
	var log []events.Event
	for _, path := range []string{"/file1", "/file2", "/file3"} {
		log = append(log, events.FileWritten{Path: path, Op: "edit"})
	}
	log = append(log, events.TurnEnded{})
	for _, tc := range []struct {
		units int
		want  string
		items int
	}{
		{20, "/file3 /file2 /file1", 3}, {19, "/file3 and 2 more", 1}, {16, "and 3 more", 0},
	} {
		got, err := recovery.Render(recoverFrom(t, log...), tmpl, recovery.Limit{Units: tc.units, Vital: tc.units})
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != tc.want || len(got.Items) != tc.items {
			t.Errorf("in %d units: %q with items %v, want %q with %d", tc.units, got.Text, got.Items, tc.want, tc.items)
		}
	}
}

// TestLongItemLeavesRoom: an item too long for the rest of the vital part does not keep shorter ones out.
func TestLongItemLeavesRoom(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 120)
	r := recoverFrom(t,
		events.PromptSubmitted{Text: long},
		events.TodosWritten{Todos: []events.Todo{{Text: long, Status: "pending"}, {Text: "the short one", Status: "pending"}}},
		events.DecisionRecorded{Text: long},
		events.FileWritten{Path: "/" + long, Op: "edit"},
		events.CommandRan{Command: "make " + long, Failed: true, Error: long},
		events.TurnEnded{},
	)
	for _, lang := range recovery.Languages() {
		got := renderWithin(t, r, lang, recovery.Limit{Vital: 1700}).Text
		short, more, failure := strings.Index(got, "the short one"), strings.Index(got, "\n# "), strings.Index(got, "make long")
		if short < 0 || more < short || failure < more {
			t.Errorf("%s: the short one at %d, the less needed from %d, the failure at %d of\n%s", lang, short, more, failure, got)
		}
	}
}

// TestPlanBeforeOldPastes: a long plan of the newest request gets room before pasted parts of earlier requests.
func TestPlanBeforeOldPastes(t *testing.T) {
	t.Parallel()
	all := repeat(4, func(i int) events.PromptSubmitted {
		return events.PromptSubmitted{Text: fmt.Sprint("request ", i, ": ") + strings.Repeat("a pasted line\n", 150)}
	})
	plan := "# Plan\n" + strings.Repeat("- a step of the plan\n", 150) + "- the last step"
	r := recoverFrom(t, append(all, events.PromptSubmitted{Text: "build it"}, events.PlanApproved{Text: plan}, events.TurnEnded{})...)
	for _, lang := range recovery.Languages() {
		if got := render(t, r, lang).Text; !strings.Contains(got, "- the last step") {
			t.Errorf("%s: the plan is cut in\n%s", lang, got)
		}
	}
}

// TestLanguage: a locale has many spellings; a language that is not built in falls back to English.
func TestLanguage(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"ko_KR.UTF-8": "ko", "ja": "ja", "JA-jp": "ja", "Korean_Korea.949": "ko", "en_US": "en", "C.UTF-8": "en", "de_DE": "en", "": "en", "../ko": "en",
	} {
		if got := recovery.Language(locale); got != want {
			t.Errorf("%q: %s, want %s", locale, got, want)
		}
	}
}
