package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
)

var (
	update = flag.Bool("update", false, "write the reports that are missing; existing ones stay")
	target = projections.Target{Project: "p", Session: "s"}
)

// line is one event of an example; what is left out is of the target.
type line struct {
	Type    events.Type     `json:"type"`
	Data    json.RawMessage `json:"data"`
	Session string          `json:"session"`
	Lane    string          `json:"lane"`
}

// readLog makes a log of lines; an event's sequence is the number of its line.
func readLog(t testing.TB, lines []byte) replay.Slice {
	t.Helper()
	var log replay.Slice
	for text := range bytes.Lines(lines) {
		l := line{Session: target.Session}
		strict(t, text, &l)
		zero, err := events.Open(events.Envelope{Meta: events.Meta{Type: l.Type, TypeVer: 1}, Body: events.Raw{0x80}})
		if err != nil {
			t.Fatal(err)
		}
		e := reflect.New(reflect.TypeOf(zero))
		if l.Data != nil {
			strict(t, l.Data, e.Interface())
		}
		log = grow(t, log, e.Elem().Interface().(events.Event), l.Session, l.Lane)
	}
	return log
}

func grow(t rapid.TB, log replay.Slice, e events.Event, session, lane string) replay.Slice {
	t.Helper()
	seq := uint64(len(log) + 1)
	env, err := events.Wrap(e, events.Meta{Project: target.Project, Session: session, Lane: lane, At: int64(seq) * int64(10*time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	env.Seq = seq
	return append(log, env)
}

func strict(t testing.TB, b []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
}

func auditOf(t rapid.TB, log replay.Slice) audit.Report {
	t.Helper()
	r, err := audit.Audit(context.Background(), log, target, projections.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each file of testdata/reports is a log and what an audit of it says (J.4):
// events.jsonl and report.json.
func TestReports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/reports/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			log := readLog(t, archive.Files[0].Data)
			got, err := json.MarshalIndent(auditOf(t, log), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if len(archive.Files) == 1 && *update {
				archive.Files = append(archive.Files, txtar.File{Name: "report.json", Data: got})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("no report.json: run with -update and read what it wrote")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			laws(t, log)
		})
	}
}

// laws: the same log gives the same report, and what was known before a
// compaction is not changed by what comes after it; only statuses are.
func laws(t *testing.T, log replay.Slice) {
	t.Helper()
	whole := auditOf(t, log)
	if diff := cmp.Diff(shown(whole), shown(auditOf(t, log))); diff != "" {
		t.Errorf("a second audit differs:\n%s", diff)
	}
	for n := range log {
		for i, c := range auditOf(t, log[:n]).Compactions {
			if i >= len(whole.Compactions) {
				t.Fatalf("the first %d events have a compaction that the log has not", n)
			}
			w := whole.Compactions[i]
			if diff := cmp.Diff(knowledgeBefore(w), knowledgeBefore(c)); diff != "" {
				t.Errorf("compaction %d by %d events: -whole +prefix\n%s", i+1, n, diff)
			}
		}
	}
}

func shown(r audit.Report) string {
	b, _ := json.Marshal(r)
	return string(b)
}

// knowledgeBefore is what does not depend on later events.
func knowledgeBefore(c audit.Compaction) []string {
	all := []string{fmt.Sprint(c.Ordinal, c.Lane, c.Seq)}
	for _, it := range c.Items {
		all = append(all, it.ID+" "+it.Text)
	}
	return all
}

// TestOneStatus: every item has one of the declared statuses, and its quote
// stands in the summary where it says (ADR-0010).
func TestOneStatus(t *testing.T) {
	t.Parallel()
	sum := "<analysis>`make all` ran</analysis>\n<summary>We chose ｆｕｌｌ width; **keep** the parser.\n`make check` passes.</summary>"
	log := replay.Slice{}
	for _, e := range []events.Event{
		events.DecisionRecorded{Text: "We chose full width"}, events.DecisionRecorded{Text: "`make check` passes"},
		events.DecisionRecorded{Text: "`make all` ran"}, events.CompactionCompleted{Summary: sum},
	} {
		log = grow(t, log, e, target.Session, "")
	}
	want := map[string]string{"decision-1": "We chose ｆｕｌｌ width", "decision-2": "make check` passes", "decision-3": "make"}
	for _, it := range auditOf(t, log).Compactions[0].Items {
		quote := ""
		if m := it.Evidence.Match; m != nil {
			quote = m.Quote
			if sum[m.From:m.To] != quote {
				t.Errorf("%s: %q does not stand at %d", it.ID, quote, m.From)
			}
		}
		if quote != want[it.ID] || (it.Status == audit.InSummary) != (it.ID != "decision-3") {
			t.Errorf("%s is %s by %q, want %q", it.ID, it.Status, quote, want[it.ID])
		}
	}
}

// TestLostText: what is worth most comes first, and a text of an item cannot leave its place.
func TestLostText(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	for _, e := range []events.Event{
		events.PromptSubmitted{Text: "paint it\nblue"}, events.CommandRan{Command: "make paint", Failed: true, Error: "no brush"},
		events.TodosWritten{Todos: []events.Todo{{Text: "buy a brush", Status: "pending"}}},
		events.CompactionCompleted{Summary: "Nothing of note."},
	} {
		log = grow(t, log, e, target.Session, "")
	}
	want := "## Todo items\n\n- [ ] buy a brush (todo-3.1)\n" + "\n## Prompts\n\n- paint it\n  blue (prompt-1)\n"
	if diff := cmp.Diff(want, audit.Text(auditOf(t, log).WithStatus(audit.Lost))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if others := auditOf(t, log).Compactions[0].Others; others != 1 {
		t.Errorf("%d other things, want the command", others)
	}
	if audit.Text(nil) != "" {
		t.Error("no items give a text")
	}
}

// TestLostOfEachForm: each kind of item is written as it reads best: a box, a question and its
// answer, a heading and its text.
func TestLostOfEachForm(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	for _, e := range []events.Event{
		events.TodosWritten{Todos: []events.Todo{{Text: "buy a brush", Status: "completed"}, {Text: "paint\nthe gate", Status: "pending"}}},
		events.ToolRefused{Tool: "Bash", Target: "rm gate", Words: "keep the gate"},
		events.QuestionAnswered{Question: "which colour?", Answer: "blue as the sea"},
		events.DecisionRecorded{Text: "two layers of paint"},
		events.NoteRecorded{Heading: "Hinges", Text: "they are\nleft-handed"},
		events.NoteRecorded{Text: "rust below the lock"},
		events.CompactionCompleted{Summary: "Nothing of note."},
	} {
		log = grow(t, log, e, target.Session, "")
	}
	want := "## Todo items\n\n- [ ] paint\n  the gate (todo-1.2)\n" +
		"\n## Decisions\n\n- two layers of paint (decision-4)\n- which colour?: blue as the sea (decision-3)\n" +
		"\n## Refused tool calls\n\n- Bash rm gate: keep the gate (refusal-2)\n"
	want += "\n## Working notes\n\n- rust below the lock (flow-6)\n- **Hinges** (flow-5)\n  they are\n  left-handed\n"
	if diff := cmp.Diff(want, audit.Text(auditOf(t, log).WithStatus(audit.Lost))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
