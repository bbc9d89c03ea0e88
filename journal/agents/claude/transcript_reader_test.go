package claude_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/claude"
	"journal/journal/agents/transcript"
)

// steps reads a transcript to its end.
func steps(t testing.TB, in io.Reader) (all []transcript.Step, sum transcript.Summary) {
	t.Helper()
	r := claude.NewReader(in, nil, nil)
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r.Summary()
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

// told returns a line for each event: its hook, its lane, and the event with what distinguishes it.
func told(t testing.TB, in io.Reader) (lines []string, sum transcript.Summary) {
	t.Helper()
	all, sum := steps(t, in)
	for _, s := range all {
		for _, e := range events.Recognise(s.Report.Hook) {
			line := strings.TrimSpace(fmt.Sprintf("%s %s %T", s.What, s.Report.Hook.Lane, e))
			switch e := e.(type) {
			case events.PromptSubmitted:
				line += fmt.Sprintf(" %s %v", e.Text, e.Machine)
			case events.CommandRan:
				line += fmt.Sprintf(" %s %v %d %q", e.Command, e.Failed, e.Exit, e.Output)
				if e.Mark+e.Background != "" {
					line += fmt.Sprintf(" mark %q background %q", e.Mark, e.Background)
				}
			case events.ToolUsed:
				line += fmt.Sprintf(" %s %v %s", e.Tool, e.Failed, e.Error)
			case events.QuestionAnswered:
				line += " " + e.Question + " " + e.Answer
			case events.PlanApproved:
				line += " " + e.File + " " + e.Text
			case events.ToolRefused:
				line += " " + e.Tool + " " + e.Target + " " + e.Words
			case events.SubagentTasked:
				line += " " + e.Lane + " " + e.Text
			case events.BackgroundEnded:
				line += fmt.Sprintf(" %s %s %d %s", e.Task, e.Status, e.Exit, e.Text)
			case events.FileRead:
				line += " " + e.Path
			case events.TurnEnded:
				line += " " + e.Text
			case events.TurnFailed:
				line += " " + e.Error + " " + e.Details
			case events.DecisionRecorded:
				line += " " + e.Text
			case events.TodosWritten:
				line += fmt.Sprint(" ", e.Todos)
			case events.CompactionCompleted:
				line += " " + e.Trigger + " " + e.Summary
			case events.UsageSampled:
				line += fmt.Sprintf(" %d %s", e.Tokens, e.Model)
			case events.SessionStarted:
				line += " " + e.Source + " " + e.Root
			case events.SessionTitled:
				line += fmt.Sprint(" ", e.Person, " ", e.Title)
			case events.SubagentStarted:
				line += " " + e.AgentType
			case events.SubagentEnded:
				line += " " + e.AgentType + " " + e.Text
			case events.HookReceived:
				line += " " + e.Broken
			}
			line = strings.ReplaceAll(line, "events.", "")
			lines = append(lines, strings.ReplaceAll(line, "\n", "/"))
		}
	}
	return lines, sum
}

// TestGolden: the transcripts of testdata give the events that hooks would have reported, each as a list beside it
// (J.5).
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.jsonl"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			lines, sum := told(t, f)
			got := strings.Join(lines, "\n") + fmt.Sprintf("\nrows %d, broken %d, compactions %d\n", sum.Rows, sum.Broken, sum.Compactions)
			golden := strings.TrimSuffix(path, ".jsonl") + ".txt"
			want, err := os.ReadFile(golden)
			if os.IsNotExist(err) && *agentstest.Update {
				err = os.WriteFile(golden, []byte(got), 0o600)
				want = []byte(got)
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

const begin = `{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","message":{"content":"begin"}}` + "\n"

// TestOddFiles: a file that is no transcript gives nothing, and a torn row is a gap of its session only.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	for _, nothing := range []string{"", "\n\n", "{}\n", "[1,2]\n", "\x00\xff\n", `{"type":"user"}` + "\n", `{"type":"user","sess`} {
		if got, _ := told(t, strings.NewReader(nothing)); len(got) != 0 {
			t.Errorf("%q says %q", nothing, got)
		}
	}
	torn := begin + `{"type":"user","uuid":"v","message":{"content":"cut he` + "\n" + "\x00\x00\n" +
		`{"type":"user","uuid":"w","sessionId":"s","message":{"content":"go on"}}`
	all, sum := steps(t, strings.NewReader(torn))
	if sum.Broken != 2 || len(all) != 5 {
		t.Fatalf("%d steps, %+v", len(all), sum)
	}
	if all[2].Report.Hook.Broken == "" || all[2].IDs(1)[0] == all[3].IDs(1)[0] {
		t.Errorf("two torn rows are %q and %q under %q", all[2].What, all[3].What, all[2].IDs(1))
	}
	if all[4].Report.Hook.Text != "go on" {
		t.Errorf("behind the torn row: %+v", all[4].Report.Hook)
	}
}

