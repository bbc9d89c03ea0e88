package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/timeline"
)

// logOf makes a log of events of one session, a second apart; an event of another
// lane is given with its lane.
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
		First: 1, Last: 15, FirstAt: at(1),
		Points: []timeline.Point{{Seq: 2, At: at(2), Percent: 40, Window: 200_000}, {Seq: 6, At: at(6), Percent: 70, Window: 200_000}, {Seq: 12, At: at(12), Percent: 0, Window: 200_000}},
		Marks: []timeline.Mark{
			{Kind: timeline.Prompt, Seq: 1, At: at(1), Text: "build it"},
			{Kind: timeline.Phase, Seq: 4, At: at(4), Text: "plan 2 design"},
			{Kind: timeline.Notice, Seq: 7, At: at(7), Text: "info"},
			{Kind: timeline.Compound, Seq: 9, At: at(9), Text: ""},
			{Kind: timeline.Phase, Seq: 10, At: at(10), Text: "plan 2 design, finished"},
			{Kind: timeline.Compaction, Seq: 12, At: at(12), Text: "auto"},
			{Kind: timeline.Prompt, Seq: 15, At: at(15), Text: "go on"},
		},
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
	// A past moment: nothing later is in it.
	past, err := timeline.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, projections.Config{}, 6)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Points[:2], past.Points); diff != "" || past.Last != 6 {
		t.Errorf("timeline up to #6 ends at #%d (-want +got):\n%s", past.Last, diff)
	}
}

// Imported samples tell tokens and a model: the window is the model's, else the one that
// the client told later; where nobody knows one the tokens stay.
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
