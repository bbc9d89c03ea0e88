package events_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
)

// TestCompileResult: a result is read from the members of its file, lists in order; an invalid number counts as none.
func TestCompileResult(t *testing.T) {
	t.Parallel()
	got := events.CompileResult([]events.Label{
		{Name: "status", Value: "success"}, {Name: "detected_language", Value: "go"}, {Name: "unknown", Value: "x"},
		{Name: "generated_files", Value: "a.go"}, {Name: "skipped_files", Value: "b.go"}, {Name: "generated_files", Value: "c.go"}, {Name: "overwritten_files", Value: "d.go"},
		{Name: "tests.total", Value: "7"}, {Name: "tests.passed", Value: "6"}, {Name: "tests.failed", Value: "one"}, {Name: "retry_count", Value: "2"},
		{Name: "phase", Value: "green"}, {Name: "modified_symbols.name", Value: "Parse"}, {Name: "modified_symbols", Value: "Print"}, {Name: "exports", Value: "Read"},
	})
	want := events.CompileFinished{
		Status: "success", Language: "go", Generated: []string{"a.go", "c.go"}, Skipped: []string{"b.go"}, Overwritten: []string{"d.go"},
		Tests: events.CompileTests{Total: 7, Passed: 6}, Phase: "green", Retries: 2, ModifiedSymbols: []string{"Parse", "Print"}, Exports: []string{"Read"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