// TestLongRow: a row of any length costs time and no memory, and what follows the long text is found (ADR-0014).
func TestLongRow(t *testing.T) {
	const length = 40 << 20
	row := io.MultiReader(strings.NewReader(begin+
		`{"type":"assistant","uuid":"a","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"cat big"}}]}}`+"\n"+
		`{"type":"user","uuid":"r","sessionId":"s","toolUseResult":{"stdout":"first `),
		io.LimitReader(ys{}, length),
		strings.NewReader(` last","stderr":""},"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}`+"\n"+
			`{"type":"user","uuid":"w","sessionId":"s","message":{"content":"go on"}}`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, sum := steps(t, row)
	runtime.ReadMemStats(&after)
	if sum.Broken != 0 || len(all) != 4 || sum.Bytes < length {
		t.Fatalf("%d steps, %+v", len(all), sum)
	}
	out := all[2].Report.Hook.Tool.Output
	if !strings.HasPrefix(out, "first y") || !strings.HasSuffix(out, "y last") || len(out) > 16<<10 {
		t.Errorf("output of %d bytes: %.20q…", len(out), out)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("a row of %d bytes allocates %d", length, grown)
	}
}

// TestLongRowMark: the whole output of a command is searched, even in a shortened row.
func TestLongRowMark(t *testing.T) {
	t.Parallel()
	output := strings.Repeat("ok\n", 10_000) + "--- FAIL: TestX (0s)\n" + strings.Repeat("ok\n", 10_000)
	all, _ := steps(t, strings.NewReader(begin+
		`{"type":"assistant","uuid":"a","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"go test | cat"}}]}}`+"\n"+
		`{"type":"user","uuid":"r","sessionId":"s","more":"`+strings.Repeat("y", 1<<20)+`","toolUseResult":{"stdout":`+strconv.Quote(output)+
		`},"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}`))
	if h := all[len(all)-1].Report.Hook; h.Tool == nil || h.Tool.Mark != "--- FAIL: TestX (0s)" || len(h.Tool.Output) > 16<<10 {
		t.Errorf("%+v", h.Tool)
	}
}

type ys struct{}

func (ys) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'y'
	}
	return len(b), nil
}

// TestIDs: the ids of a row's events are the same in every file, and no two steps of a transcript share one (ADR-0011).
func TestIDs(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := steps(t, strings.NewReader(string(b)))
	fork, _ := steps(t, strings.NewReader(strings.ReplaceAll(string(b), `"sessionId":"5e55"`, `"sessionId":"f02c"`)))
	seen := map[string]string{}
	for i, s := range first {
		hook := s.Report.Hook
		own := hook.Kind == events.SessionStart || hook.Broken != ""
		for j, id := range s.IDs(3) {
			if was := seen[id]; was != "" {
				t.Errorf("%s %s and %s share an id", s.Row, s.What, was)
			}
			seen[id] = s.Row + " " + s.What
			if (fork[i].IDs(3)[j] == id) == own {
				t.Errorf("%s %s: own of its session: %v", s.Row, s.What, own)
			}
		}
	}
}

// TestFixtures: real transcripts have as many compactions as boundaries, and no unreadable row.
func TestFixtures(t *testing.T) {
	t.Parallel()
	root := os.Getenv("JOURNAL_FIXTURES")
	files, _ := filepath.Glob(filepath.Join(root, "third-party", "claude-transcripts", "full", "*.jsonl"))
	if root == "" || len(files) == 0 {
		t.Skip("no fixtures: set JOURNAL_FIXTURES")
	}
	own, _ := filepath.Glob(filepath.Join(root, "own", "captured", "claude", "transcript*.jsonl"))
	for _, path := range append(files, own...) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all, sum := steps(t, strings.NewReader(string(b)))
		if want := strings.Count(string(b), `"subtype":"compact_boundary"`); sum.Compactions != want || sum.Broken != 0 || len(all) < 5 {
			t.Errorf("%s: %d compactions, want %d; %d rows broken, %d steps", filepath.Base(path), sum.Compactions, want, sum.Broken, len(all))
		}
	}
}

// TestFolderNamedSubagents: only the folder with a session's name above the last folder of subagents names the session.
func TestFolderNamedSubagents(t *testing.T) {
	t.Parallel()
	const session, own, row = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222",
		`{"type":"user","uuid":"u","sessionId":"22222222-2222-4222-8222-222222222222","timestamp":"2026-11-29T08:00:00Z","message":{"role":"user","content":"hi"}}`
	form, err := transcript.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/h/p/" + session + "/subagents/agent-a.jsonl":                   session,
		"/h/p/" + session + "/subagents/workflows/w/agent-a.jsonl":       session,
		"/h/subagents/x/p/" + session + "/subagents/agent-a.jsonl":       session,
		"/h/subagents/x/p/" + own + ".jsonl":                             own,
		"/h/subagents/x/journal.jsonl":                                   own,
		"/subagents/copied.jsonl":                                        own,
		"/h/p/" + session + "/subagents/workflows/w/journal.jsonl":       "",
		"/subagents/p/" + session + "/subagents/workflows/journal.jsonl": "",
	} {
		if head, err := form.Skim(path, strings.NewReader(row)); head.Session != want || (want == "") != errors.Is(err, transcript.ErrOwn) {
			t.Errorf("%s: session %q (%v), want %q", path, head.Session, err, want)
		}
	}
}
