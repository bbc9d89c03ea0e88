package recovery_test

import (
	"fmt"
	"slices"
	"testing"

	"journal/events"
	"journal/projections"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

// textsOf lists the texts of the items of a kind.
func textsOf(r recovery.Recovery, k knowledge.Kind) []string {
	var all []string
	for _, it := range r.Items {
		if it.Kind == k {
			all = append(all, it.Text)
		}
	}
	return all
}

// repeat returns n events, that of each number from 0.
func repeat[E events.Event](n int, f func(int) E) []events.Event {
	all := make([]events.Event, n)
	for i := range all {
		all[i] = f(i)
	}
	return all
}

// TestFirstPromptIsKept: all prompts are listed, however many, and the first has a kind of its own.
func TestFirstPromptIsKept(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 30, 31, 32, 33, 200} {
		r := recoverFrom(t, repeat(n, func(i int) events.PromptSubmitted { return events.PromptSubmitted{Text: fmt.Sprint("page ", i)} })...)
		newest, first, earlier := textsOf(r, knowledge.Prompt), textsOf(r, knowledge.First), textsOf(r, knowledge.Brief)
		if len(newest)+len(first)+len(earlier) != n || newest[0] != fmt.Sprint("page ", n-1) || n > 1 && !slices.Equal(first, []string{"page 0"}) {
			t.Errorf("of %d prompts: %v, %v and %v", n, newest, first, earlier)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	ok, bad := events.CommandRan{Command: "make", Outcome: "ok"}, events.CommandRan{Command: "make", Failed: true, Error: "no rule"}
	other := events.CommandRan{Command: "go vet", Outcome: "ok"}
	for _, tc := range []struct {
		name   string
		log    []events.Event
		failed int // times, 0 for no failure
		worked []string
	}{
		{"never", []events.Event{ok}, 0, []string{"make"}},
		{"once", []events.Event{bad}, 1, nil},
		{"mended", []events.Event{bad, bad, ok}, 0, []string{"make"}},
		{"mended and back", []events.Event{bad, bad, ok, bad}, 1, nil},
		{"not mended by another", []events.Event{bad, other}, 1, []string{"go vet"}},
		{"again and again", []events.Event{ok, bad, other, bad, bad}, 3, []string{"go vet"}},
		{"mended by another version of the program", []events.Event{
			events.CommandRan{Command: "python migrate.py", Failed: true, Error: "python: command not found"},
			events.CommandRan{Command: "python3 migrate.py", Outcome: "ok"},
		}, 0, []string{"python3 migrate.py"}},
		{"mended by the program at its place", []events.Event{
			events.CommandRan{Command: ".venv/bin/python3 migrate.py", Failed: true, Error: "no module named yaml"},
			events.CommandRan{Command: "python3 migrate.py", Outcome: "ok"},
		}, 0, []string{"python3 migrate.py"}},
		{"not mended by another file with a number", []events.Event{
			events.CommandRan{Command: "./step1 --all", Failed: true, Error: "step 1 found no schema"},
			events.CommandRan{Command: "./step2 --all", Outcome: "ok"},
		}, 1, []string{"./step2 --all"}},
		{"worked twice", []events.Event{ok, other, ok}, 0, []string{"make", "go vet"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := recoverFrom(t, tc.log...)
			times := 0
			for _, it := range r.Items {
				if it.Kind == knowledge.Failure {
					times = it.Times
				}
			}
			if got := textsOf(r, knowledge.Command); times != tc.failed || !slices.Equal(got, tc.worked) {
				t.Errorf("failed %d times, worked %v; want %d, %v", times, got, tc.failed, tc.worked)
			}
		})
	}
}

// TestManyAreBounded: the items of one kind are bounded.
func TestManyAreBounded(t *testing.T) {
	t.Parallel()
	log := slices.Concat(
		repeat(50, func(i int) events.FileRead { return events.FileRead{Path: fmt.Sprint("/", i)} }),
		repeat(50, func(i int) events.CommandRan { return events.CommandRan{Command: fmt.Sprint("ok ", i), Outcome: "ok"} }),
		repeat(50, func(i int) events.CommandRan { return events.CommandRan{Command: fmt.Sprint("bad ", i), Failed: true} }),
	)
	r := recoverFrom(t, log...)
	for k, want := range map[knowledge.Kind]int{knowledge.Read: 6, knowledge.Command: 12, knowledge.Failure: 20} {
		got := textsOf(r, k)
		if len(got) != want {
			t.Errorf("%d of kind %s, want %d", len(got), k, want)
		}
	}
	if got := textsOf(r, knowledge.Failure)[0]; got != "bad 49" {
		t.Errorf("the first failure is %s, not the newest", got)
	}
}

// TestItemIDs: every item has a unique id that stays the same, so that it is known later which items were restored.
func TestItemIDs(t *testing.T) {
	t.Parallel()
	log := []events.Event{
		events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "pending"}, {Text: "b", Status: "pending"}, {Text: "b", Status: "pending"}}},
		events.PortDefined{Port: "L1", Items: []string{"x", "y"}},
		events.PortChanged{Port: "L1", Status: "running"},
		events.PromptSubmitted{Text: "go"},
	}
	ids := func(log []events.Event, k knowledge.Kind) []string {
		var all []string
		for _, it := range recoverFrom(t, log...).Items {
			if it.Kind == k {
				all = append(all, it.ID())
			}
		}
		return all
	}
	if got, want := ids(log, knowledge.Todo), []string{"todo-1.1", "todo-1.2", "todo-1.3"}; !slices.Equal(got, want) {
		t.Errorf("todos %v, want %v", got, want)
	}
	if got, want := ids(log, knowledge.PortItem), []string{"port-3.1", "port-3.2"}; !slices.Equal(got, want) {
		t.Errorf("port items %v, want %v", got, want)
	}
	if got, want := ids(log, knowledge.Prompt), []string{"prompt-4"}; !slices.Equal(got, want) {
		t.Errorf("prompts %v, want %v", got, want)
	}
	log = append(log, events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "completed"}, {Text: "c", Status: "pending"}, {Text: "b", Status: "pending"}, {Text: "b", Status: "pending"}}})
	if got, want := ids(log, knowledge.Todo), []string{"todo-5.2", "todo-1.2", "todo-1.3"}; !slices.Equal(got, want) {
		t.Errorf("todos later %v, want %v", got, want)
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		log  []events.Event
		want bool
	}{
		{"the empty log", nil, true},
		{"nothing to say", []events.Event{events.SessionStarted{Source: "startup"}, events.UsageSampled{Percent: 90, Window: 9}, events.ContextRestarted{}}, true},
		{"all is done", []events.Event{events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "completed"}}}}, true},
		{"a skill", []events.Event{events.PhaseEntered{Skill: "review", Phase: "1"}}, false},
		{"a port without items", []events.Event{events.PortChanged{Port: "L1", Status: "running"}}, false},
		{"a prompt", []events.Event{events.PromptSubmitted{Text: "go"}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := recoverFrom(t, tc.log...)
			if r.Empty() != tc.want {
				t.Errorf("empty: %t", r.Empty())
			}
			for _, lang := range recovery.Languages() {
				if got := render(t, r, lang); (got.Text == "") != tc.want || tc.want && (got.Units != 0 || got.Items != nil || got.Digest != "") {
					t.Errorf("%s: %+v", lang, got)
				}
			}
		})
	}
}

