package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/journal/record"
	"journal/projections"
	"journal/replay/search"
)

// talks is a log of sessions of two projects that talk about the same few things.
func talks(t *testing.T, seed uint64, n int) stored {
	words := strings.Fields("rotation of refresh tokens limiter burst bucket 로그 보존 기간을 保存期間 締め切り schema migration lock heron Utrecht parseConfig")
	random := rand.New(rand.NewPCG(seed, 7))
	log := stored{name: "JOURNAL_1"}
	for i := range n {
		var said []string
		for range 1 + random.IntN(6) {
			said = append(said, words[random.IntN(len(words))])
		}
		text := strings.Join(said, " ")
		ev := []events.Event{events.PromptSubmitted{Text: text}, events.TurnEnded{Text: text}, events.DecisionRecorded{Text: text}, events.CommandRan{Command: "make", Output: text}}[random.IntN(4)]
		session := random.IntN(40)
		log.add(t, ev, events.Meta{ID: events.DerivedID("talks", fmt.Sprint(i)), Project: fmt.Sprint("p", session%2), Session: fmt.Sprint("s", session), At: int64(random.IntN(n) + 1)})
	}
	return log
}

func keepWords(t *testing.T, dir string, log catalogue.Log, on func() bool) {
	t.Helper()
	k := catalogue.Keeper{Dir: dir, Log: log, Config: func() projections.Config { return projections.Config{} }}
	if err := k.KeepWords(t.Context(), 1, on); err != nil {
		t.Fatal(err)
	}
}

func always() bool { return true }

// answered returns the results of some searches in a log, with the files in a directory, which is empty for none.
func answered(t *testing.T, dir string, log stored) (all []search.Ranking) {
	t.Helper()
	index, end := catalogue.Words(t.Context(), dir, log)
	defer end()
	for _, question := range []string{"how did we rotate the refresh token", "보존 기간", "保存期間はどう決めた", "limitre burst", "utrecht", "parse config", "nothing known here"} {
		for _, o := range []struct {
			search.Options
			in []events.Selector
		}{
			{}, {in: []events.Selector{{Project: "p1"}}}, {in: []events.Selector{{Project: "p0", Session: "s4"}}},
			{Options: search.Options{Types: []events.Type{"decision.recorded"}}}, {Options: search.Options{Since: time.Unix(0, 200)}},
		} {
			o.Question, o.Limit, o.Index = search.Ask(question), 6, index
			r, err := o.Rank(t.Context(), log, uint64(len(log.records)), o.in...)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
	}
	return all
}

// keptUntil returns the sequence of the newest record whose words are stored, 0 if none are.
func keptUntil(t *testing.T, dir string, log stored) uint64 {
	open, end := catalogue.Words(t.Context(), dir, log)
	defer end()
	if w := open(); w != nil {
		return w.Until()
	}
	return 0
}

// A search finds the same with the stored words as without, wherever these end.
func TestQuestions(t *testing.T) {
	t.Parallel()
	log, dir := talks(t, 1, 600), t.TempDir()
	want := answered(t, "", log)
	equal := func(what string) {
		t.Helper()
		if diff := cmp.Diff(want, answered(t, dir, log)); diff != "" {
			t.Fatalf("%s (-without +with):\n%s", what, diff)
		}
	}
	for _, n := range []int{50, 64, 300, 600} {
		keepWords(t, dir, log.first(n), always)
		if until := keptUntil(t, dir, log); until != uint64(n/search.RowSpan*search.RowSpan) {
			t.Fatalf("kept up to %d of %d", until, n)
		}
		equal(fmt.Sprint("with words up to ", n))
	}
	path := filepath.Join(dir, catalogue.WordsName)
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the words: %v, %v", fi.Mode(), err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{"empty": {}, "half": whole[:len(whole)/2], "of another program": []byte("SQLite format 3 of another program")}
	for at := 20; at < len(whole); at += len(whole)/6 + 1 {
		flipped := append([]byte(nil), whole...)
		flipped[at] ^= 16
		damaged[fmt.Sprint("with a flipped bit in byte ", at)] = flipped
	}
	for what, b := range damaged {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		equal(what)
	}
	for _, other := range []stored{{log.Slice, log.records, "JOURNAL_2"}, talks(t, 2, 600)} {
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if keptUntil(t, dir, other) > 0 {
			t.Error("the words of another log are used")
		}
		keepWords(t, dir, other, always) // finds it out
		keepWords(t, dir, log, always)
		equal("made anew")
	}
}

// A log that cannot be read now, because its owner leaves or the disk fails, does not cost the words that are there.
func TestWordsOfAnUnreadLog(t *testing.T) {
	t.Parallel()
	log, dir := talks(t, 1, 600), t.TempDir()
	keepWords(t, dir, log.first(300), always)
	for _, reason := range []error{context.Canceled, syscall.EIO} {
		k := catalogue.Keeper{Dir: dir, Log: unread{log, reason}}
		if err := k.KeepWords(t.Context(), 1, always); !errors.Is(err, reason) {
			t.Errorf("%v: error %v", reason, err)
		}
		if keptUntil(t, dir, log) == 0 {
			t.Errorf("%v: the words are gone", reason)
		}
	}
}

// unread is a log whose records cannot be read.
type unread struct {
	stored
	reason error
}

func (l unread) Messages(context.Context, events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) { yield(record.Record{}, l.reason) }
}

// A search reads only the spans whose filters may have its words, wherever the writer has stopped.
func TestFilters(t *testing.T) {
	t.Parallel()
	log, dir := stored{name: "JOURNAL_1"}, t.TempDir()
	for i := range 3*search.FilterSpan + 500 {
		log.add(t, events.CommandRan{Command: fmt.Sprintf("run word%dx", i)}, events.Meta{ID: events.DerivedID("spoken", fmt.Sprint(i)), Project: "p", Session: "s"})
	}
	for _, n := range []int{700, 1100, len(log.records)} {
		keepWords(t, dir, log.first(n), always)
	}
	index, end := catalogue.Words(t.Context(), dir, log)
	defer end()
	var want []*search.Filter
	for i, e := range log.Slice[:3*search.FilterSpan] {
		if i%search.FilterSpan == 0 {
			want = append(want, &search.Filter{})
		}
		want[len(want)-1].Add(e)
	}
	if got := index().Filters(0, 1<<20); !slices.EqualFunc(want, got, func(a, b *search.Filter) bool { return *a == *b }) {
		t.Errorf("%d filters, which are not those of the events", len(got))
	}
	o := search.Options{Query: search.Parse("word1500x"), Limit: 3, Index: index}
	if found, err := o.Search(t.Context(), log, events.Span{Until: uint64(len(log.records))}); err != nil || len(found.Hits) != 1 || found.Hits[0].Seq != 1501 {
		t.Errorf("found %v, error %v", found, err)
	}
}
