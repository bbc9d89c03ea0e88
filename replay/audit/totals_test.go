package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/replay"
	"journal/replay/audit"
)

// reported makes a report out of items of two compactions of the main lane and one of
// a subagent.
func reported() audit.Report {
	item := func(id string, s audit.Status, seq uint64, worth int) audit.Item {
		return audit.Item{ID: id, Kind: "todo", Text: "text of " + id, Seq: seq, Status: s, Worth: worth}
	}
	reworded := item("i", audit.Lost, 12, 2)
	reworded.Text = "text of a" // a newer id of the same thing
	return audit.Report{Compactions: []audit.Compaction{
		{Ordinal: 1, Seq: 20, Items: []audit.Item{item("a", audit.InSummary, 1, 2), item("b", audit.Lost, 2, 3), item("c", audit.Restored, 3, 1)}},
		{Ordinal: 1, Lane: "l", Seq: 25, Items: []audit.Item{item("b", audit.Lost, 2, 3), item("d", audit.Offered, 4, 1)}},
		{Ordinal: 2, Seq: 30, Items: []audit.Item{
			reworded, item("b", audit.InSummary, 2, 3), item("e", audit.Promoted, 5, 1), item("f", audit.InFile, 6, 1), item("h", audit.Unclear, 8, 1), item("k", audit.Restored, 14, 2),
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
		"newest":    {ids(r.Newest()), []string{"h", "f", "e", "d", "c", "k", "i", "b", "b"}},
		"lost":      {ids(r.WithStatus(audit.Lost)), []string{"i", "b"}},
		"by worth":  {ids(r.Compactions[0].ByWorth()), []string{"c", "a", "b"}},
		"as it was": {ids(r.Compactions[0].Items), []string{"a", "b", "c"}},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSettledSince: what was lost at a compaction and done at the next one is no longer lost; a request that others
// followed is not either.
func TestSettledSince(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	todo := func(status string) events.Event {
		return events.TodosWritten{Todos: []events.Todo{{Text: "Rotate the signing keys", Status: status}}}
	}
	compacted := events.CompactionCompleted{Trigger: "auto", Summary: "Nothing of note."}
	for _, e := range []events.Event{
		events.PromptSubmitted{Text: "Move the invoices"}, todo("pending"), events.CompactionIntended{Trigger: "auto"}, compacted,
		todo("completed"), events.PromptSubmitted{Text: "Write the page of accounts"}, events.CompactionIntended{Trigger: "auto"}, compacted,
	} {
		log = grow(t, log, e, target.Session, "")
	}
	r := auditOf(t, log)
	if got := r.Compactions[0].Totals.Lost; got != 2 {
		t.Errorf("the first compaction lost %d, want 2", got)
	}
	if got := ids(r.WithStatus(audit.Lost)); !slices.Equal(got, []string{"prompt-6"}) {
		t.Errorf("lost now: %v, want the newest request", got)
	}
}

// The headline says what there is and nothing else.
func TestHeadline(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]audit.Totals{
		"nothing worth keeping was known":                                             {},
		"1 thing worth keeping: 1 lost":                                               {Known: 1, Lost: 1},
		"1 thing worth keeping: 1 in a file; none lost":                               {Known: 1, InFile: 1},
		"2 things worth keeping: 2 unclear":                                           {Known: 2, Unclear: 2},
		"12 things worth keeping: 10 told, 1 restored, 1 unclear; none lost":          {Known: 12, InSummary: 10, Restored: 1, Unclear: 1},
		"4 things worth keeping: 1 promoted, 1 kept by the client, 1 offered, 1 lost": {Known: 4, Promoted: 1, Kept: 1, Offered: 1, Lost: 1},
		"3 things worth keeping: 1 told, 2 reviewed; none lost":                       {Known: 3, InSummary: 1, Reviewed: 2},
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
	news := whole.News()
	told := func(c audit.Compaction) (all []string) {
		for _, it := range c.Items {
			all = append(all, it.Text+": "+string(it.Status))
		}
		return all
	}
	want := [][]string{
		{"Orders are kept in sqlite: told", "Invoices are rendered by the gateway: lost"},
		{"Orders are kept in sqlite: lost", "Retries stop after five minutes: lost"},
	}
	for i, c := range news.Compactions {
		if !slices.Equal(told(c), want[i]) {
			t.Errorf("compaction %d tells %q, want %q", i+1, told(c), want[i])
		}
		if c.Totals != whole.Compactions[i].Totals {
			t.Errorf("compaction %d counts %v, want %v", i+1, c.Totals, whole.Compactions[i].Totals)
		}
	}
	if settled := news.Compactions[1].Settled; settled != 1 {
		t.Errorf("%d settled, want 1", settled)
	}
}
