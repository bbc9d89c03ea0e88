package events_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
)

// TestRecognise: what a hook of each kind means, and what it no longer means if it failed or could not be read.
func TestRecognise(t *testing.T) {
	t.Parallel()
	call := func(action events.Action, change func(*events.ToolCall)) events.Hook {
		tool := &events.ToolCall{Name: "T", Use: "u1", Action: action, Millis: 7}
		if change != nil {
			change(tool)
		}
		return events.Hook{Native: "ToolDone", Kind: events.ToolEnd, Cwd: "/p", Tool: tool}
	}
	failed := func(t *events.ToolCall) { t.Failed, t.Error, t.Paths = true, "no", []string{"/p/a"} }
	for name, tc := range map[string]struct {
		hook events.Hook
		want []events.Event
	}{
		"session begins": {
			events.Hook{Kind: events.SessionStart, Source: "resume", Root: "/p", Cwd: "/p/d", Model: "m", Transcript: "/t", SinceLast: true},
			[]events.Event{events.SessionStarted{Source: "resume", Root: "/p", Cwd: "/p/d", Model: "m", Transcript: "/t", Recent: true}},
		},
		"session ends": {
			events.Hook{Kind: events.SessionEnd, Reason: "logout"},
			[]events.Event{events.SessionEnded{Reason: "logout"}},
		},
		"prompt": {
			events.Hook{Kind: events.PromptSubmit, Text: "go on", Machine: true},
			[]events.Event{events.PromptSubmitted{Text: "go on", Machine: true}},
		},
		"tool begins": {
			events.Hook{Kind: events.ToolStart, Tool: &events.ToolCall{Name: "T", Use: "u1", Action: events.RunCommand, Command: "ls"}},
			[]events.Event{events.ToolStarted{Tool: "T", Use: "u1"}},
		},
		"command": {
			call(events.RunCommand, func(t *events.ToolCall) { t.Command, t.About, t.Output = "go vet", "check", "ok" }),
			[]events.Event{events.CommandRan{Command: "go vet", About: "check", Cwd: "/p", Output: "ok", Use: "u1", Millis: 7}},
		},
		"failed command": {
			call(events.RunCommand, func(t *events.ToolCall) { t.Command, t.Failed, t.Exit, t.Error = "go vet", true, 2, "bad" }),
			[]events.Event{events.CommandRan{Command: "go vet", Cwd: "/p", Failed: true, Exit: 2, Error: "bad", Use: "u1", Millis: 7}},
		},
		"an exit code that came later": {
			events.Hook{Kind: events.CommandExit, Tool: &events.ToolCall{Name: "T", Use: "u1", Exit: 3, Error: "bad"}},
			[]events.Event{events.CommandExited{Use: "u1", Exit: 3, Error: "bad"}},
		},
		"an exit code of nothing": {
			events.Hook{Native: "X", Kind: events.CommandExit},
			[]events.Event{events.HookReceived{Hook: "X", Kind: string(events.CommandExit)}},
		},
		"the end of a task in the background": {
			events.Hook{Kind: events.PromptSubmit, Text: "it ended", Machine: true, Ended: []events.BackgroundEnded{{Task: "b1", Use: "u1", Status: "failed", Exit: 2, Text: "exit 2"}}},
			[]events.Event{events.BackgroundEnded{Task: "b1", Use: "u1", Status: "failed", Exit: 2, Text: "exit 2"}, events.PromptSubmitted{Text: "it ended", Machine: true}},
		},
		"a plan that was approved": {
			call(events.OfferPlan, func(t *events.ToolCall) { t.Plan, t.File = "1. do it", "/p/plan.md" }),
			[]events.Event{events.PlanApproved{Text: "1. do it", File: "/p/plan.md", Use: "u1"}},
		},
		"a plan in a file": {
			call(events.OfferPlan, func(t *events.ToolCall) { t.File = "/p/plan.md" }),
			[]events.Event{events.PlanApproved{File: "/p/plan.md", Use: "u1"}},
		},
		"a plan without words": {
			call(events.OfferPlan, nil),
			[]events.Event{events.HookReceived{Hook: "ToolDone", Kind: string(events.ToolEnd)}},
		},
		"a plan that was refused": {
			call(events.OfferPlan, func(t *events.ToolCall) { t.Plan, t.Failed = "1. do it", true }),
			[]events.Event{events.ToolUsed{Tool: "T", Use: "u1", Millis: 7, Failed: true}},
		},
		"answers of the person": {
			call(events.AskPerson, func(t *events.ToolCall) {
				t.Answers = []events.Answer{{Question: "which?", Answer: "this"}, {Question: "when?", Answer: "now"}}
			}),
			[]events.Event{events.QuestionAnswered{Question: "which?", Answer: "this", Use: "u1"}, events.QuestionAnswered{Question: "when?", Answer: "now", Use: "u1"}},
		},
		"a question without an answer": {
			call(events.AskPerson, func(t *events.ToolCall) { t.Answers, t.Failed = []events.Answer{{Question: "which?"}}, true }),
			[]events.Event{events.ToolUsed{Tool: "T", Use: "u1", Millis: 7, Failed: true}},
		},
		"the task of a subagent": {
			call(events.RunAgent, func(t *events.ToolCall) { t.Lane, t.Task = "l1", "find it" }),
			[]events.Event{events.SubagentTasked{Lane: "l1", Text: "find it", Use: "u1"}},
		},
		"the task of nobody": {
			call(events.RunAgent, func(t *events.ToolCall) { t.Task = "find it" }),
			[]events.Event{events.HookReceived{Hook: "ToolDone", Kind: string(events.ToolEnd)}},
		},
		"a subagent without a task": {
			call(events.RunAgent, func(t *events.ToolCall) { t.Lane = "l1" }),
			[]events.Event{events.HookReceived{Hook: "ToolDone", Kind: string(events.ToolEnd)}},
		},
		"read of two files": {
			call(events.ReadFile, func(t *events.ToolCall) { t.Paths = []string{"/p/b", "/p/a"} }),
			[]events.Event{events.FileRead{Path: "/p/b", Use: "u1"}, events.FileRead{Path: "/p/a", Use: "u1"}},
		},
		"write": {
			call(events.WriteFile, func(t *events.ToolCall) { t.Paths = []string{"/p/a"} }),
			[]events.Event{events.FileWritten{Path: "/p/a", Op: "write", Tool: "T", Use: "u1"}},
		},
		"edit": {
			call(events.EditFile, func(t *events.ToolCall) { t.Paths = []string{"/p/a"} }),
			[]events.Event{events.FileWritten{Path: "/p/a", Op: "edit", Tool: "T", Use: "u1"}},
		},
		"failed read":  {call(events.ReadFile, failed), []events.Event{failedTool}},
		"failed write": {call(events.WriteFile, failed), []events.Event{failedWrite}},
		"failed edit":  {call(events.EditFile, failed), []events.Event{failedWrite}},
		"failed todos": {call(events.WriteTodos, failed), []events.Event{failedTool}},
		"failed task": {
			func() events.Hook {
				h := call(events.ChangeTask, failed)
				h.Tasks = []events.Task{{ID: "1", Status: "completed"}}
				return h
			}(),
			[]events.Event{failedTool},
		},
		"failed other tool": {call(events.OtherTool, failed), []events.Event{failedTool}},
		"other tool": {
			call(events.OtherTool, func(t *events.ToolCall) { t.Paths = []string{"/p/a"} }),
			[]events.Event{events.ToolUsed{Tool: "T", Use: "u1", Paths: []string{"/p/a"}, Millis: 7}},
		},
		"todos": {
			call(events.WriteTodos, func(t *events.ToolCall) { t.Todos = []events.Todo{{Text: "a", Status: "pending"}} }),
			[]events.Event{events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "pending"}}}},
		},
		"emptied todos": {call(events.WriteTodos, nil), []events.Event{events.TodosWritten{}}},
		"task by tool": {
			func() events.Hook {
				h := call(events.ChangeTask, nil)
				h.Tasks = []events.Task{{ID: "1", Subject: "s", Detail: "d", Status: "in_progress"}}
				return h
			}(),
			[]events.Event{events.TaskChanged{Task: "1", Subject: "s", Detail: "d", Status: "in_progress"}},
		},
		"task by the agent's own hook": {
			events.Hook{Kind: events.TaskChange, Tasks: []events.Task{{ID: "1", Subject: "s"}, {ID: "2", Status: "completed"}}},
			[]events.Event{events.TaskChanged{Task: "1", Subject: "s"}, events.TaskChanged{Task: "2", Status: "completed"}},
		},
		"compaction to come": {
			events.Hook{Kind: events.CompactIntent, Trigger: "manual", Text: "keep names"},
			[]events.Event{events.CompactionIntended{Trigger: "manual", Instructions: "keep names"}},
		},
		"compacted context": {
			events.Hook{Kind: events.ContextRestart, Model: "m"},
			[]events.Event{events.ContextRestarted{Model: "m"}},
		},
		"summary": {
			events.Hook{Kind: events.CompactEnd, Trigger: "auto", Text: "all that was"},
			[]events.Event{events.CompactionCompleted{Trigger: "auto", Summary: "all that was"}},
		},
		"answer": {
			events.Hook{Kind: events.TurnEnd, Text: "It works."},
			[]events.Event{events.TurnEnded{Text: "It works."}},
		},
		"answer with two decisions": {
			events.Hook{Kind: events.TurnEnd, Text: "Decision: a\n\nDecision: b"},
			[]events.Event{
				events.DecisionRecorded{Text: "a", Weak: true}, events.DecisionRecorded{Text: "b", Weak: true},
				events.TurnEnded{Text: "Decision: a\n\nDecision: b"},
			},
		},
		"no answer": {
			events.Hook{Kind: events.TurnFail, Reason: "rate_limit", Text: "later"},
			[]events.Event{events.TurnFailed{Error: "rate_limit", Details: "later"}},
		},
		"subagent begins": {
			events.Hook{Kind: events.SubagentStart, AgentType: "explorer"},
			[]events.Event{events.SubagentStarted{AgentType: "explorer"}},
		},
		"subagent's answer decides nothing": {
			events.Hook{Kind: events.SubagentEnd, AgentType: "explorer", Text: "Decision: a"},
			[]events.Event{events.SubagentEnded{AgentType: "explorer", Text: "Decision: a"}},
		},
		"usage": {
			events.Hook{Kind: events.UsageSample, Model: "m", Usage: &events.Usage{Percent: 81, Tokens: 162_000, Window: 200_000}},
			[]events.Event{events.UsageSampled{Percent: 81, Tokens: 162_000, Window: 200_000, Model: "m"}},
		},
		"usage beside an answer": {
			events.Hook{Kind: events.TurnEnd, Text: "x", Usage: &events.Usage{Tokens: 9}},
			[]events.Event{events.TurnEnded{Text: "x"}, events.UsageSampled{Tokens: 9}},
		},
		"unknown hook": {
			events.Hook{Native: "Moved", Kind: events.Other, AgentType: "explorer"},
			[]events.Event{events.HookReceived{Hook: "Moved", Kind: "other", AgentType: "explorer"}},
		},
		"read of nothing is kept as received": {
			call(events.ReadFile, nil),
			[]events.Event{events.HookReceived{Hook: "ToolDone", Kind: "tool-end"}},
		},
		"broken": {
			events.Hook{Native: "Prompt", Kind: events.PromptSubmit, Text: "half of", Broken: "ends within a string"},
			[]events.Event{events.HookReceived{Hook: "Prompt", Kind: "prompt-submit", Broken: "ends within a string"}},
		},
		"end of a tool that nobody names": {
			events.Hook{Native: "ToolDone", Kind: events.ToolEnd},
			[]events.Event{events.HookReceived{Hook: "ToolDone", Kind: "tool-end"}},
		},
		"begin of a tool that nobody names": {
			events.Hook{Native: "ToolSoon", Kind: events.ToolStart},
			[]events.Event{events.HookReceived{Hook: "ToolSoon", Kind: "tool-start"}},
		},
		"refused": {
			call(events.RunCommand, func(t *events.ToolCall) {
				t.Refused, t.Command, t.Paths, t.Words = true, "rm -r x", []string{"/p/x"}, "no"
			}),
			[]events.Event{events.ToolRefused{Tool: "T", Target: "rm -r x", Words: "no", Use: "u1"}},
		},
		"a file refused": {
			call(events.WriteFile, func(t *events.ToolCall) { t.Refused, t.Failed, t.File, t.Paths = true, true, "/p/a", []string{"/p/b"} }),
			[]events.Event{events.ToolRefused{Tool: "T", Target: "/p/a", Use: "u1"}},
		},
		"a path refused": {
			call(events.WriteFile, func(t *events.ToolCall) { t.Refused, t.Failed, t.Paths = true, true, []string{"/p/b", "/p/c"} }),
			[]events.Event{events.ToolRefused{Tool: "T", Target: "/p/b", Use: "u1"}},
		},
		"nothing named refused": {
			call("", func(t *events.ToolCall) { t.Refused = true }),
			[]events.Event{events.ToolRefused{Tool: "T", Use: "u1"}},
		},
		"nothing": {events.Hook{}, []events.Event{events.HookReceived{}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, events.Recognise(tc.hook)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// failedTool is a failed call of a tool whose success has events of its own.
var (
	failedTool  = events.ToolUsed{Tool: "T", Use: "u1", Paths: []string{"/p/a"}, Failed: true, Error: "no", Millis: 7}
	failedWrite = events.ToolUsed{Tool: "T", Use: "u1", Paths: []string{"/p/a"}, Failed: true, Error: "no", Millis: 7, Writes: true}
)

// TestDecisionLines: lines of an answer that record a decision, as models write them, and lines that only mention one
// (ADR-0028).
func TestDecisionLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Decision: keep it small":                  {"keep it small"},
		"Decision : keep it":                       {"keep it"},
		"- Decision: keep it":                      {"keep it"},
		"* Decision: keep it":                      {"keep it"},
		"  • Decision: keep it":                    {"keep it"},
		"> Decision: keep it":                      {"keep it"},
		"## Decision: keep it":                     {"keep it"},
		"1. Decision: keep it":                     {"keep it"},
		"**Decision:** keep it":                    {"keep it"},
		"**Decision**: keep it":                    {"keep it"},
		"- **Decision: keep it**":                  {"keep it"},
		"__Decision__: keep it\r\n":                {"keep it"},
		"Decision：keep it":                         {"keep it"},
		"Done. Decision: keep it":                  {"keep it"},
		"Done! **Decision:** keep it":              {"keep it"},
		"결정: 작게 유지한다":                              {"작게 유지한다"},
		"- **결정**: 작게 유지한다":                        {"작게 유지한다"},
		"끝났다. 결정：작게 유지한다":                          {"작게 유지한다"},
		"決定: 小さく保つ":                                {"小さく保つ"},
		"完了。決定：小さく保つ":                              {"小さく保つ"},
		"Decision: a: b":                           {"a: b"},
		"The Decision: none. Decision: keep it":    {"keep it"},
		"a\nDecision: one\nb\n- Decision: two\n":   {"one", "two"},
		"Decision: one Decision: two":              {"one Decision: two"},
		"Decision:":                                nil,
		"Decision: **":                             nil,
		"**Decision:**\nkeep it":                   nil,
		"Decisions: keep it":                       nil,
		"decision: keep it":                        nil,
		"Decision keep it":                         nil,
		"The Decision: none":                       nil,
		"No final Decision: we wait":               nil,
		"NonDecision: x":                           nil,
		"Non-Decision: x":                          nil,
		"결정사항: x":                                  nil,
		"이 결정: x":                                  nil,
		"決定事項: x":                                  nil,
		"":                                         nil,
		"nothing was decided\n\nand nothing to do": nil,
	} {
		var got []string
		for _, e := range events.Recognise(events.Hook{Kind: events.TurnEnd, Text: text}) {
			if d, ok := e.(events.DecisionRecorded); ok {
				if got = append(got, d.Text); !d.Weak {
					t.Errorf("%q: read out of prose and not weak", text)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
