package projections_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

// orders returns every order of every subset of some names.
func orders(names []string) [][]string {
	all := [][]string{nil}
	for i, n := range names {
		for _, rest := range orders(slices.Delete(slices.Clone(names), i, i+1)) {
			all = append(all, append([]string{n}, rest...))
		}
	}
	return all
}

// TestOneCompactionInAnyOrder: the hooks of one compaction, each missing, once or doubled, in any order, give one
// compaction; an intention alone gives none.
func TestOneCompactionInAnyOrder(t *testing.T) {
	t.Parallel()
	hooks := map[string]events.Event{
		"intended":  events.CompactionIntended{Trigger: "manual"},
		"restarted": events.ContextRestarted{},
		"completed": events.CompactionCompleted{Trigger: "manual", Summary: "so far"},
	}
	seen := 0
	for _, order := range orders([]string{"intended", "restarted", "completed"}) {
		for doubled := range 1 << len(order) {
			var names []string
			for i, name := range order {
				names = append(names, name)
				if doubled&(1<<i) != 0 {
					names = append(names, name)
				}
			}
			for _, before := range []int{0, 1} { // compactions before this one
				seen++
				fold := projections.NewFold(target, projections.Config{}, projections.LastCompact)
				var seq uint64
				say := func(e events.Event) {
					seq++
					apply(t, fold, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: seq}))
				}
				say(events.CommandRan{Command: "make"})
				for range before {
					say(events.ContextRestarted{})
					say(events.CommandRan{Command: "make"})
				}
				first := seq + 1
				for _, name := range names {
					say(hooks[name])
				}
				want := before
				if slices.Contains(names, "restarted") || slices.Contains(names, "completed") {
					want++
				}
				got := projections.LastCompact.In(fold)
				what := fmt.Sprintf("%s after %d", strings.Join(names, " "), before)
				if got.Count != want {
					t.Errorf("%s: %d compactions, want %d", what, got.Count, want)
				}
				if want > before {
					if got.Seq < first || got.Seq != first+uint64(slices.IndexFunc(names, func(n string) bool { return n != "intended" })) {
						t.Errorf("%s: stands at %d, not at its first fact", what, got.Seq)
					}
					known := names[0] == "intended" || slices.Contains(names, "completed")
					if known != (got.Trigger == "manual") {
						t.Errorf("%s: trigger %q", what, got.Trigger)
					}
				}
				if slices.Contains(names, "completed") != (got.SummarySeq != 0) {
					t.Errorf("%s: summary at %d", what, got.SummarySeq)
				}
			}
		}
	}
	if seen != 2*(1+3*2+6*4+6*8) {
		t.Errorf("%d orders were tried", seen)
	}
}

// TestWorkPartsCompactions: any kind of work separates two compactions; nothing else does.
func TestWorkPartsCompactions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		between events.Event
		want    int
	}{
		{events.ToolStarted{Tool: "Bash"}, 2},
		{events.ToolUsed{Tool: "WebFetch"}, 2},
		{events.CommandRan{Command: "make"}, 2},
		{events.FileRead{Path: "/a"}, 2},
		{events.FileWritten{Path: "/a", Op: "edit"}, 2},
		{events.UsageSampled{Percent: 3, Window: 100}, 1},
		{events.SessionStarted{Source: "resume"}, 1},
		{events.RecoveryGiven{Compaction: 1}, 1},
		{events.CompoundFinished{Promoted: 1}, 1},
		{events.SubagentEnded{}, 1},
	} {
		fold := projections.NewFold(target, projections.Config{}, projections.LastCompact)
		for i, e := range []events.Event{events.ContextRestarted{}, tc.between, events.CompactionCompleted{}} {
			apply(t, fold, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
		}
		if got := projections.LastCompact.In(fold).Count; got != tc.want {
			t.Errorf("%T between two facts: %d compactions, want %d", tc.between, got, tc.want)
		}
	}
}

// TestLateSummary: a summary that an import adds late belongs to the compaction that it names, and begins none.
func TestLateSummary(t *testing.T) {
	t.Parallel()
	for of, want := range map[uint64]uint64{1: 0, 3: 5} { // the first compaction, the second
		fold := projections.NewFold(target, projections.Config{}, projections.LastCompact)
		for i, e := range []events.Event{
			events.ContextRestarted{}, events.CommandRan{Command: "make"}, events.ContextRestarted{}, events.CommandRan{Command: "make"},
			events.SummaryImported{Compaction: of, Trigger: "auto", Summary: "so far"},
		} {
			env, err := events.Wrap(e, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)})
			if err != nil {
				t.Fatal(err)
			}
			apply(t, fold, env)
		}
		got := projections.LastCompact.In(fold)
		if got.Count != 2 || got.SummarySeq != want || (got.Trigger == "auto") != (want != 0) {
			t.Errorf("of #%d: %d compactions, trigger %q, summary at #%d, want #%d", of, got.Count, got.Trigger, got.SummarySeq, want)
		}
	}
}
