package audit_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"journal/events"
	"journal/replay"
	"journal/replay/audit"
	"journal/replay/recovery"
)

func statuses(t testing.TB, log replay.Slice, compaction int) map[string]audit.Status {
	t.Helper()
	m := map[string]audit.Status{}
	for _, it := range auditOf(t, log).Compactions[compaction].Items {
		m[it.ID] = it.Status
	}
	return m
}

// TestPreview: of a text that the client cut to a preview only the items in the
// preview arrived (ADR-0010 rule 5).
func TestPreview(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	add := func(e events.Event) { log = grow(t, log, e, target.Session, "") }
	var todos []events.Todo
	for i := range 60 {
		todos = append(todos, events.Todo{Text: fmt.Sprintf("paint the gate of %s plot %d", strings.Repeat("long", 20), i), Status: "pending"})
	}
	add(events.TodosWritten{Todos: todos})
	add(events.CompactionCompleted{Summary: "Nothing of note."})
	log, text := given(t, log, recovery.Limit{})
	last := "todo-1.60"
	preview := min(500, text.Units/2)
	for _, c := range []struct {
		name   string
		digest string
		want   audit.Status
	}{{"same", text.Digest, audit.Restored}, {"another text", "0", audit.Offered}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := statuses(t, grow(t, log[:len(log):len(log)], events.DeliveryConfirmed{Recovery: uint64(len(log)), Digest: c.digest, Preview: preview}, target.Session, ""), 0)
			if got["todo-1.1"] != c.want || got[last] != audit.Offered {
				t.Errorf("in the preview %s, want %s; behind it %s (%s)", got["todo-1.1"], c.want, got[last], last)
			}
		})
	}
}

// TestLateReceipt: a receipt that comes after the next compaction is one of the
// compaction whose text it names (ADR-0010 rule 5).
func TestLateReceipt(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	for _, e := range []events.Event{
		events.PromptSubmitted{Text: "sort the seeds"},
		events.CompactionCompleted{Summary: "Nothing of note."},
		events.RecoveryGiven{Compaction: 1, Digest: "d", Items: []string{"prompt-1"}},
		events.CommandRan{Command: "ls"},
		events.CompactionCompleted{Summary: "Nothing of note."},
	} {
		log = grow(t, log, e, target.Session, "")
	}
	for compaction, late := range []bool{true, true, false} { // 0 names none
		receipt := events.DeliveryConfirmed{Recovery: 3, Digest: "d", Whole: true, Compaction: compaction}
		log := grow(t, log[:len(log):len(log)], receipt, target.Session, "")
		first, second := statuses(t, log, 0)["prompt-1"], statuses(t, log, 1)["prompt-1"]
		if (first == audit.Restored) != late || second != audit.Lost {
			t.Errorf("a receipt of compaction %d: %s and %s", compaction, first, second)
		}
	}
}

// TestLateSummary: a summary that an import tells late is of the compaction that it names.
func TestLateSummary(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	for _, e := range []events.Event{
		events.PromptSubmitted{Text: "sort the seeds"},
		events.ContextRestarted{},
		events.CommandRan{Command: "ls"},
		events.ContextRestarted{},
		events.CommandRan{Command: "ls"},
		events.SummaryImported{Compaction: 2, Summary: "The person asked to sort the seeds."},
		events.SummaryImported{Compaction: 4, Summary: "Nothing of note."},
	} {
		log = grow(t, log, e, target.Session, "")
	}
	r := auditOf(t, log)
	if len(r.Compactions) != 2 || r.Compactions[0].SummarySeq != 6 || r.Compactions[1].SummarySeq != 7 {
		t.Fatalf("compactions %+v", r.Compactions)
	}
	if first, second := statuses(t, log, 0)["prompt-1"], statuses(t, log, 1)["prompt-1"]; first != audit.InSummary || second != audit.Lost {
		t.Errorf("%s and %s, want in_summary and lost", first, second)
	}
}