// TestAgentSummary: without a summary in words, the newest checkpoint is the summary.
func TestAgentSummary(t *testing.T) {
	t.Parallel()
	checkpoint := projections.CheckpointState{ID: "cp-1", Trigger: "manual", Seq: 7}
	part := checkpoint
	part.Trigger, part.Percent = "auto_80", 81
	said := []knowledge.Item{{Kind: knowledge.Todo, Text: "a"}, {Kind: knowledge.LastAnswer, Text: "b"}, {Kind: knowledge.Checkpoint, Text: "c"}}
	for want, r := range map[string]recovery.Recovery{
		"": {}, "manual, #7": {Checkpoint: checkpoint}, "auto_80 at 81 % of the context, #7": {Checkpoint: part},
		"b": {Checkpoint: checkpoint, Items: said[:2]}, "c": {Checkpoint: checkpoint, Items: said},
	} {
		if got := r.Agent("").Summary; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPressing: Pressing returns only the session's own items, and none that a summary keeps unprompted; the original
// recovery is unchanged.
func TestPressing(t *testing.T) {
	t.Parallel()
	r := recovery.Recovery{}
	var want []string
	for _, d := range knowledge.Kinds() {
		r.Items = append(r.Items, knowledge.Item{Kind: d.Kind, Text: "own"}, knowledge.Item{Kind: d.Kind, Text: "foreign", Foreign: true})
		if !d.Text.Unasked {
			want = append(want, string(d.Kind)+" own")
		}
	}
	before := len(r.Items)
	var got []string
	for _, it := range r.Pressing().Items {
		got = append(got, string(it.Kind)+" "+it.Text)
	}
	if !slices.Equal(got, want) || len(want) == len(knowledge.Kinds()) || len(r.Items) != before || r.Items[0].Text != "own" {
		t.Errorf("pressing %q, want %q; %d of %d left", got, want, len(r.Items), before)
	}
}
