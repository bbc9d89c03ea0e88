package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// messages encodes n prompts that are in no log yet.
func messages(t testing.TB, n int) (all []record.Record, es []events.Envelope) {
	t.Helper()
	for i := range n {
		e := eventstest.Wrap(t, events.PromptSubmitted{Text: fmt.Sprint("wish ", i)}, events.Meta{Project: "p", Session: "s", At: int64(i + 1)})
		b, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record.Record{Subject: journal.Subject(e.Meta), ID: e.ID, Data: b})
		es = append(es, e)
	}
	return all, es
}

// Below ten messages nothing is a batch; above, everything is one.
func TestABatchIsStoredInItsOrder(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	want := prompts(t, l, 1)
	for _, n := range []int{0, 1, 9, 10, 300, journal.MaxBatch} {
		ms, es := messages(t, n)
		last, err := l.StoreBatch(t.Context(), ms)
		if err != nil {
			t.Fatalf("%d messages: %v", n, err)
		}
		for i := range es {
			es[i].Seq = uint64(len(want) + 1)
			want = append(want, es[i])
		}
		if n > 0 && last != uint64(len(want)) {
			t.Errorf("%d messages end at %d, want %d", n, last, len(want))
		}
	}
	got, err := eventstest.All(l.Events(t.Context(), events.Span{}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("read back (-stored +read):\n%s", d)
	}
}

// After a lost answer the batch is stored again with the same ids.
func TestABatchStoredAgainChangesNothing(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	for _, n := range []int{5, 50} {
		ms, _ := messages(t, n)
		first, err := l.StoreBatch(t.Context(), ms)
		if err != nil {
			t.Fatal(err)
		}
		again, err := l.StoreBatch(t.Context(), ms)
		if err != nil || again != first {
			t.Errorf("%d messages again: last %d, error %v; want last %d", n, again, err, first)
		}
	}
	if st, _ := l.Stats(t.Context()); st.Events != 55 {
		t.Errorf("%d events, want 55", st.Events)
	}
}

func TestABatchThatCannotBeStoredStoresNothing(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	tooMany, _ := messages(t, journal.MaxBatch+1)
	tooLarge, _ := messages(t, 20)
	for i := range tooLarge {
		tooLarge[i].Data = make([]byte, journal.MaxBatchBytes/20+1)
	}
	noID, _ := messages(t, 20)
	noID[12].ID = "not an id"
	stranger, _ := messages(t, 20)
	stranger[12].Subject = "elsewhere.p.s.prompt.submitted"
	for name, ms := range map[string][]record.Record{
		"too many": tooMany, "too large": tooLarge, "no id": noID, "not a subject of the log": stranger,
	} {
		if _, err := l.StoreBatch(t.Context(), ms); err == nil {
			t.Errorf("%s: no error", name)
		}
		if st, err := l.Stats(t.Context()); err != nil || st.Events != 0 {
			t.Fatalf("%s: %d events, error %v; want none", name, st.Events, err)
		}
	}
}

// A message without an id keeps its place, in a batch or alone, and is not an event.
func TestABatchWithAMessageThatIsNoEvent(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	for _, n := range []int{3, 30} {
		ms, _ := messages(t, n)
		ms[1].ID, ms[1].Data = "", []byte("stray")
		if _, err := l.StoreBatch(t.Context(), ms); err != nil {
			t.Fatal(err)
		}
	}
	got, err := eventstest.All(l.Events(t.Context(), events.Span{}))
	if err != nil || len(got) != 31 || got[1].Seq != 3 || got[30].Seq != 33 {
		t.Errorf("read %v, %v", seqs(got), err)
	}
}

func TestTheNewestEpochIsTheLog(t *testing.T) {
	t.Parallel()
	_, js := newServer(t, ownertest.Dir(t))
	for _, epoch := range []int{0, -3} {
		if _, err := journal.CreateEpoch(t.Context(), js, epoch); err == nil {
			t.Errorf("epoch %d: no error", epoch)
		}
	}
	made, err := journal.CreateEpoch(t.Context(), js, 12)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	if journal.Epoch(made.Stream()) != 12 || opened.Stream() != made.Stream() {
		t.Errorf("made %s, opened %s; want epoch 12 twice", made.Stream(), opened.Stream())
	}
	for _, name := range []string{"JOURNAL_012", "JOURNAL_", "JOURNAL_x", "journal_1", "1", strings.Repeat("9", 40)} {
		if n := journal.Epoch(name); n != 0 {
			t.Errorf("stream %q is epoch %d, want none", name, n)
		}
	}
}
