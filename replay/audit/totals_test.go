package audit_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/replay"
	"journal/replay/audit"
)

// reported makes a report out of items of two compactions of the main thread and one of
// a subagent.
func reported() audit.Report {
	item := func(id string, s audit.Status, seq uint64, worth int) audit.Item {
		return audit.Item{ID: id, Kind: "todo", Text: "text of " + id, Seq: seq, Status: s, Worth: worth, Routine: worth == 0}
	}
	again := item("b", audit.InSummary, 2, 3)
	part := item("c", audit.Reinjected, 3, 1)
	part.Partial, part.Share = true, 40
	reworded := item("i", audit.Lost, 12, 2)
	reworded.Text = "text of a" // a newer id of the same thing
	return audit.Report{Compactions: []audit.Compaction{
		{Ordinal: 1, Seq: 20, Items: []audit.Item{
			item("a", audit.InSummary, 1, 2), item("b", audit.Lost, 2, 3), part, item("r", audit.Lost, 9, 0),
		}},
		{Ordinal: 1, Lane: "l", Seq: 25, Items: []audit.Item{item("b", audit.Lost, 2, 3), item("d", audit.Offered, 4, 1)}},
		{Ordinal: 2, Seq: 30, Items: []audit.Item{
			reworded, again, item("e", audit.Promoted, 5, 1), item("f", audit.OnDisk, 6, 1), item("g", audit.Reviewed, 7, 1),
			item("h", audit.Unknown, 8, 1), item("j", audit.Lost, 13, 0), item("k", audit.Reinjected, 14, 2),
		}},
	}}
}

func ids(all []audit.Item) (ids []string) {
	for _, it := range all {
		ids = append(ids, it.ID)
	}
	return ids
}

// Each thing is told once, as the newest compaction of its lane left it, by its worth.
func TestNewest(t *testing.T) {
	t.Parallel()
	r := reported()
	for name, tc := range map[string]struct{ got, want []string }{
		"newest":            {ids(r.Newest()), []string{"h", "g", "f", "e", "d", "c", "k", "i", "b", "b", "j", "r"}},
		"lost":              {ids(r.Lost(false)), []string{"d", "c", "i", "b"}},
		"lost with routine": {ids(r.Lost(true)), []string{"d", "c", "i", "b", "j", "r"}},
		"by worth":          {ids(r.Compactions[0].ByWorth()), []string{"c", "a", "b", "r"}},
		"as it was":         {ids(r.Compactions[0].Items), []string{"a", "b", "c", "r"}},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]audit.RoutineCount{{Count: 2}}, r.LostRoutine()); diff != "" {
		t.Errorf("routine (-want +got):\n%s", diff)
	}
	for status, want := range map[audit.Status]int{audit.Lost: 1, audit.InSummary: 1, audit.Promoted: 0} {
		if got := r.Compactions[0].WorthKeeping(status); got != want {
			t.Errorf("%s: %d worth keeping, want %d", status, got, want)
		}
	}
	for _, it := range r.Newest() {
		kept := map[string]bool{"e": true, "k": true, "b": it.Status == audit.InSummary}[it.ID]
		if it.Kept() != kept {
			t.Errorf("%s, %s: kept %v", it.ID, it.Status, it.Kept())
		}
	}
}

// The headline says what there is and nothing else.
func TestHeadline(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]audit.Totals{
		"nothing worth keeping was known":                                                        {Routine: 2},
		"the one thing worth keeping is lost":                                                    {Known: 1, Lost: 1},
		"the one thing worth keeping is not lost; 1 is in a file alone":                          {Known: 1, OnDisk: 1},
		"the one thing worth keeping would be gone; journal brought 1 back":                      {Known: 1, GivenBack: 1},
		"nobody can say what became of the one thing worth keeping":                              {Known: 1, Unknown: 1},
		"nobody can say what became of 2 things worth keeping":                                   {Known: 2, Unknown: 2},
		"none of 2 things worth keeping is lost":                                                 {Known: 2, Kept: 2},
		"1 of 2 things worth keeping is lost":                                                    {Known: 2, Kept: 1, Lost: 1},
		"2 of 2 things worth keeping are lost":                                                   {Known: 2, Lost: 2},
		"9 of 10 things worth keeping would be gone; journal brought 9 back":                     {Known: 10, Kept: 1, GivenBack: 9},
		"2 of 3 things worth keeping would be gone; journal offered 2, whose receipt is unknown": {Known: 3, Kept: 1, Offered: 2},
		"4 of 4 things worth keeping would be gone; journal brought 1 back and offered 1, whose receipt is unknown; 2 are lost": {
			Known: 4, Lost: 2, GivenBack: 1, Offered: 1,
		},
		"none of 9 things worth keeping is lost; 1 is in a file alone; 2 were reviewed by a compound; of 3 nobody can say": {
			Known: 9, OnDisk: 1, Reviewed: 2, Unknown: 3,
		},
		"none of 4 things worth keeping is lost; 2 are in a file alone; 1 was reviewed by a compound": {Known: 4, OnDisk: 2, Reviewed: 1, Routine: 5},
	} {
		if got := of.Headline(); got != want {
			t.Errorf("%s\n got: %s\nwant: %s", fmt.Sprint(of), got, want)
		}
	}
}

// TestNews: an item is told where it was first known and where something else became of it; the counts are of all.
func TestNews(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	say := func(e events.Event) { log = grow(t, log, e, target.Session, "") }
	compact := func(summary string) {
		say(events.CompactionIntended{Trigger: "auto"})
		say(events.CompactionCompleted{Trigger: "auto", Summary: summary})
	}
	say(events.DecisionRecorded{Text: "Orders are kept in sqlite"})
	say(events.DecisionRecorded{Text: "Invoices are rendered by the gateway"})
	say(events.CommandRan{Command: "make check"})
	compact("Orders are kept in sqlite.")
	say(events.DecisionRecorded{Text: "Retries stop after five minutes"})
	compact("Nothing of note.")
	whole := auditOf(t, log)
	news := whole.News(false)
	told := func(c audit.Compaction) (all []string) {
		for _, it := range c.Items {
			all = append(all, it.Text+": "+string(it.Status))
		}
		return all
	}
	want := [][]string{
		{"Orders are kept in sqlite: in_summary", "Invoices are rendered by the gateway: lost"},
		{"Orders are kept in sqlite: lost", "Retries stop after five minutes: lost"},
	}
	for i, c := range news.Compactions {
		if !slices.Equal(told(c), want[i]) {
			t.Errorf("compaction %d tells %q, want %q", i+1, told(c), want[i])
		}
		if !maps.Equal(c.Counts, whole.Compactions[i].Counts) || c.Totals != whole.Compactions[i].Totals {
			t.Errorf("compaction %d counts %v, want %v", i+1, c.Counts, whole.Compactions[i].Counts)
		}
	}
	if settled := news.Compactions[1].Settled; settled != 1 {
		t.Errorf("%d settled, want 1", settled)
	}
	if all := whole.News(true).Compactions[0].Items; len(all) != len(whole.Compactions[0].Items) {
		t.Errorf("%d items with routine ones, want %d", len(all), len(whole.Compactions[0].Items))
	}
}
