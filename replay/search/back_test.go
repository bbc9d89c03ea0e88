package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/replay"
	"journal/replay/search"
)

// looked returns what a pass over everything finds, event by event, without filters.
func looked(o search.Options, log replay.Slice) (hits []search.Hit) {
	var whole, parts []search.Hit
	for i := len(log) - 1; i >= 0; i-- {
		e := log[i]
		if e.EchoOf != 0 {
			continue
		}
		switch h, ok := o.Query.FindIn(e); {
		case ok && h.Whole:
			whole = append(whole, h)
		case ok:
			parts = append(parts, h)
		}
	}
	hits = append(whole, parts...)
	return hits[:min(len(hits), o.Limit)]
}

// meshed returns the meshes of the whole stretches of a log.
func meshed(log replay.Slice) []*search.Filter {
	all := make([]*search.Filter, len(log)/search.FilterSpan)
	for i := range all {
		all[i] = &search.Filter{}
	}
	for _, e := range log[:len(all)*search.FilterSpan] {
		all[(e.Seq-1)/search.FilterSpan].Add(e)
	}
	return all
}

// filters is an index of filters alone.
type filters struct {
	search.Index
	all []*search.Filter
}

func (f filters) Filters(from, to uint64) []*search.Filter {
	n := uint64(len(f.all))
	return f.all[min(from, n):min(to, n)]
}

// TestHitsAreThoseOfAFullPass: the hits are those of a pass over everything, although the search starts with the
// newest, stops when it has enough, and looks at stored bytes first.
func TestHitsAreThoseOfAFullPass(t *testing.T) {
	t.Parallel()
	words := []string{
		"wish", "Wishes", "wishbone", "ＷＩＳＨ", "wıs", "wi\nsh", "the rate", "LIMITER", "속도 제한기", "caf\u00e9", "cafe\u0301", "ﬁx", "\u212aelvin", "fix", "kelvin",
		strings.Repeat("long ", 40),
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{5, 40, 9000, 30_000}).Draw(t, "events")
		every := rapid.IntRange(1, 3000).Draw(t, "every")
		say := rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "said")
		said := eventstest.Wrap(t, events.CommandRan{Command: strings.Join(say, " "), Outcome: "ok", Exit: 3}, events.Meta{Project: "p", Session: "s"})
		other := eventstest.Wrap(t, events.PromptSubmitted{Text: rapid.SampledFrom(words).Draw(t, "other")}, events.Meta{Project: "p", Session: "s"})
		silent := eventstest.Wrap(t, events.TurnEnded{}, events.Meta{Project: "p", Session: "s"})
		unknown := silent
		unknown.Type, unknown.Body = "something.happened", said.Body
		log := make(replay.Slice, n)
		for i := range log {
			switch {
			case i%every == 0:
				log[i] = said
			case i%every == 1:
				log[i] = other
			case i%every == 2:
				log[i] = unknown
			default:
				log[i] = silent
			}
			if log[i].Seq = uint64(i + 1); i%7 == 6 {
				log[i].EchoOf = uint64(i)
			}
		}
		query := rapid.SampledFrom(append(words, "is", `"the rate"`, "wish limiter", "k")).Draw(t, "query")
		o := search.Options{Query: search.Parse(query), Limit: rapid.SampledFrom([]int{1, 3, 50}).Draw(t, "limit")}
		if rapid.Bool().Draw(t, "meshes") {
			all := meshed(log[:n-n/rapid.IntRange(2, 9).Draw(t, "not yet")])
			o.Index = func() search.Index { return filters{all: all} }
		}
		found, err := o.Search(t.Context(), log, events.Span{Until: uint64(n)})
		if err != nil {
			t.Fatal(err)
		}
		want := looked(o, log)
		if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(found.Hits)); diff != "" {
			t.Fatalf("%s (-full pass +search):\n%s", query, diff)
		}
	})
}
