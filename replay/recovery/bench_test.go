package recovery_test

import (
	"context"
	"fmt"
	"testing"

	"journal/events"
	"journal/projections"
	"journal/replay/recovery"
)

// session returns n events of a realistic session: mostly commands and files.
func session(n int) []events.Event {
	all := make([]events.Event, n)
	for i := range all {
		switch {
		case i == n-1:
			all[i] = events.ContextRestarted{}
		case i%25 == 0:
			all[i] = events.PromptSubmitted{Text: fmt.Sprintf("please look at part %d of the program and tell me what it does", i)}
		case i%25 == 1:
			all[i] = events.TodosWritten{Todos: []events.Todo{
				{Text: "read the code", Status: "completed"}, {Text: fmt.Sprintf("change part %d", i), Status: "in_progress"}, {Text: "run the tests", Status: "pending"},
			}}
		case i%50 == 2:
			all[i] = events.DecisionRecorded{Text: fmt.Sprintf("part %d stays as it is, because others depend on it", i)}
		case i%3 == 0:
			all[i] = events.FileRead{Path: fmt.Sprintf("/home/dev/project/internal/part%d/file%d.go", i%17, i%90)}
		case i%3 == 1:
			all[i] = events.FileWritten{Path: fmt.Sprintf("/home/dev/project/internal/part%d/file%d.go", i%13, i%60), Op: "edit"}
		default:
			all[i] = events.CommandRan{Command: fmt.Sprintf("go test ./internal/part%d", i%40), Failed: i%5 == 0, Error: "--- FAIL: TestPart (0.01s)\n    part_test.go:12: got 1, want 2"}
		}
	}
	return all
}

// BenchmarkRecoverRender derives and renders the recovery of a session of 1,000 events.
func BenchmarkRecoverRender(b *testing.B) {
	log := logOf(b, session(1000)...)
	tmpl, err := recovery.Template("en", "")
	if err != nil {
		b.Fatal(err)
	}
	recovered := func() recovery.Recovery {
		r, err := recovery.Replayed(context.Background(), log, target, projections.Config{}, 0)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	b.Run("recover", func(b *testing.B) {
		for b.Loop() {
			recovered()
		}
	})
	b.Run("render", func(b *testing.B) {
		r := recovered()
		units := 0
		for b.Loop() {
			text, err := recovery.Render(r, tmpl, recovery.Limit{})
			if err != nil {
				b.Fatal(err)
			}
			units = text.Units
		}
		b.ReportMetric(float64(units), "units")
	})
}
