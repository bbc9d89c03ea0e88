package sections_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/journal/notes/sections"
)

// A compiler's result has one label for each value, from which it can be restored.
func TestMembers(t *testing.T) {
	t.Parallel()
	const object = `{"target_dir": "src/auth", "detected_language": "Go", "status": "success", "generated_files": ["a.go", "b.go"],
		"skipped_files": [], "tests": {"total": 5, "passed": 4, "failed": 1, "deep": {"er": {"est": 1}}}, "extra": null,
		"exports": [{"name": "Login", "signature": "func Login()"}, "Logout"], "implements_md_updated": true}`
	want := []events.Label{
		{Name: "detected_language", Value: "Go"}, {Name: "exports.name", Value: "Login"}, {Name: "exports.signature", Value: "func Login()"},
		{Name: "exports", Value: "Logout"}, {Name: "generated_files", Value: "a.go"}, {Name: "generated_files", Value: "b.go"},
		{Name: "implements_md_updated", Value: "true"}, {Name: "status", Value: "success"}, {Name: "target_dir", Value: "src/auth"},
		{Name: "tests.failed", Value: "1"}, {Name: "tests.passed", Value: "4"}, {Name: "tests.total", Value: "5"},
	}
	got, gap := sections.Members(object)
	if diff := cmp.Diff(want, got); diff != "" || gap != "" {
		t.Errorf("gap %q (-want +got):\n%s", gap, diff)
	}
	result := events.CompileFinished{
		Status: "success", Language: "Go", Generated: []string{"a.go", "b.go"}, Tests: events.CompileTests{Total: 5, Passed: 4, Failed: 1},
		Exports: []string{"Login", "Logout"},
	}
	if diff := cmp.Diff(result, events.CompileResult(got)); diff != "" {
		t.Errorf("the result (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "[]", "null", "{", `"x"`, strings.Repeat("[", 1<<20)} {
		if got, gap := sections.Members(bad); got != nil || gap != "malformed" {
			t.Errorf("%.10s: %v", bad, got)
		}
	}
	found := events.FileObserved{Kind: events.CompileFile}
	if sections.Read(&found, "{"); found.Gap != "malformed" {
		t.Errorf("a torn result: %+v", found)
	}
}

// Too many elements of a list leave a gap, and later members are still there.
func TestManyMembers(t *testing.T) {
	t.Parallel()
	list := strings.Repeat(`"x",`, 4999) + `"x"`
	found := events.FileObserved{Kind: events.CompileFile}
	sections.Read(&found, `{"generated_files": [`+list+`], "z": "done"}`)
	if len(found.Labels) != 1001 || events.LabelIn(found.Labels, "z") != "done" || found.Gap != "4000 members left out" {
		t.Errorf("%d labels, gap %q", len(found.Labels), found.Gap)
	}
	var wide strings.Builder
	for i := range 4100 {
		fmt.Fprintf(&wide, `"m%04d": 1,`, i)
	}
	labels, gap := sections.Members(`{` + wide.String() + `"z": 2}`)
	if len(labels) != 4000 || gap != "101 members left out" {
		t.Errorf("%d labels, gap %q", len(labels), gap)
	}
	found = events.FileObserved{Kind: events.CompoundFile}
	sections.Read(&found, `{"a": [`+list+`], "timestamp": "2026-03-01", "promotedCount": 2}`)
	want := []events.Label{{Name: "timestamp", Value: "2026-03-01"}, {Name: "promotedCount", Value: "2"}}
	if diff := cmp.Diff(want, found.Labels); diff != "" || found.Gap != "" {
		t.Errorf("a compound: gap %q (-want +got):\n%s", found.Gap, diff)
	}
}