// TestOnDisk: what the file's newest observation does not hold any more is lost
// for the compaction after which it went (ADR-0007 rule 7).
func TestOnDisk(t *testing.T) {
	t.Parallel()
	note := func(headings ...string) events.FileObserved {
		o := events.FileObserved{Path: "notes/flow.md", Kind: events.FlowFile, Digest: strings.Join(headings, "+")}
		for _, h := range headings {
			o.Entries = append(o.Entries, events.Entry{Heading: h, Text: "the tide comes in at " + h})
		}
		return o
	}
	log := replay.Slice{}
	for _, e := range []events.Event{
		note("noon", "dusk"), events.CompactionCompleted{Summary: "Nothing of note."}, note("noon"),
	} {
		log = grow(t, log, e, target.Session, "")
	}
	got := statuses(t, log, 0)
	if got["flow-1.1"] != audit.InFile || got["flow-1.2"] != audit.Lost {
		t.Errorf("%v, want the first on disk and the second lost", got)
	}
}

// long is a session of some thousand events with a few compactions.
func long(t testing.TB, n, compactions int) replay.Slice {
	var log replay.Slice
	add := func(e events.Event) { log = grow(t, log, e, target.Session, "") }
	for i := range n {
		switch i % 5 {
		case 0:
			add(events.PromptSubmitted{Text: fmt.Sprintf("please look at module %d and tell why import %d of it is slow", i/50, i)})
		case 1:
			add(events.FileWritten{Path: fmt.Sprintf("/home/dev/app/module%d/file%d.go", i%70, i%600), Op: "edit"})
		case 2:
			add(events.CommandRan{Command: fmt.Sprintf("go test ./module%d -run Test%d", i%70, i), Failed: i%4 == 0, Error: fmt.Sprintf("want %d, got 0", i)})
		case 3:
			add(events.DecisionRecorded{Text: fmt.Sprintf("module %d keeps its table in memory up to %d rows", i%70, i)})
		default:
			add(events.FileRead{Path: fmt.Sprintf("/home/dev/app/module%d/doc%d.md", i%70, i%400)})
		}
		if i%(n/compactions) == n/compactions-1 {
			var b strings.Builder
			for j := 0; j < i; j += 97 {
				fmt.Fprintf(&b, "- module%d/file%d.go: looked at import %d, %d rows in memory.\n", j%70, j%600, j, j)
			}
			add(events.CompactionCompleted{Summary: b.String()})
		}
	}
	return log
}

// BenchmarkAudit is a session of 5,000 events with 5 compactions.
func BenchmarkAudit(b *testing.B) {
	log := long(b, 5000, 5)
	for b.Loop() {
		auditOf(b, log)
	}
}

// FuzzMatch: whatever summary and item hold, an audit ends, and what it quotes
// stands in the summary.
func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{
		{"<summary>use port 8080</summary>", "use port 8080"}, {"</analysis>[redacted:token", "[redacted:token] x y"},
		{"점수는 정수로 저장한다", "점수는 정수로 저장"}, {"ﾊﾞｯﾁ を 止める", "バッチを止める"}, {"\xff\u1100\u1161 a/b.go", "/x/a/b.go"}, {"", "\u3099"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, summary, text string) {
		log := replay.Slice{}
		for _, e := range []events.Event{
			events.PromptSubmitted{Text: text}, events.FileRead{Path: text}, events.CommandRan{Command: text},
			events.CommandRan{Command: text + " x", Failed: true, Error: text}, events.CompactionCompleted{Summary: summary},
		} {
			log = grow(t, log, e, target.Session, "")
		}
		for _, it := range auditOf(t, log).Compactions[0].Items {
			if m := it.Evidence.Match; m != nil && (summary[m.From:m.To] != m.Quote || m.Quote == "" && utf8.ValidString(summary)) {
				t.Errorf("%s: %+v", it.ID, m)
			}
		}
	})
}
