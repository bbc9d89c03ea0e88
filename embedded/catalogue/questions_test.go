package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/embedded/catalogue"
	"journal/events"
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

func keepQuestions(t *testing.T, dir string, log catalogue.Log, on func() bool) {
	t.Helper()
	k := catalogue.Keeper{Dir: dir, Log: log, Config: func() projections.Config { return projections.Config{} }}
	if err := k.KeepQuestions(t.Context(), 1, on); err != nil {
		t.Fatal(err)
	}
}

func always() bool { return true }

// answered returns what questions find in a log, with what is kept in a directory; empty for nothing.
func answered(t *testing.T, dir string, log stored) (all []search.Ranking) {
	t.Helper()
	for _, question := range []string{"how did we rotate the refresh token", "보존 기간", "保存期間はどう決めた", "limitre burst", "utrecht", "parse config", "nothing known here"} {
		for _, sel := range [][]events.Selector{nil, {{Project: "p1"}}, {{Project: "p0", Session: "s4"}}} {
			o := search.Options{Limit: 6, Index: func() search.Index { return catalogue.Questions(t.Context(), dir, log) }}
			r, err := o.Sessions(t.Context(), search.Ask(question), log, uint64(len(log.records)), sel...)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
	}
	return all
}

// A question finds the same with the words that are kept and without, wherever they end.
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
		keepQuestions(t, dir, log.first(n), always)
		q := catalogue.Questions(t.Context(), dir, log)
		if until := q.Until(); until != uint64(n/search.RowSpan*search.RowSpan) {
			t.Fatalf("kept up to %d of %d", until, n)
		}
		q.Close()
		equal(fmt.Sprint("with words up to ", n))
	}
	path := filepath.Join(dir, catalogue.QuestionsName)
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the words: %v, %v", fi.Mode(), err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{"empty": {}, "half": whole[:len(whole)/2], "of another program": []byte("SQLite format 3 of another program")}
	for at := 20; at < len(whole); at += len(whole)/12 + 1 {
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
		if q := catalogue.Questions(t.Context(), dir, other); q != nil {
			q.Close()
			t.Error("the words of another log are used")
		}
		keepQuestions(t, dir, other, always) // finds it out
		keepQuestions(t, dir, log, always)
		equal("made anew")
	}
}
