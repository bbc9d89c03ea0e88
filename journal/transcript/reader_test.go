package transcript_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/journal/transcript"
)

func noEnv(string) string { return "" }

// told reads a transcript to its end, a line for each event: of which hook, in
// which lane, and the event with its first text.
func told(t testing.TB, in io.Reader) (lines []string, sum transcript.Summary) {
	t.Helper()
	r, err := transcript.NewReader(in, noEnv, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines, r.Summary()
		}
		if err != nil {
			t.Fatal(err)
		}
		hook := s.Report.Hook
		if hook.Broken != "" {
			t.Fatalf("%s of row %s is broken: %s", s.What, s.Row, hook.Broken)
		}
		for _, e := range events.Recognise(hook) {
			line := strings.TrimSpace(fmt.Sprintf("%s %s %T", s.What, hook.Lane, e))
			switch e := e.(type) {
			case events.PromptSubmitted:
				line += " " + e.Text
			case events.CommandRan:
				line += fmt.Sprintf(" %s %v %d", e.Command, e.Failed, e.Exit)
			case events.FileRead:
				line += " " + e.Path
			case events.TurnEnded:
				line += " " + strings.ReplaceAll(e.Text, "\n", "/")
			case events.DecisionRecorded:
				line += " " + e.Text
			case events.CompactionCompleted:
				line += " " + e.Trigger + " " + strings.ReplaceAll(e.Summary, "\n", "/")
			case events.UsageSampled:
				line += fmt.Sprintf(" %d %s", e.Tokens, e.Model)
			case events.SessionStarted:
				line += " " + e.Root
			}
			lines = append(lines, strings.ReplaceAll(line, "events.", ""))
		}
	}
}

// The rows of a transcript give the events that hooks would have told: in English,
// Korean and Japanese, with a subagent among the rows, a failed command, rows that
// nobody wrote, a broken row and a compaction.
func TestReader(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join("testdata", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, sum := told(t, f)
	want := []string{
		"SessionStart  SessionStarted /home/dev/p",
		"UserPromptSubmit  PromptSubmitted 속도 제한기를 토큰 버킷으로 바꿔 주세요",
		"PostToolUse  FileRead /home/dev/p/limiter.go",
		"PostToolUseFailure  CommandRan go test ./... true 1",
		"PostToolUse sidechain CommandRan ls false 0",
		"Stop  DecisionRecorded tokens are refilled on each call",
		"Stop  TurnEnded Done./Decision: tokens are refilled on each call",
		"Stop  UsageSampled 7020 claude-opus-5-5",
		"SessionStart  ContextRestarted",
		"PostCompact  CompactionCompleted manual This session is being continued./<summary>The limiter is a token bucket.</summary>",
		"UserPromptSubmit  PromptSubmitted 次はゼロ値です",
		"UserPromptSubmit  PromptSubmitted and the docs",
		"Stop  TurnEnded I begin with the zero value.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if sum.Broken != 1 || sum.Compactions != 1 || sum.Rows != 20 {
		t.Errorf("summary %+v", sum)
	}
}

// A subagent's own transcript is its lane.
func TestSubagent(t *testing.T) {
	t.Parallel()
	got, _ := told(t, strings.NewReader(
		`{"type":"user","uuid":"1","sessionId":"5e55","agentId":"ac7e","isSidechain":true,"cwd":"/p","message":{"content":"look around"}}
{"type":"assistant","uuid":"2","sessionId":"5e55","agentId":"ac7e","isSidechain":true,"cwd":"/p","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","uuid":"3","sessionId":"5e55","agentId":"ac7e","isSidechain":true,"cwd":"/p","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]},"toolUseResult":{"stdout":"x"}}
{"type":"assistant","uuid":"4","sessionId":"5e55","agentId":"ac7e","isSidechain":true,"cwd":"/p","message":{"stop_reason":"end_turn","content":[{"type":"text","text":"there is x"}]}}
`))
	want := []string{"PostToolUse ac7e CommandRan ls false 0", "SubagentStop ac7e SubagentEnded"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Old clients wrote the summary without a boundary; a row of any length costs
// itself only, and what is no transcript says nothing.
func TestOddTranscripts(t *testing.T) {
	t.Parallel()
	const begin = `{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","message":{"content":"begin"}}` + "\n"
	summary := begin + `{"type":"user","uuid":"b","sessionId":"s","isCompactSummary":true,"message":{"content":"what was"}}` + "\n"
	if got, sum := told(t, strings.NewReader(summary)); sum.Compactions != 1 || len(got) != 4 {
		t.Errorf("a summary without a boundary: %q, %+v", got, sum)
	}
	long := begin + `{"type":"user","message":{"content":"` + strings.Repeat("y", 65<<20) + `"}}` + "\n" + begin
	if got, sum := told(t, strings.NewReader(long)); sum.Broken != 1 || len(got) != 3 {
		t.Errorf("a row of 65 MiB: %d events, %+v", len(got), sum)
	}
	for _, nothing := range []string{"", "\n\n", "{}\n", "[1,2]\n", "\x00\xff\n", `{"type":"user"}` + "\n"} {
		if got, _ := told(t, strings.NewReader(nothing)); len(got) != 0 {
			t.Errorf("%q says %q", nothing, got)
		}
	}
}

// Real transcripts have as many compactions as they have boundaries.
func TestFixtures(t *testing.T) {
	t.Parallel()
	root := os.Getenv("JOURNAL_FIXTURES")
	files, _ := filepath.Glob(filepath.Join(root, "third-party", "claude-transcripts", "full", "*.jsonl"))
	if root == "" || len(files) == 0 {
		t.Skip("no fixtures: set JOURNAL_FIXTURES")
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, sum := told(t, strings.NewReader(string(b)))
		if want := strings.Count(string(b), `"subtype":"compact_boundary"`); sum.Compactions != want || sum.Broken != 0 {
			t.Errorf("%s: %d compactions, want %d; %d rows broken", filepath.Base(path), sum.Compactions, want, sum.Broken)
		}
	}
}

func FuzzReader(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "session.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := transcript.NewReader(strings.NewReader(`{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","message":{"content":"begin"}}`+"\n"+string(line)), noEnv, nil)
		if err != nil {
			t.Fatal(err)
		}
		for {
			s, err := r.Next()
			if err != nil {
				break
			}
			events.Recognise(s.Report.Hook)
		}
	})
}

// BenchmarkReader is the whole way of a row to its events, without storing them;
// BenchmarkScan is the bare reading of rows beside it (J.5).
func BenchmarkReader(b *testing.B) {
	content := big(b)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		r, err := transcript.NewReader(strings.NewReader(content), noEnv, nil)
		if err != nil {
			b.Fatal(err)
		}
		for {
			s, err := r.Next()
			if err != nil {
				break
			}
			events.Recognise(s.Report.Hook)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	content := big(b)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		for line := range strings.Lines(content) {
			var row map[string]json.RawMessage
			_ = json.Unmarshal([]byte(line), &row)
		}
	}
}

// big is a transcript of some megabytes: real ones when they are there, else the
// test's own again and again.
func big(b *testing.B) string {
	b.Helper()
	files, _ := filepath.Glob(filepath.Join(os.Getenv("JOURNAL_FIXTURES"), "third-party", "claude-transcripts", "full", "*.jsonl"))
	if len(files) == 0 {
		one, err := os.ReadFile(filepath.Join("testdata", "session.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		return strings.Repeat(string(one), 500)
	}
	var all strings.Builder
	for _, path := range files {
		one, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(one)
	}
	return all.String()
}
