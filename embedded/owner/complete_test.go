package owner_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/agents"
	"journal/projections"
	"journal/replay"
)

// codexTalk is a session of Codex: its hooks tell commands without exit codes and
// compactions without summaries, its rollout tells both.
type codexTalk struct{ *talk }

func newCodexTalk(t *testing.T) codexTalk {
	t.Helper()
	h := newHome(t)
	h.serve()
	c := codexTalk{&talk{home: h, path: filepath.Join(t.TempDir(), "rollout.jsonl")}}
	c.hook("", events.SessionStarted{Source: "startup", Transcript: c.path})
	c.adds(c.line("session_meta", `"id":"s","cwd":"/p"`))
	return c
}

// line gives a row of the rollout, now.
func (c codexTalk) line(kind, members string) string {
	c.n++
	at := time.Unix(0, about(time.Duration(c.n)*time.Second).At).UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"timestamp":%q,"ordinal":%d,"type":%q,"payload":{%s}}`+"\n", at, c.n, kind, members)
}

// hook lets a hook of the client tell something, now.
func (c codexTalk) hook(use string, e events.Event) {
	c.t.Helper()
	c.n++
	m := about(time.Duration(c.n) * time.Second)
	m.Agent, m.Turn = "codex", "t1"
	if use != "" {
		m.Key = agents.ToolKey("codex", use, "PostToolUse")
	}
	c.handle(report(c.t, m, e)...)
}

func (c codexTalk) begins() string {
	return c.line("event_msg", `"type":"task_started","turn_id":"t1","model_context_window":100000`)
}

func (c codexTalk) holds(tokens int) string {
	return c.line("event_msg", fmt.Sprintf(`"type":"token_count","info":{"last_token_usage":{"total_tokens":%d},"model_context_window":100000}`, tokens))
}

// fails gives the rows of a command whose process failed, up to what the model is told.
func (c codexTalk) fails(use, command string) string {
	return c.line("response_item", fmt.Sprintf(`"type":"function_call","name":"exec_command","call_id":%q,"arguments":"{\"cmd\":\"%s\"}"`, use, command)) +
		c.line("event_msg", fmt.Sprintf(`"type":"item_completed","item":{"type":"CommandExecution","id":%q,"exit_code":3,"aggregated_output":"no oil\n"}`, use))
}

func (c codexTalk) told(use string) string {
	return c.line("response_item", fmt.Sprintf(`"type":"function_call_output","call_id":%q,"output":"x"`, use))
}

func (c codexTalk) compacts(summary string) string {
	return c.line("compacted", fmt.Sprintf(`"message":%q`, summary))
}

// state folds the log.
func (c codexTalk) state() (last projections.LastCompactState, commands []projections.CommandState) {
	c.t.Helper()
	target := projections.Target{Project: about(0).Project, Session: about(0).Session}
	f := projections.NewFold(target, projections.Config{}, projections.LastCompact, projections.Commands)
	if err := replay.Forward(context.Background(), c.o.Log(), f, 0); err != nil {
		c.t.Fatal(err)
	}
	for one := range projections.Commands.In(f).All() {
		commands = append(commands, one)
	}
	return projections.LastCompact.In(f), commands
}

// Hooks and rollout tell two compactions in one turn, and a command that failed, each
// before the other: the compactions are two, each with its summary, the failure has its
// exit code, and another owner tells nothing again.
func TestTranscriptCompletesHooks(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(c codexTalk){
		"the rollout first": func(c codexTalk) {
			rows := c.begins() + c.fails("c1", "light") + c.told("c1") + c.holds(90_000)
			c.adds(rows)
			c.hook("c1", events.CommandRan{Command: "light", Use: "c1"})
			for _, summary := range []string{"one", "two"} {
				c.hook("", events.CompactionIntended{Trigger: "auto"})
				c.adds(c.compacts(summary) + c.holds(10_000))
				c.hook("", events.CompactionCompleted{Trigger: "auto"})
				c.hook("", events.ContextRestarted{})
				c.hook("c2"+summary, events.CommandRan{Command: "work", Use: "c2" + summary})
				c.adds(c.holds(90_000))
			}
		},
		"the hooks first": func(c codexTalk) {
			rows := c.begins() + c.fails("c1", "light")
			c.hook("c1", events.CommandRan{Command: "light", Use: "c1"})
			rows += c.told("c1") + c.holds(90_000)
			for _, summary := range []string{"one", "two"} {
				c.hook("", events.CompactionIntended{Trigger: "auto"})
				rows += c.compacts(summary) + c.holds(10_000)
				c.hook("", events.CompactionCompleted{Trigger: "auto"})
				c.hook("", events.ContextRestarted{})
				c.hook("c2"+summary, events.CommandRan{Command: "work", Use: "c2" + summary})
				rows += c.holds(90_000)
			}
			c.adds(rows)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCodexTalk(t)
			play(c)
			c.hook("", events.TurnEnded{Text: "done"})
			summaries := func() (all []string) {
				for _, e := range c.logOf(events.TypeOf[events.SummaryImported]()) {
					ev, err := events.Open(e)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, ev.(events.SummaryImported).Summary)
				}
				return all
			}
			testutil.Eventually(t, "two summaries", func() bool { return len(summaries()) == 2 })
			for range 2 {
				last, commands := c.state()
				if last.Count != 2 || last.SummarySeq == 0 {
					t.Errorf("%d compactions, summary #%d", last.Count, last.SummarySeq)
				}
				if commands[0].OK || commands[0].Exit != 3 || commands[0].Error != "no oil\n" {
					t.Errorf("the command that failed: %+v", commands[0])
				}
				if got := summaries(); strings.Join(got, " ") != "one two" {
					t.Errorf("summaries %q", got)
				}
				for _, s := range c.logOf(events.TypeOf[events.SummaryImported]()) {
					ev, _ := events.Open(s)
					if fact := ev.(events.SummaryImported).Compaction; fact == 0 || fact >= s.Seq {
						t.Errorf("the summary #%d is of #%d", s.Seq, fact)
					}
				}
				if n := len(c.logOf(events.TypeOf[events.CommandExited]())); n != 1 {
					t.Errorf("%d exit codes", n)
				}
				c.another()
				c.hook("", events.TurnEnded{Text: "again"})
			}
		})
	}
}

// A summary whose compaction no hook told is kept back until a later hook shows that none
// will, and what follows it is not kept back with it for ever.
func TestSummaryWithoutACompaction(t *testing.T) {
	t.Parallel()
	c := newCodexTalk(t)
	c.adds(c.begins() + c.compacts("lost") + c.holds(10_000))
	c.hook("c1", events.CommandRan{Command: "work", Use: "c1"})
	testutil.Eventually(t, "the sample behind it", func() bool { return len(c.logOf(events.TypeOf[events.UsageSampled]())) == 1 })
	if n := len(c.logOf(events.TypeOf[events.SummaryImported]())); n != 0 {
		t.Errorf("%d summaries", n)
	}
	if last, _ := c.state(); last.Count != 0 {
		t.Errorf("%d compactions", last.Count)
	}
}
