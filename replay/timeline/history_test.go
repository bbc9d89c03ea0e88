package timeline_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
	"journal/replay/timeline"
)

var target = projections.Target{Project: "p", Session: "s"}

// logOf returns a log with events of the session and of others in its project, and some echoes.
func longLog(t testing.TB, n int) (log replay.Slice) {
	t.Helper()
	all := []events.Event{
		events.PromptSubmitted{Text: "build it"}, events.CommandRan{Command: "make", Failed: true}, events.FileWritten{Path: "/f", Op: "edit"},
		events.DecisionRecorded{Text: "keep it small"}, events.UsageSampled{Percent: 40, Window: 1000}, events.CompactionIntended{Trigger: "auto"},
		events.ContextRestarted{}, events.CompactionCompleted{Summary: "s"}, events.ToolUsed{Tool: "Grep"},
		events.TodosWritten{Todos: []events.Todo{{Text: "one", Status: "pending"}}},
	}
	for i := range n {
		m := events.Meta{Project: "p", Session: "s", At: int64(i), Seq: uint64(i + 1)}
		switch i % 7 {
		case 3:
			m.Session = "other"
		case 5:
			m.Lane = "a"
		case 6:
			m.EchoOf = uint64(i)
		}
		log = append(log, eventstest.Wrap(t, all[(i*i+i/7)%len(all)], m))
	}
	return log
}

// TestAtEqualsReplayed: At equals a replay for any sequence, in any order, and while the log grows.
func TestAtEqualsReplayed(t *testing.T) {
	t.Parallel()
	log := longLog(t, 1500)
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.IntRange(1, len(log)).Draw(t, "end")
		h := timeline.NewHistory(log, target, projections.Config{})
		for range rapid.IntRange(1, 3).Draw(t, "readings") {
			if err := h.Forward(context.Background(), uint64(rapid.IntRange(0, end).Draw(t, "until"))); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Forward(context.Background(), uint64(end)); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 5).Draw(t, "asks") {
			seq := uint64(rapid.IntRange(0, end).Draw(t, "seq"))
			got, err := h.At(context.Background(), seq)
			if err != nil {
				t.Fatal(err)
			}
			want := projections.NewFold(target, projections.Config{}, slices.DeleteFunc(projections.All(), projections.Projection.AllSessions)...)
			for _, e := range log[:seq] {
				want.Apply(e)
			}
			if diff := cmp.Diff(want.States(), got.States()); diff != "" {
				t.Fatalf("at %d (-replayed +history):\n%s", seq, diff)
			}
		}
		line, err := timeline.Of(context.Background(), log, target, projections.Config{}, uint64(end))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(line, h.Timeline()); diff != "" {
			t.Fatalf("timeline (-folded +history):\n%s", diff)
		}
	})
}

// TestRows: rows are the session's events of every lane, without echoes.
func TestRows(t *testing.T) {
	t.Parallel()
	log := longLog(t, 300)
	h := timeline.NewHistory(log, target, projections.Config{})
	if err := h.Forward(t.Context(), 300); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, e := range log {
		if e.Session == "s" && e.EchoOf == 0 {
			want = append(want, fmt.Sprint(e.Seq, e.Type, e.Lane, e.Type == events.TypeOf[events.CommandRan]()))
		}
	}
	var got []string
	rows := h.Rows()
	for i, r := range rows {
		got = append(got, fmt.Sprint(r.Seq, r.Type, r.Lane, r.Failed))
		if p := timeline.RowsUpTo(rows, r.Seq); p != i+1 {
			t.Errorf("place of #%d is %d, want %d", r.Seq, p, i+1)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if n := h.Timeline().Events; n != len(rows) {
		t.Errorf("the timeline has %d events, want %d", n, len(rows))
	}
}
