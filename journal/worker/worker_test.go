package worker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/events"
	"journal/events/text"
	"journal/journal/worker"
)

// cases is the table that tests this package and docs/examples/context-limit-recovery.mjs.
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

// pieces is a text: each piece with the number of its repetitions.
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
		f, failed, err := worker.ReadFailure(tc.Input)
		if err != nil {
			t.Errorf("%s: %v", tc.Name, err)
		}
		pattern, full := worker.Detect(f)
		full = full && failed
		if want := tc.Pattern != nil; full != want || want && pattern != *tc.Pattern {
			t.Errorf("%s: %q, %t", tc.Name, pattern, full)
		}
		if full {
			seen[pattern] = true
		}
	}
	for _, p := range append(worker.Patterns(), worker.PartialTimeout) {
		if !seen[p] {
			t.Errorf("no case has the pattern %q", p)
		}
	}
	for _, bad := range []string{"", "{", "nope", "1", "[]", "null"} {
		if _, _, err := worker.ReadFailure([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestS4_2Reduce(t *testing.T) {
	t.Parallel()
	for _, tc := range readCases(t).Reduce {
		task := worker.Task{Prompt: tc.Prompt.String(), Context: json.RawMessage(`"c"`), Files: json.RawMessage(`["f"]`)}
		first, second := worker.Reduce(task, 1, tc.Lang), worker.Reduce(task, 2, tc.Lang)
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

// exampleSentences are the sentences of drawn lines.
var exampleSentences = []string{
	"Delete the old backups, but never the ones of customer 42. ", "Go! ", "Ask Dr. Kim whether v1.2 of https://host/?q=a!b is No. 5? ",
	"오래된 백업은 지우세요. ", "고객 42의 것은 절대로 지우지 마! ", "古いのは消す。", "「消すな。」と書いたものは残すか？！　", "👩\u200d👧 🇰🇷 e\u0301. ", "한국어",
	strings.Repeat("long ", 300) + "enough. ", " ",
}

// drawLines draws lines of sentences, some of them long. It returns the sentences of each line too.
func drawLines(t *rapid.T) (lines []string, parts [][]string) {
	for range rapid.IntRange(1, 12).Draw(t, "lines") {
		part := rapid.SliceOfN(rapid.SampledFrom(exampleSentences), 0, 4).Draw(t, "line")
		part = slices.Repeat(part, rapid.SampledFrom([]int{1, 1, 20, 70}).Draw(t, "times"))
		lines, parts = append(lines, strings.Join(part, "")), append(parts, part)
	}
	return lines, parts
}

// keptOf reports whether a line is one of the original, or consists of whole sentences from both ends of one that may be cut.
func keptOf(got, line string, exampleSentences []string) bool {
	head, tail, cut := strings.Cut(got, " … ")
	if !cut || text.Characters(line) < worker.LongPrompt {
		return got == line
	}
	for k := range exampleSentences {
		first, rest := strings.Join(exampleSentences[:k], ""), strings.Join(exampleSentences[k:], "")
		if strings.TrimSpace(head) == strings.TrimSpace(first) && head != "" && strings.HasSuffix(rest, tail) {
			for m := k + 1; m < len(exampleSentences); m++ {
				if strings.Join(exampleSentences[m:], "") == tail {
					return true
				}
			}
		}
	}
	return false
}

// Of any prompt whole lines are sent, and of long lines whole sentences of both ends. The text is never empty, and has
// about half of the characters that were sent before.
func TestS4_2ReduceLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines, parts := drawLines(t)
		prompt, lang := strings.Join(lines, "\n"), rapid.SampledFrom([]string{"en", "ko", "ja"}).Draw(t, "language")
		blank := 0
		for blank < len(lines)-1 && strings.TrimSpace(lines[blank]) == "" {
			blank++
		}
		task, n := worker.Task{Prompt: prompt}, text.Characters(prompt)
		first, second := worker.Reduce(task, 1, lang).Prompt, worker.Reduce(task, 2, lang).Prompt
		check := func(phase int, sent string) (kept []string) {
			kept = strings.Split(sent, "\n")
			for i, line := range kept {
				if !keptOf(line, lines[blank+i], parts[blank+i]) {
					t.Fatalf("phase %d sends %q of %q", phase, line, lines[blank+i])
				}
			}
			if strings.TrimSpace(sent) == "" && strings.TrimSpace(prompt) != "" {
				t.Fatalf("phase %d sends nothing of %q", phase, prompt)
			}
			return kept
		}
		if first != prompt {
			sent, marked := strings.CutSuffix(first, worker.Mark(lang))
			kept := check(1, sent)
			before := text.Characters(strings.Join(kept[:len(kept)-1], "\n"))
			if n <= worker.LongPrompt || !marked || text.Characters(first) >= n || text.Characters(first) > n/2 && before > n/4 {
				t.Fatalf("phase 1 sends %d characters of %d, %d without its last line: %q", text.Characters(first), n, before, first)
			}
		}
		kept := check(2, second)
		if len(kept) > max(1, (len(lines)-blank)/2) || len(kept) > 1 && text.Characters(second) > text.Characters(first)/2 {
			t.Fatalf("phase 2 sends %d lines of %d, %d characters, phase 1 %d", len(kept), len(lines), text.Characters(second), text.Characters(first))
		}
	})
}

// Nothing is sent twice: a phase that leaves out no more than the one before is skipped.
func TestS4_2Phases(t *testing.T) {
	t.Parallel()
	line := "Delete the old backups, but never the ones of customer 42"
	some, none := json.RawMessage(`["f"]`), json.RawMessage(`[]`)
	for _, tc := range []struct {
		name string
		task worker.Task
		want []int
	}{
		{"a short line", worker.Task{Prompt: line}, nil},
		{"blank lines around it", worker.Task{Prompt: "\n\n" + line + "\n"}, nil},
		{"an empty context", worker.Task{Prompt: line, Context: none, Files: none}, nil},
		{"a long sentence", worker.Task{Prompt: strings.Repeat("a", 9000)}, nil},
		{"a context", worker.Task{Prompt: line, Context: some}, []int{1}},
		{"files", worker.Task{Prompt: line, Files: some}, []int{2}},
		{"both", worker.Task{Prompt: line, Context: some, Files: some}, []int{1, 2}},
		{"some lines", worker.Task{Prompt: line + "\n" + line}, []int{2}},
		{"many lines", worker.Task{Prompt: strings.Repeat(line+"\n", 99)}, []int{1, 2}},
		{"a mark of its own", worker.Task{Prompt: line + worker.Mark("en")}, nil},
		{"a long line of long ends", worker.Task{Prompt: strings.Repeat("a", 2000) + ". " + strings.Repeat("Mend it. ", 9) + strings.Repeat("B", 2000)}, []int{1}},
	} {
		var got []int
		for reduced := range worker.Phases(tc.task, "en") {
			got = append(got, reduced.Phase)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: phases %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestTaskKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	var task worker.Task
	if err := json.Unmarshal([]byte(`{"id":7,"prompt":"a<b","own":{"x":[1]},"context":null,"files":[]}`), &task); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(worker.Reduce(task, 2, "en"))
	if err != nil || !strings.Contains(string(b), `"own":{"x":[1]}`) || !strings.Contains(string(b), `"id":"7"`) || strings.Contains(string(b), "files") {
		t.Errorf("%s, %v", b, err)
	}
	for _, bad := range []string{`[]`, `"x"`, `{"prompt":1}`, `{"id":{}}`, `{`} {
		if err := json.Unmarshal([]byte(bad), new(worker.Task)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// The order of attempts (S4.2, S4.5, S4.6).
func TestS4_6Recover(t *testing.T) {
	t.Parallel()
	full := worker.Failure{Message: "Context limit reached", Output: "half"}
	other := worker.Failure{Message: "no network", Output: "bit"}
	fails := func(f worker.Failure) worker.Result { return worker.Result{Failure: f} }
	good := worker.Result{Success: true}
	task := worker.Task{Prompt: "p", Context: json.RawMessage(`"c"`), Files: json.RawMessage(`["f"]`)}
	for _, tc := range []struct {
		name      string
		original  worker.Result
		from      int
		tries     []worker.Result
		phases    []int
		recovered bool
		phase     int
		retries   int
		partial   []worker.Partial
	}{
		{"another failure", fails(other), 1, nil, nil, false, 0, 0, []worker.Partial{{0, "bit"}}},
		{"a timeout without output", fails(worker.Failure{Message: "timeout"}), 1, nil, nil, false, 0, 0, nil},
		{"phase 1 helps", fails(full), 1, []worker.Result{good}, []int{1}, true, 1, 1, []worker.Partial{{0, "half"}}},
		{"any failure of phase 1 leads to phase 2", fails(full), 1, []worker.Result{fails(other), good}, []int{1, 2}, true, 2, 2, []worker.Partial{{0, "half"}, {1, "bit"}}},
		{"nothing helps", fails(full), 1, []worker.Result{fails(full), fails(other)}, []int{1, 2}, false, 2, 2, []worker.Partial{{0, "half"}, {1, "half"}, {2, "bit"}}},
		{"from phase 2 on", fails(full), 2, []worker.Result{good}, []int{2}, true, 2, 2, []worker.Partial{{0, "half"}}},
		{"past phase 2", fails(full), 3, nil, nil, false, 2, 2, []worker.Partial{{0, "half"}}},
	} {
		var phases []int
		got, err := worker.Recover(task, tc.original, tc.from, "en", func(t worker.Task) (worker.Result, error) {
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
	breaks := func(worker.Task) (worker.Result, error) { return worker.Result{}, broken }
	got, err := worker.Recover(task, fails(full), 1, "en", breaks)
	if !errors.Is(err, broken) || got.Retries != 0 || got.Recovered {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = worker.Recover(worker.Task{Prompt: "p"}, fails(full), 1, "en", breaks)
	if err != nil || got.Retries != 0 || got.Phase != 0 || got.Recovered {
		t.Errorf("a task that stays as it is: %+v, %v", got, err)
	}
}

// After a successful phase the rest of the prompt follows, each line once: a task of which only a part was sent is not
// recovered (S4.2).
func TestS4_2TheRestFollows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines, _ := drawLines(t)
		prompt := strings.Join(lines, "\n")
		full := worker.Result{Failure: worker.Failure{Message: "prompt is too long"}}
		asked, helps := map[int]string{}, rapid.IntRange(1, 2).Draw(t, "the phase that helps")
		r, err := worker.Recover(worker.Task{Prompt: prompt, Context: json.RawMessage(`"c"`)}, full, 1, "en", func(t worker.Task) (worker.Result, error) {
			if t.Phase == helps-1 {
				return full, nil
			}
			asked[t.Phase] += strings.TrimPrefix(t.Prompt, "(continued: what comes before this in the task is done)\n\n")
			return worker.Result{Success: true}, nil
		})
		if err != nil || r.Recovered != (len(asked) > 0) {
			t.Fatalf("%+v, %v", r, err)
		}
		for phase, all := range asked {
			if diff := cmp.Diff(letters(prompt), letters(strings.NewReplacer(worker.Mark("en"), "", " … ", "").Replace(all))); diff != "" {
				t.Fatalf("phase %d (-of the prompt +asked):\n%s", phase, diff)
			}
		}
	})
}

// letters counts the letters and signs of a text.
func letters(s string) map[rune]int {
	n := map[rune]int{}
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n[r]++
		}
	}
	return n
}

// The failure of a later part ends the recovery: no part runs twice.
func TestS4_2APartThatFails(t *testing.T) {
	t.Parallel()
	task := worker.Task{Prompt: "one\ntwo\nthree\nfour", Context: json.RawMessage(`"c"`)}
	full := worker.Result{Failure: worker.Failure{Message: "prompt is too long"}}
	var sent []string
	r, err := worker.Recover(task, full, 1, "en", func(t worker.Task) (worker.Result, error) {
		sent = append(sent, fmt.Sprint(t.Phase, t.Part, " ", t.NotAsked))
		return worker.Result{Success: len(sent) == 2, Failure: worker.Failure{Message: "boom", Output: "did some"}}, nil
	})
	want := []string{"1 0 ", "2 0 three\nfour", "2 1 "}
	if err != nil || r.Recovered || r.Part != 1 || r.Result.Message != full.Message || !slices.Equal(sent, want) {
		t.Errorf("%q, %+v, %v", sent, r, err)
	}
	if diff := cmp.Diff([]worker.Partial{{1, "did some"}, {2, "did some"}, {2, "did some"}}, r.Partial); diff != "" {
		t.Errorf("partial results (-want +got):\n%s", diff)
	}
}

// A task's name is data (S4.4).
func TestS4_4FileName(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	for _, name := range []string{"task-1", "Task-1", "../../etc/passwd", "a/b", "", ".", "nul", "한국어", strings.Repeat("a", 300), "a.json"} {
		got := worker.FileName(name, taken)
		if plain := name == "task-1"; plain != (got == name+".json") || strings.ContainsAny(got, "/\\") || len(got) > 80 || strings.HasPrefix(got, ".") {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestReadState(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "[]", "{}", `{"taskId":1}`, `{"taskId":"t","recovered":"yes"}`} {
		if _, err := worker.ReadState([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	e, err := worker.ReadState([]byte(`{"taskId":"t","error":null,"partialResults":["a",{"b": 1},null],"timestamps":{"completed":null}}`))
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
	e, err := worker.ReadState([]byte(`{"taskId":"t","originalTask":{"id":` + s + `,"prompt":` + s + `,"type":` + s + `},"error":{"message":` + s + `,"pattern":` + s +
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
	if _, err := worker.ReadState([]byte(`{"taskId":` + s + `}`)); err == nil {
		t.Error("a name of 150 KiB was read")
	}
}

func ExampleRecover() {
	task := worker.Task{ID: "t", Prompt: "Rename the package\nin every file\nThen its tests\nand the documents"}
	run := func(t worker.Task) (worker.Result, error) {
		if strings.Contains(t.Prompt, "Rename") && strings.Contains(t.Prompt, "tests") {
			return worker.Result{Failure: worker.Failure{Message: "prompt is too long"}}, nil
		}
		return worker.Result{Success: true, Failure: worker.Failure{Output: "did: " + t.Prompt}}, nil
	}
	first, _ := run(task)
	r, _ := worker.Recover(task, first, 1, "en", run)
	fmt.Println(r.Recovered, r.Phase, r.Retries)
	fmt.Println(r.Result.Output)
	// Output:
	// true 2 1
	// did: Rename the package
	// in every file
	// did: (continued: what comes before this in the task is done)
	//
	// Then its tests
	// and the documents
}
