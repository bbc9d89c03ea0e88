package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/journal/worker"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		spec  Spec
		own   string
		want  []string
		stdin bool
	}{
		{Spec{Command: "a {prompt}!"}, "", []string{"a", `x "y" $z!`}, false},
		{Spec{Command: "a {prompt_file}"}, "", []string{"a", "/f"}, false},
		{Spec{Command: "a -"}, "", []string{"a", "-"}, true},
		{Spec{Command: "a"}, `"b {prompt}"`, []string{"b", `x "y" $z`}, false},
		{Spec{Command: "a", Shell: true}, `["b", "{prompt}"]`, []string{"b", `x "y" $z`}, false},
		{Spec{Command: `a '{prompt}' "{prompt_file}" | b`, Shell: true}, "", []string{"/bin/sh", "-c", `a "$1" "$2" | b`, "sh", `x "y" $z`, "/f"}, false},
		{Spec{Command: `a | b`, Shell: true}, "", []string{"/bin/sh", "-c", `a | b`, "sh", "", "/f"}, true},
	} {
		task := worker.Task{}
		if tc.own != "" {
			task.Rest = map[string]json.RawMessage{"command": json.RawMessage(tc.own)}
		}
		if got, stdin, err := tc.spec.command(task, `x "y" $z`, "/f"); err != nil || stdin != tc.stdin || !slices.Equal(got, tc.want) {
			t.Errorf("%+v %s: %q, %t, %v", tc.spec, tc.own, got, stdin, err)
		}
	}
	for _, own := range []string{`""`, `[]`, `[""]`, `7`, `{}`} {
		if _, _, err := (Spec{Command: ""}).command(worker.Task{Rest: map[string]json.RawMessage{"command": json.RawMessage(own)}}, "", ""); err == nil {
			t.Errorf("%s is a command", own)
		}
	}
}

// A prompt that is too long for a command line is an error before anything runs.
func TestCheck(t *testing.T) {
	t.Parallel()
	long := []worker.Task{{ID: "t", Prompt: strings.Repeat("x", 200<<10)}}
	for command, want := range map[string]bool{"a {prompt}": false, "a {prompt_file}": true, "a": true, "": false} {
		for _, shell := range []bool{false, true} {
			if err := (Spec{Command: command, Shell: shell, Tasks: long}).Check(); (err == nil) != want {
				t.Errorf("%q, shell %t: %v", command, shell, err)
			}
		}
	}
}

