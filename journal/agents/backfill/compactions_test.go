package backfill_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/events"
	"journal/journal/agents/backfill"
)

// TestSummaryIsToldLate: a compaction that hooks reported without a summary gets it from an import: in place if nothing
// of the session follows there, else late and for that compaction (ADR-0011).
func TestSummaryIsToldLate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		commands := rapid.SliceOfN(rapid.IntRange(0, 2), 1, 6).Draw(t, "commands of each prompt")
		compacted := rapid.SliceOfN(rapid.Bool(), len(commands), len(commands)).Draw(t, "compacted after it")
		path := transcriptOf(t, dir, commands, func(i int) bool { return compacted[i] })
		var whole, log memory
		whole.add(t, whole.send, path)
		log.append(hooked(slices.DeleteFunc(slices.Clone(whole), func(e events.Envelope) bool {
			return e.Type == events.TypeOf[events.CompactionCompleted]()
		}))...)
		sum := log.add(t, log.send, path)

		var want, got []string
		for i, is := range compacted {
			if is {
				want = append(want, fmt.Sprint("summary ", i))
			}
		}
		var restarts []uint64
		last := false
		for _, e := range log {
			ev, err := events.Open(e)
			if err != nil {
				t.Fatal(err)
			}
			switch ev := ev.(type) {
			case events.ContextRestarted:
				restarts = append(restarts, e.Seq)
			case events.SummaryImported:
				if n := len(got); ev.Compaction != restarts[n] || ev.Trigger != "auto" {
					t.Errorf("%q is of #%d, want #%d", ev.Summary, ev.Compaction, restarts[n])
				}
				got = append(got, ev.Summary)
			case events.CompactionCompleted:
				last = true
				got = append(got, ev.Summary)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("summaries (-in the transcript +in the log):\n%s", diff)
		}
		if late := len(got); last && sum.Late != late-1 || !last && sum.Late != late || last != compacted[len(commands)-1] {
			t.Errorf("it says that %d of %d summaries are late", sum.Late, late)
		}
		if n := len(want); sum.Compactions != n || sum.Known != (backfill.Known{Hooked: n}) {
			t.Errorf("it says of %d compactions: %+v", n, sum.Known)
		}
		if again := log.add(t, log.send, path); again.Events != 0 {
			t.Fatalf("a second import adds %v", again.Types)
		}
	})
}

// TestCompactionAlone: a session of which hooks reported only a compaction has it once, even if it goes on and is
// imported again.
func TestCompactionAlone(t *testing.T) {
	t.Parallel()
	path := transcriptOf(t, t.TempDir(), []int{1, 1, 1, 1}, func(i int) bool { return i < 3 })
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(b), "\n")
	const prompt = 5 // rows of a prompt: itself, a call, its result, the boundary, the summary
	for _, told := range []int{1, 2, 3} {
		var whole, log memory
		whole.add(t, whole.send, path)
		var compactions []events.Envelope
		for _, e := range whole {
			if strings.HasPrefix(string(e.Type), "compaction.") || e.Type == events.TypeOf[events.ContextRestarted]() {
				compactions = append(compactions, e)
			}
		}
		facts := len(compactions) / 3
		log.append(hooked(compactions[(told-1)*facts : told*facts])...)
		for n := told * prompt; ; n = min(n+2, len(rows)) { // the transcript grows
			if err := os.WriteFile(path, []byte(strings.Join(rows[:n], "")), 0o600); err != nil {
				t.Fatal(err)
			}
			log.add(t, log.send, path)
			if again := log.add(t, log.send, path); again.Events != 0 {
				t.Fatalf("told compaction %d, %d rows: a second import adds %v", told, n, again.Types)
			}
			if n == len(rows) {
				break
			}
		}
		got := log.facts(t)
		all := slices.DeleteFunc(slices.Concat(got[session+"~1"], got[session]), func(s string) bool { return strings.HasPrefix(s, "session.") })
		if diff := cmp.Diff(whole.facts(t)[session], all); diff != "" {
			t.Errorf("told compaction %d (-in the transcript +in the log):\n%s", told, diff)
		}
	}
}
