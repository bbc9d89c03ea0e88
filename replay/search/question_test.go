package search_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/replay"
	"journal/replay/search"
)

// TestAsk: the forms of a word are one term in each language, and words that every text has are none.
func TestAsk(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"retry", "retries", "retried", "retrying", "Retry"},
		{"rotate", "rotation", "rotating", "rotated", "rotates"},
		{"cookie", "cookies"}, {"decision", "decisions"}, {"limiter", "limit", "limits", "limiting"}, {"run", "runs", "running"},
		{"cache", "caches", "cached", "caching"}, {"class", "classes"}, {"deploy", "deployment", "deployed"}, {"ＡＰＩ", "api"},
		{"제한", "제한을", "제한은", "제한에서"}, {"로그", "로그를", "로그의"}, {"保存", "保存"},
	} {
		for _, word := range same[1:] {
			if diff := cmp.Diff(search.Ask(same[0]), search.Ask(word)); diff != "" {
				t.Errorf("%s and %s (-want +got):\n%s", same[0], word, diff)
			}
		}
	}
	if q := search.Ask("What did we have with it?"); len(q) != 0 {
		t.Errorf("the question %q", q)
	}
	if diff := cmp.Diff(search.Question{"mergerecord", "merg", "record"}, search.Ask("mergeRecords merge_records")); diff != "" {
		t.Errorf("a name in camel case (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Tokens", "rotates"}, search.Ask("rotation of a token").Words("Tokens: it rotates.")); diff != "" {
		t.Errorf("words to mark (-want +got):\n%s", diff)
	}
}

// mixed is a source that yields events in an order of its own.
type mixed replay.Slice

func (m mixed) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return replay.Slice(m).Events(ctx, span, sel...)
}

// TestSessionsWhateverTheOrder: the ranking is a function of the events, and not of the order in which they are read; no session is
// found that has no word of the question in any form, and none is left out.
func TestSessionsWhateverTheOrder(t *testing.T) {
	t.Parallel()
	words := []string{"token", "tokens", "rotates", "rotation", "gate", "green", "limiter", "속도", "제한을", "제한은", "保存する", "締め切り", "the", "of", "ｔｏｋｅｎ", "roattion", "ﬁx"}
	rapid.Check(t, func(t *rapid.T) {
		var log replay.Slice
		said := map[string]string{}
		for i := range rapid.IntRange(1, 60).Draw(t, "events") {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(t, "said"), " ")
			ev := rapid.SampledFrom([]events.Event{
				events.PromptSubmitted{Text: text}, events.TurnEnded{Text: text}, events.DecisionRecorded{Text: text}, events.CommandRan{Command: "make", Output: text},
			}).Draw(t, "event")
			session := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "session")
			said[session] += " " + text
			log = append(log, eventstest.Wrap(t, ev, events.Meta{Seq: uint64(i + 1), Project: "p", Session: session, At: int64(rapid.IntRange(0, 9).Draw(t, "at"))}))
		}
		q := search.Ask(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(t, "question"), " "))
		o := search.Options{Question: q, Limit: 9}
		want, err := o.Rank(t.Context(), log, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Rank(t.Context(), mixed(rapid.Permutation(log).Draw(t, "order")), 0)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%q in another order: %v (-want +got):\n%s", q, err, diff)
		}
		for session, text := range said {
			found := slices.ContainsFunc(want.Sessions, func(s search.Session) bool { return s.Session == session })
			has := slices.ContainsFunc(search.Ask(text), func(term string) bool { return slices.Contains(q, term) })
			if has && !found {
				t.Fatalf("%q is not found in session %s: %s", q, session, text)
			}
		}
	})
}

// TestNewestOfAlike: of sessions about the same thing the newest comes first, though an older one has more of the words.
func TestNewestOfAlike(t *testing.T) {
	t.Parallel()
	texts := [][2]string{
		{"old", "duplicate contacts after a sync run: merge records by email, keep the newer duplicate contact"},
		{"other", "duplicate lines in the printed report of the warehouse"},
		{"new", "amendment of the merge of contacts: by email keep the fuller of two duplicate records"},
	}
	var log replay.Slice
	for i, one := range texts {
		log = append(log, eventstest.Wrap(t, events.PromptSubmitted{Text: one[1]}, events.Meta{Seq: uint64(i + 1), Project: "p", Session: one[0], At: int64(i)}))
	}
	r, err := search.Options{Question: search.Ask("after a sync run duplicate contacts show up in the merged records"), Limit: 9}.Rank(t.Context(), log, 0)
	if err != nil || len(r.Sessions) != 3 || r.Sessions[0].Session != "new" || r.Sessions[1].Session != "old" {
		t.Errorf("found %+v, %v", r, err)
	}
}
