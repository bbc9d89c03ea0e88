package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"journal/events"
	"journal/replay"
)

// compacted is a log of so many commands and compactions, with all that comes between them.
func compacted(tb testing.TB, commands, compactions int) (log replay.Slice) {
	var done []string
	for i := range commands {
		command := fmt.Sprintf("cd /home/dev/app && go test ./internal/part%d -run 'TestLimiter%d/burst' -count=1 2>&1 | tail -40", i%97, i)
		log = grow(tb, log, events.CommandRan{Command: command, Failed: i%17 == 0, Error: strings.Repeat(fmt.Sprintf("--- FAIL: TestLimiter%d (0.00s)\n    limiter_test.go:%d: got %d tokens, want 3\n", i, i, i), 3)}, target.Session, "")
		switch i % 10 {
		case 3:
			log = grow(tb, log, events.FileWritten{Path: fmt.Sprintf("/home/dev/app/internal/part%d/limiter%d.go", i%97, i%400), Op: "edit"}, target.Session, "")
		case 5:
			log = grow(tb, log, events.PromptSubmitted{Text: fmt.Sprintf("Make the limiter number %d refill its bucket every %d ms, and keep bursts below %d requests", i, i%50, i%7)}, target.Session, "")
		case 7:
			log = grow(tb, log, events.DecisionRecorded{Text: fmt.Sprintf("Limiter %d uses a token bucket with a burst of %d", i, i%9)}, target.Session, "")
		}
		done = append(done, fmt.Sprintf("- ran `go test ./internal/part%d` for limiter %d: it failed at limiter_test.go:%d, and was mended in limiter%d.go", i%97, i, i, i%400))
		if (i+1)%(commands/compactions) == 0 {
			summary := "<summary>1. Primary request: refill the bucket of every limiter.\n\n2. What was done:\n" + strings.Join(done[max(0, len(done)-120):], "\n") + "\n</summary>"
			log = grow(tb, log, events.CompactionIntended{Trigger: "auto"}, target.Session, "")
			log = grow(tb, log, events.CompactionCompleted{Trigger: "auto", Summary: summary}, target.Session, "")
			done = done[:0]
		}
	}
	return log
}

// What an audit costs by how often a session was compacted.
func BenchmarkCompactions(b *testing.B) {
	for _, n := range []int{5, 10, 20, 30} {
		log := compacted(b, 10_000, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				auditOf(b, log)
			}
		})
	}
}