func TestReadTasks(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`[{"id":"a"},{"id":"b"}]`:        "a b",
		"{\"id\":\"a\"}\n\n{\"id\":2}\n": "a 2",
		`{"id":"a"}`:                     "a",
	} {
		tasks, err := ReadTasks([]byte(in))
		var names []string
		for _, t := range tasks {
			names = append(names, t.ID)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
	tasks, err := ReadTasks([]byte(`{"prompt":"a"} {"prompt":"b"}`))
	if err != nil || len(tasks) != 2 || len(tasks[0].ID) != 8 || tasks[0].ID == tasks[1].ID {
		t.Errorf("%+v, %v", tasks, err)
	}
	for _, bad := range []string{"", "[]", "x", `{"id":"a"} {"id":"a"}`, `{"prompt":`, `[{"prompt":1}]`, `{"id":"a"}]`} {
		if tasks, err := ReadTasks([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, tasks)
		}
	}
}

// The error names the task, also in a list with further tasks behind it.
func TestReadTasksNamesTheTask(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`[{"id":"a"},{"prompt":1},{"id":"c"},{"id":"d"}]`, `{"id":"a"} {"prompt":1} {"id":"c"}`} {
		if _, err := ReadTasks([]byte(in)); err == nil || !strings.HasPrefix(err.Error(), "task 2: ") {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// What is next follows from the events of the run alone (S4.7).
func TestProgress(t *testing.T) {
	t.Parallel()
	p := Progress{}
	apply := func(all ...events.Event) {
		for _, e := range all {
			p.Apply("r", e)
		}
	}
	attempted := events.WorkAttempted{Run: "r", Task: "a", PID: 7, Start: 8}
	apply(events.WorkStarted{Run: "r", Task: "a"}, attempted, events.WorkStarted{Run: "other", Task: "b"}, events.WorkFinished{Task: "a"})
	if diff := cmp.Diff(Progress{"a": {Started: true, Next: 1, Open: &attempted}}, p); diff != "" {
		t.Errorf("a worker at work (-want +got):\n%s", diff)
	}
	apply(events.WorkEnded{Run: "r", Task: "a", Error: "e", Partial: "p", Interrupted: true})
	if s := p["a"]; s.Open != nil || s.Failed != nil || len(s.Partial) != 1 {
		t.Errorf("an interruption is a failure: %+v", s)
	}
	apply(events.WorkEnded{Run: "r", Task: "a", Error: "Context limit reached", Partial: "q"}, events.WorkAttempted{Run: "r", Task: "a", Phase: 1})
	if s := p["a"]; s.Next != 1 || s.Failed == nil || s.Failed.Output != "q" || s.Open.Phase != 1 {
		t.Errorf("phase 1 is at work: %+v", s)
	}
	apply(events.WorkEnded{Run: "r", Task: "a", Phase: 1, Error: "no"})
	if s := p["a"]; s.Next != 2 || p.Done(Spec{Tasks: []worker.Task{{ID: "a"}}}) {
		t.Errorf("phase 1 failed: %+v", s)
	}
	apply(events.WorkFinished{Run: "r", Task: "a", Success: true, Phase: 2})
	if !p.Done(Spec{Tasks: []worker.Task{{ID: "a"}}}) || p.Done(Spec{Tasks: []worker.Task{{ID: "a"}, {ID: "b"}}}) {
		t.Errorf("done: %+v", p["a"])
	}
}

// A process that finds all phases tried reports what the last one of them left out.
func TestNotAskedByAnEarlierProcess(t *testing.T) {
	t.Parallel()
	r := &run{Spec: Spec{Recover: true, Tasks: []worker.Task{{ID: "a", Prompt: "p", Context: json.RawMessage(`"c"`)}}}}
	r.Record, r.Say = func(context.Context, ...events.Event) error { return nil }, func(string) {}
	step := &Step{Failed: &worker.Failure{Message: "context limit reached"}, Next: worker.MaxPhase + 1, NotAsked: "rest"}
	if out, err := r.task(t.Context(), 0, step); err != nil || out.NotAsked != "rest" {
		t.Errorf("%+v, error %v", out, err)
	}
}

// A result fits into an event whatever it holds.
func TestResultText(t *testing.T) {
	t.Parallel()
	for _, output := range []string{"", "한국어\n", strings.Repeat("\x01", 1<<20), strings.Repeat(`"`, 1<<20)} {
		text := resultText(output)
		var back struct{ Output string }
		if err := json.Unmarshal([]byte(text), &back); err != nil || len(text) > maxResult || len(output) < 100 && back.Output != output {
			t.Errorf("%d bytes of %d: %v", len(text), len(output), err)
		}
	}
}

// What is to be forgotten is found in a run's folder however it is spelled there.
func TestHolds(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		`a <b> & "c"`:                          true,
		`{"x":"a <b> & \"c\""}`:                true,
		`{"x":"a \u003cb\u003e \u0026 \"c\""}`: true,
		`{"x":"a <b> & \"c\n"}`:                false,
		`a <b> c`:                              false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "0.0.1.out"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Holds(dir, `a <b> & "c"`); got != want || err != nil {
			t.Errorf("%s: %v, %v", content, got, err)
		}
	}
}

// The end of a worker's output is found however long the output is.
func TestReadEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "err")
	for content, want := range map[string]string{
		"":                              "",
		" boom\n":                       "boom",
		strings.Repeat("한", 1000) + "끝": strings.Repeat("한", (maxMessage-3)/3) + "끝",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readEnd(path); got != want {
			t.Errorf("%d bytes: %q, want %q", len(content), got, want)
		}
	}
	f, err := os.Create(path)
	if err == nil {
		_, err = f.WriteAt([]byte("last"), maxOutput+10)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := readEnd(path); !strings.HasSuffix(got, "last") {
		t.Errorf("behind what is read of an output: %q", got)
	}
}
