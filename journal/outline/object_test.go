package outline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/journal/outline"
)

// A compiler's result as one label for each value; a result is read out of them again.
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
	got := outline.Members(object)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	result := events.CompileFinished{
		Status: "success", Language: "Go", Generated: []string{"a.go", "b.go"}, Tests: events.CompileTests{Total: 5, Passed: 4, Failed: 1},
		Exports: []string{"Login", "Logout"},
	}
	if diff := cmp.Diff(result, events.CompileResult(got)); diff != "" {
		t.Errorf("the result (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "[]", "null", "{", `"x"`, strings.Repeat("[", 1<<20)} {
		if got := outline.Members(bad); got != nil {
			t.Errorf("%.10s: %v", bad, got)
		}
	}
	found := events.FileObserved{Kind: events.CompileFile}
	if outline.Read(&found, "{"); found.Gap != "malformed" {
		t.Errorf("a torn result: %+v", found)
	}
}
