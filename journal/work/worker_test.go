package work_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/events"
	"journal/events/text"
	"journal/journal/work"
)

// cases is the table that this package and docs/examples/context-limit-recovery.mjs agree on.
type cases struct {
	Detect []struct {
		Name    string
		Input   json.RawMessage
		Pattern *string // null: no
	}
	Reduce []struct {
		Name, Lang             string
		Prompt, Phase1, Phase2 pieces
	}
}

// pieces is a text: each piece and how often it is there.
type pieces [][2]any

func (p pieces) String() string {
	var b strings.Builder
	for _, piece := range p {
		s, _ := piece[0].(string)
		n, _ := piece[1].(float64)
		b.WriteString(strings.Repeat(s, int(n)))
	}
	return b.String()
}

func readCases(t *testing.T) (c cases) {
	t.Helper()
	b, err := os.ReadFile("testdata/cases.json")
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || len(c.Detect) == 0 || len(c.Reduce) == 0 {
		t.Fatalf("%d and %d cases: %v", len(c.Detect), len(c.Reduce), err)
	}
	return c
}

func TestS4_1Detect(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tc := range readCases(t).Detect {
		f, failed, err := work.ReadFailure(tc.Input)
		if err != nil {
			t.Errorf("%s: %v", tc.Name, err)
		}
		pattern, full := work.Detect(f)
		full = full && failed
		if want := tc.Pattern != nil; full != want || want && pattern != *tc.Pattern {
			t.Errorf("%s: %q, %t", tc.Name, pattern, full)
		}
		if full {
			seen[pattern] = true
		}
	}
	for _, p := range append(work.Patterns(), work.PartialTimeout) {
		if !seen[p] {
			t.Errorf("no case has the pattern %q", p)
		}
	}
	for _, bad := range []string{"", "{", "nope", "1", "[]", "null"} {
		if _, _, err := work.ReadFailure([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestS4_2Reduce(t *testing.T) {
	t.Parallel()
	for _, tc := range readCases(t).Reduce {
		task := work.Task{Prompt: tc.Prompt.String(), Context: json.RawMessage(`"c"`), Files: json.RawMessage(`["f"]`)}
		first, second := work.Reduce(task, 1, tc.Lang), work.Reduce(task, 2, tc.Lang)
		if diff := cmp.Diff(tc.Phase1.String(), first.Prompt); diff != "" {
			t.Errorf("%s, phase 1 (-want +got):\n%s", tc.Name, diff)
		}
		if diff := cmp.Diff(tc.Phase2.String(), second.Prompt); diff != "" {
			t.Errorf("%s, phase 2 (-want +got):\n%s", tc.Name, diff)
		}
		if first.HasContext() || !first.HasFiles() || first.Phase != 1 || second.HasContext() || second.HasFiles() || second.Phase != 2 {
			t.Errorf("%s: %+v, then %+v", tc.Name, first, second)
		}
	}
}

// For any prompt: phase 1 sends at most a half of a long one, phase 2 at most a half of that and of
// the lines, never nothing, and no character is broken.
func TestS4_2ReduceLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringOf(rapid.SampledFrom([]rune("ab \n\n각한👩\u200d👧🇰🇷e\u0301")))
		prompt := strings.Repeat(piece.Draw(t, "piece"), rapid.IntRange(1, 900).Draw(t, "times")) + piece.Draw(t, "end")
		task, lang := work.Task{Prompt: prompt}, rapid.SampledFrom([]string{"en", "ko", "ja"}).Draw(t, "language")
		n := text.Characters(prompt)
		first, second := work.Reduce(task, 1, lang).Prompt, work.Reduce(task, 2, lang).Prompt
		sent := text.Characters(first)
		switch {
		case n <= work.LongPrompt && first != prompt:
			t.Fatalf("a prompt of %d characters is %d", n, sent)
		case n > work.LongPrompt && (sent > n/2 || !strings.HasSuffix(first, work.Mark(lang))):
			t.Fatalf("phase 1 sends %d of %d: %q", sent, n, first)
		case strings.TrimSpace(prompt) != "" && text.Characters(second) > max(1, sent/2):
			t.Fatalf("phase 2 sends %d, phase 1 %d", text.Characters(second), sent)
		case strings.TrimSpace(prompt) != "" && (strings.TrimSpace(first) == "" || strings.TrimSpace(second) == ""):
			t.Fatalf("nothing is sent: %q, %q", first, second)
		case strings.Count(second, "\n") > strings.Count(prompt, "\n")/2 && strings.TrimSpace(prompt) != "":
			t.Fatalf("phase 2 sends %d lines of %d", strings.Count(second, "\n")+1, strings.Count(prompt, "\n")+1)
		case !strings.Contains(prompt, second):
			t.Fatalf("phase 2 sends what is not in the prompt: %q", second)
		}
	})
}

func TestTaskKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	var task work.Task
	if err := json.Unmarshal([]byte(`{"id":7,"prompt":"a<b","own":{"x":[1]},"context":null,"files":[]}`), &task); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(work.Reduce(task, 2, "en"))
	if err != nil || !strings.Contains(string(b), `"own":{"x":[1]}`) || !strings.Contains(string(b), `"id":"7"`) || strings.Contains(string(b), "files") {
		t.Errorf("%s, %v", b, err)
	}
	for _, bad := range []string{`[]`, `"x"`, `{"prompt":1}`, `{"id":{}}`, `{`} {
		if err := json.Unmarshal([]byte(bad), new(work.Task)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// Which attempt follows which: S4.2, S4.5, S4.6.
func TestS4_6Recover(t *testing.T) {
	t.Parallel()
	full := work.Failure{Message: "Context limit reached", Output: "half"}
	other := work.Failure{Message: "no network", Output: "bit"}
	fails := func(f work.Failure) work.Result { return work.Result{Failure: f} }
	good := work.Result{Success: true}
	for _, tc := range []struct {
		name      string
		original  work.Result
		from      int
		tries     []work.Result
		phases    []int
		recovered bool
		phase     int
		retries   int
		partial   []work.Partial
	}{
		{"another failure", fails(other), 1, nil, nil, false, 0, 0, []work.Partial{{0, "bit"}}},
		{"a timeout without output", fails(work.Failure{Message: "timeout"}), 1, nil, nil, false, 0, 0, nil},
		{"phase 1 helps", fails(full), 1, []work.Result{good}, []int{1}, true, 1, 1, []work.Partial{{0, "half"}}},
		{"any failure of phase 1 leads to phase 2", fails(full), 1, []work.Result{fails(other), good}, []int{1, 2}, true, 2, 2, []work.Partial{{0, "half"}, {1, "bit"}}},
		{"nothing helps", fails(full), 1, []work.Result{fails(full), fails(other)}, []int{1, 2}, false, 2, 2, []work.Partial{{0, "half"}, {1, "half"}, {2, "bit"}}},
		{"from phase 2 on", fails(full), 2, []work.Result{good}, []int{2}, true, 2, 2, []work.Partial{{0, "half"}}},
		{"past phase 2", fails(full), 3, nil, nil, false, 2, 2, []work.Partial{{0, "half"}}},
	} {
		var phases []int
		got, err := work.Recover(work.Task{Prompt: "p"}, tc.original, tc.from, "en", func(t work.Task) (work.Result, error) {
			phases = append(phases, t.Phase)
			return tc.tries[len(phases)-1], nil
		})
		if err != nil || !slices.Equal(phases, tc.phases) || got.Recovered != tc.recovered || got.Phase != tc.phase || got.Retries != tc.retries {
			t.Errorf("%s: phases %v, %+v, %v", tc.name, phases, got, err)
		}
		if diff := cmp.Diff(tc.partial, got.Partial); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
		if !got.Recovered && got.Result.Message != tc.original.Message {
			t.Errorf("%s: the error is %q", tc.name, got.Result.Message)
		}
	}
	broken := errors.New("no more")
	got, err := work.Recover(work.Task{}, fails(full), 1, "en", func(work.Task) (work.Result, error) { return work.Result{}, broken })
	if !errors.Is(err, broken) || got.Retries != 0 || got.Recovered {
		t.Errorf("%+v, %v", got, err)
	}
}

// A task's name is data (S4.4).
func TestS4_4FileName(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	for _, name := range []string{"task-1", "Task-1", "../../etc/passwd", "a/b", "", ".", "nul", "한국어", strings.Repeat("a", 300), "a.json"} {
		got := work.FileName(name, taken)
		if plain := name == "task-1"; plain != (got == name+".json") || strings.ContainsAny(got, "/\\") || len(got) > 80 || strings.HasPrefix(got, ".") {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestReadState(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "[]", "{}", `{"taskId":1}`, `{"taskId":"t","recovered":"yes"}`} {
		if _, err := work.ReadState([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	e, err := work.ReadState([]byte(`{"taskId":"t","error":null,"partialResults":["a",{"b": 1},null],"timestamps":{"completed":null}}`))
	if err != nil || e.Task != "t" || !slices.Equal(e.Partial, []string{`"a"`, `{"b":1}`, ""}) {
		t.Errorf("%+v, %v", e, err)
	}
}

// A state of any size becomes an event that can be stored.
func TestReadLongState(t *testing.T) {
	t.Parallel()
	long, _ := json.Marshal(strings.Repeat("x", 150<<10))
	s := string(long)
	many := strings.Repeat(`"`+strings.Repeat("p", 2000)+`",`, 2000) + `null`
	phase := `{"attempted":true,"error":` + s + `,"result":` + s + `}`
	e, err := work.ReadState([]byte(`{"taskId":"t","originalTask":{"id":` + s + `,"prompt":` + s + `,"type":` + s + `},"error":{"message":` + s + `,"pattern":` + s +
		`},"recovery":{"phase1":` + phase + `,"phase2":` + phase + `},"partialResults":[` + many + `],"timestamps":{"started":` + s + `,"phase1End":` + s + `,"completed":` + s + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	env, err := events.Wrap(e, events.Meta{ID: events.NewID(), Project: "p", Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := events.Encode(env); err != nil || len(b) > 450<<10 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := work.ReadState([]byte(`{"taskId":` + s + `}`)); err == nil {
		t.Error("a name of 150 KiB was read")
	}
}

func ExampleRecover() {
	task := work.Task{ID: "t", Prompt: "Rename the package\nin every file\nand its tests\nand the documents"}
	run := func(t work.Task) (work.Result, error) {
		if len(t.Prompt) > 40 {
			return work.Result{Failure: work.Failure{Message: "prompt is too long"}}, nil
		}
		return work.Result{Success: true, Failure: work.Failure{Output: "did: " + t.Prompt}}, nil
	}
	first, _ := run(task)
	r, _ := work.Recover(task, first, 1, "en", run)
	fmt.Println(r.Recovered, r.Phase, r.Retries)
	fmt.Println(r.Result.Output)
	// Output:
	// true 2 2
	// did: Rename the package
	// in every file
}
