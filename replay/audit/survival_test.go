package audit_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"journal/projections"
	"journal/replay/audit"
	"journal/replay/knowledge"
)

// compaction makes a compaction of some items, all worth keeping, at a day of February 2026.
func compaction(day int, client string, items ...audit.Item) audit.Compaction {
	c := audit.Compaction{Agent: "claude", Client: client, Items: items, Seq: uint64(day),
		At: projections.Stamp(time.Date(2026, 2, day, 23, 30, 0, 0, time.UTC).UnixNano())}
	c.Totals.Known = len(items)
	for _, it := range items {
		if it.Status == audit.Lost {
			c.Totals.Lost++
		} else {
			c.Totals.InSummary++
		}
	}
	return c
}

func item(id string, kind knowledge.Kind, status audit.Status) audit.Item {
	return audit.Item{ID: id, Kind: kind, Status: status, Worth: 20}
}

// Sessions are counted by kind, by client and by week, those that lack most first.
func TestSurvival(t *testing.T) {
	t.Parallel()
	const todo, file = knowledge.Kind("todo"), knowledge.Kind("file")
	s := audit.NewSurvival()
	s.Add(audit.Report{}.Sum(), "never", "p", "never compacted")
	s.Add(audit.Report{Compactions: []audit.Compaction{
		compaction(1, "2.1.9", item("todo-1", todo, audit.InSummary), item("file-2", file, audit.Lost)), // a Sunday
		compaction(2, "2.1.10", item("todo-1", todo, audit.Lost), item("file-2", file, audit.Lost)),     // the Monday after
	}}.Since(time.Time{}).Sum(), "a", "p", "first")
	s.Add(audit.Report{Compactions: []audit.Compaction{compaction(8, "2.1.10", item("file-2", file, audit.InSummary))}}.Since(time.Time{}).Sum(), "b", "q", "second")
	s.Add(audit.Report{Compactions: []audit.Compaction{compaction(7, "", item("file-2", file, audit.Lost))}}.
		Since(time.Date(2026, 2, 7, 23, 31, 0, 0, time.UTC)).Sum(), "c", "q", "too early")
	totals := func(known, told, lost int) audit.Totals {
		return audit.Totals{Known: known, InSummary: told, Lost: lost}
	}
	want := audit.Survival{
		Sessions: 2, Compactions: 3, Totals: totals(3, 1, 2),
		ByKind:   []audit.KindTotals{{Kind: todo, Totals: totals(1, 0, 1)}, {Kind: file, Totals: totals(2, 1, 1)}},
		ByClient: []audit.ClientTotals{{"claude", "2.1.9", 1, totals(2, 1, 1)}, {"claude", "2.1.10", 2, totals(3, 1, 2)}},
		ByWeek:   []audit.WeekTotals{{"2026-01-26", 1, totals(2, 1, 1)}, {"2026-02-02", 2, totals(3, 1, 2)}},
		BySession: []audit.SessionTotals{
			{Session: "a", Project: "p", Title: "first", Agent: "claude", Client: "2.1.10", Compactions: 2, Totals: totals(2, 0, 2)},
			{Session: "b", Project: "q", Title: "second", Agent: "claude", Client: "2.1.10", Compactions: 1, Totals: totals(1, 1, 0)},
		},
	}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreFields(audit.SessionTotals{}, "At")); diff != "" {
		t.Errorf("survival (-want +got):\n%s", diff)
	}
}

// Numbers of a session are those since a time where that leaves out all or nothing.
func TestSumSince(t *testing.T) {
	t.Parallel()
	sum := audit.Report{Compactions: []audit.Compaction{compaction(3, ""), compaction(5, "")}}.Sum()
	for day, want := range map[int]struct {
		n    int
		told bool
	}{1: {2, true}, 3: {2, true}, 4: {2, false}, 6: {0, true}} {
		got, told := sum.Since(time.Date(2026, 2, day, 0, 0, 0, 0, time.UTC))
		if told != want.told || told && len(got.Compactions) != want.n {
			t.Errorf("since the %d.: %d compactions, told %v", day, len(got.Compactions), told)
		}
	}
}
