package timeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/timeline"
)

// logOf returns a log of events of one session, a second apart; an event of another lane is given with its lane.
func logOf(t *testing.T, all ...any) (log replay.Slice) {
	t.Helper()
	lane := ""
	for _, v := range all {
		if name, ok := v.(string); ok {
			lane = name
			continue
		}
		seq := uint64(len(log) + 1)
		e, err := events.Wrap(v.(events.Event), events.Meta{
			ID: events.NewID(), At: int64(seq) * 1e9, Agent: "claude", Session: "s", Lane: lane, Project: "p",
		})
		if err != nil {
			t.Fatal(err)
		}
		e.Seq = seq
		log, lane = append(log, e), ""
	}
	return log
}

func TestOf(t *testing.T) {
	t.Parallel()
	log := logOf(t,
		events.PromptSubmitted{Text: "build it"},                       // 1
		events.UsageSampled{Percent: 40, Window: 200_000},              // 2
		events.UsageSampled{Percent: 40, Window: 200_000},              // 3: nothing new
		events.PhaseEntered{Skill: "plan", Phase: "2", Name: "design"}, // 4
		"agent-1", events.UsageSampled{Percent: 99, Window: 100_000}, // 5: a subagent's
		events.UsageSampled{Percent: 70, Window: 200_000},                     // 6
		events.NoticeGiven{Kind: "pressure", Level: "info", To: "model"},      // 7
		events.PromptSubmitted{Text: "a task has ended", Machine: true},       // 8: no person's
		events.CompoundFinished{Promoted: 3},                                  // 9
		events.SkillEnded{Status: "finished"},                                 // 10
		events.CompactionIntended{Trigger: "auto"},                            // 11
		events.ContextRestarted{},                                             // 12
		events.CompactionCompleted{Trigger: "auto", Summary: "what was said"}, // 13: the same one
		"agent-1", events.CompactionCompleted{Trigger: "auto", Summary: "a sub"}, // 14: a subagent's
		events.PromptSubmitted{Text: "go on"}, // 15
	)
	target := projections.Target{Project: "p", Session: "s"}
	got, err := timeline.Of(t.Context(), log, target, projections.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := func(seq uint64) int64 { return int64(seq) * 1e9 }
	want := timeline.Timeline{
		First: 1, Last: 15, FirstAt: at(1), Events: 15,
		Points: []timeline.Point{{Seq: 2, Place: 1, Percent: 40, Window: 200_000}, {Seq: 6, Place: 5, Percent: 70, Window: 200_000}, {Seq: 12, Place: 11, Percent: 0, Window: 200_000}},
		Marks: []timeline.Mark{
			{Kind: timeline.Prompt, Seq: 1, Place: 0, At: at(1), Text: "build it"},
			{Kind: timeline.Phase, Seq: 4, Place: 3, At: at(4), Text: "plan 2 design"},
			{Kind: timeline.Notice, Seq: 7, Place: 6, At: at(7), Text: "info"},
			{Kind: timeline.Compound, Seq: 9, Place: 8, At: at(9), Text: ""},
			{Kind: timeline.Phase, Seq: 10, Place: 9, At: at(10), Text: "plan 2 design, finished"},
			{Kind: timeline.Compaction, Seq: 12, Place: 11, At: at(12), Text: "auto"},
			{Kind: timeline.Prompt, Seq: 15, Place: 14, At: at(15), Text: "go on"},
		},
		Subagents: []timeline.Subagent{{Lane: "agent-1", First: 5, Last: 14, From: 4, To: 13}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	// A subagent's own.
	target.Lane = "agent-1"
	if got, err = timeline.Of(t.Context(), log, target, projections.Config{}, 0); err != nil {
		t.Fatal(err)
	}
	if got.First != 5 || got.Last != 14 || len(got.Points) != 1 || got.Points[0].Percent != 99 {
		t.Errorf("the subagent's timeline is %+v", got)
	}
	// A past sequence: nothing later is in it.
	past, err := timeline.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, projections.Config{}, 6)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Points[:2], past.Points); diff != "" || past.Last != 6 {
		t.Errorf("timeline up to #6 ends at #%d (-want +got):\n%s", past.Last, diff)
	}
}

// TestWindows: imported samples have tokens and a model. The window is the model's, or the one that the client reported
// later; without any, the tokens stay.
func TestWindows(t *testing.T) {
	t.Parallel()
	sample := func(tokens int64) events.UsageSampled { return events.UsageSampled{Tokens: tokens, Model: "m-1-2025"} }
	type point struct {
		percent        int
		tokens, window int64
	}
	for name, tc := range map[string]struct {
		windows projections.Windows
		log     []any
		want    []point
	}{
		"of the model": {
			projections.Windows{"m-1": 200_000}, []any{sample(50_000), sample(100_000)},
			[]point{{25, 50_000, 200_000}, {50, 100_000, 200_000}},
		},
		"told later": {
			nil, []any{sample(50_000), events.UsageSampled{Percent: 60, Tokens: 60_000, Window: 100_000}},
			[]point{{50, 50_000, 100_000}, {60, 60_000, 100_000}},
		},
		"of nobody": {
			nil, []any{sample(50_000), sample(150_000), events.ContextRestarted{}, sample(20_000)},
			[]point{{0, 50_000, 0}, {0, 150_000, 0}, {0, 0, 0}, {0, 20_000, 0}},
		},
		"no sample": {nil, []any{events.ContextRestarted{}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line, err := timeline.Of(t.Context(), logOf(t, tc.log...), projections.Target{Project: "p", Session: "s"}, projections.Config{Windows: tc.windows}, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []point
			for _, p := range line.Points {
				got = append(got, point{p.Percent, p.Tokens, p.Window})
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(point{})); diff != "" {
				t.Errorf("points (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompactsAt: a timeline tells at which share of the window the client compacted by itself.
func TestCompactsAt(t *testing.T) {
	t.Parallel()
	line, err := timeline.Of(t.Context(), logOf(t,
		events.UsageSampled{Percent: 66, Tokens: 66_000, Window: 100_000}, events.CompactionIntended{Trigger: "auto"}, events.CompactionCompleted{Summary: "x"},
	), projections.Target{Project: "p", Session: "s"}, projections.Config{}, 0)
	if err != nil || line.CompactsAt != 66 {
		t.Errorf("compacts at %d, %v; want 66", line.CompactsAt, err)
	}
}

// TestFailuresAndSubagents: a failure is a mark, and a subagent is there from its first event to its last.
func TestFailuresAndSubagents(t *testing.T) {
	t.Parallel()
	log := logOf(t,
		events.CommandRan{Command: "make test", Failed: true},   // 1
		events.CommandRan{Command: "make | tail", Mark: "FAIL"}, // 2: the exit code hides it
		events.CommandRan{Command: "make"},                      // 3
		"a", events.SubagentStarted{AgentType: "explorer"},      // 4
		"b", events.SubagentStarted{AgentType: "tester"}, // 5
		"a", events.ToolUsed{Tool: "Grep", Failed: true}, // 6: not the main lane's
		"a", events.SubagentEnded{AgentType: "explorer"}, // 7
		events.ToolUsed{Tool: strings.Repeat("가", 200), Failed: true}, events.TurnFailed{Error: "overload"}, // 8, 9
		"b", events.FileRead{Path: "/x"}, // 10
	)
	got, err := timeline.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, projections.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, m := range got.Marks {
		failed = append(failed, fmt.Sprintf("%s %d %s", m.Kind, m.Seq, m.Text))
	}
	want := []string{"failure 1 make test", "failure 2 make | tail", "failure 8 " + strings.Repeat("가", 133), "failure 9 overload"}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	subagents := []timeline.Subagent{
		{Lane: "a", Type: "explorer", First: 4, Last: 7, From: 3, To: 6, Ended: true},
		{Lane: "b", Type: "tester", First: 5, Last: 10, From: 4, To: 9},
	}
	if diff := cmp.Diff(subagents, got.Subagents); diff != "" {
		t.Errorf("subagents (-want +got):\n%s", diff)
	}
}

// TestToldLater: a later fact tells the trigger of a compaction: only its newest mark then shows it. Echoes, and events
// of other projects or sessions, add no marks.
func TestToldLater(t *testing.T) {
	t.Parallel()
	log := logOf(t,
		events.CompactionIntended{Trigger: "manual"},                     // 1
		events.ContextRestarted{},                                        // 2
		events.CompactionCompleted{Trigger: "manual", Summary: "first"},  // 3
		events.PromptSubmitted{Text: "go on"},                            // 4
		events.ContextRestarted{},                                        // 5: nobody said why
		events.PromptSubmitted{Text: "told twice"},                       // 6: an echo
		events.PromptSubmitted{Text: "elsewhere"},                        // 7: of another project
		events.CompactionCompleted{Trigger: "auto", Summary: "a second"}, // 8
		events.NoticeGiven{Kind: "start", To: "model"},                   // 9: of no level
		events.PromptSubmitted{Text: "of another session"},               // 10
	)
	log[5].EchoOf, log[6].Project, log[9].Session = 4, "q", "t"
	got, err := timeline.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, projections.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []timeline.Mark{
		{Kind: timeline.Compaction, Seq: 2, Place: 1, At: 2e9, Text: "manual"},
		{Kind: timeline.Prompt, Seq: 4, Place: 3, At: 4e9, Text: "go on"},
		{Kind: timeline.Compaction, Seq: 5, Place: 4, At: 5e9, Text: "auto"},
	}
	if diff := cmp.Diff(want, got.Marks); diff != "" || got.First != 1 || got.Last != 9 {
		t.Errorf("from #%d to #%d (-want +got):\n%s", got.First, got.Last, diff)
	}
	// It is told at once, even if nothing was marked before and something else came in between.
	log = logOf(t, events.ContextRestarted{}, events.PromptSubmitted{Text: "go on"}, events.CompactionCompleted{Trigger: "auto", Summary: "of it"})
	if got, err = timeline.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, projections.Config{}, 0); err != nil {
		t.Fatal(err)
	}
	want = []timeline.Mark{
		{Kind: timeline.Compaction, Seq: 1, Place: 0, At: 1e9, Text: "auto"},
		{Kind: timeline.Prompt, Seq: 2, Place: 1, At: 2e9, Text: "go on"},
	}
	if diff := cmp.Diff(want, got.Marks); diff != "" {
		t.Errorf("told at last (-want +got):\n%s", diff)
	}
}

// TestUnreadable: an unreadable event has no mark.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for _, lane := range []string{"", "agent-1"} {
		log := logOf(t, events.PromptSubmitted{Text: "go"}, lane, events.NoticeGiven{Kind: "pressure", Level: "info"})
		log[1].Body = []byte{0xc1, 0xff}
		got, err := timeline.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, projections.Config{}, 0)
		if err != nil || len(got.Marks) != 1 {
			t.Errorf("in lane %q: %v, error %v", lane, got.Marks, err)
		}
	}
}
