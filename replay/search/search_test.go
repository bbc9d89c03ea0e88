package search_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/replay"
	"journal/replay/search"
)

func wrap(t *testing.T, seq uint64, ev events.Event) events.Envelope {
	t.Helper()
	return eventstest.Wrap(t, ev, events.Meta{ID: events.NewID(), Seq: seq, Project: "p", Session: "s"})
}

// TestQuery: every word of a query must be in one text, in any case, width and composition; phrases must be contiguous.
func TestQuery(t *testing.T) {
	t.Parallel()
	const said = "The ＡＰＩ limits a  Token\nbucket: 속도 제한기, café"
	for query, want := range map[string]bool{
		"token limits": true, "api": true, "API": true, "tok": true, `"token bucket"`: true, "속도 제한": true,
		`"bucket token"`: false, "token missing": false, "cafe\u0301": true, `"a token" api`: true,
	} {
		_, got := search.Parse(query).FindIn(wrap(t, 1, events.PromptSubmitted{Text: said}))
		if got != want {
			t.Errorf("%s: found %v, want %v", query, got, want)
		}
	}
	for _, empty := range []string{"", "  ", `""`, `" "`} {
		if q := search.Parse(empty); len(q) != 0 {
			t.Errorf("%q is the query %q", empty, q)
		}
	}
}

// TestHit: a hit names the field and shows the text around the first match, cut at whole characters.
func TestHit(t *testing.T) {
	t.Parallel()
	hit, ok := search.Parse("needle").FindIn(wrap(t, 7, events.TodosWritten{Todos: []events.Todo{{Text: "hay"}, {Text: "a needle"}}}))
	if want := "todos[1].text"; !ok || hit.Field != want || hit.Text != "a needle" || hit.Seq != 7 {
		t.Errorf("hit %+v, want field %s", hit, want)
	}
	long := strings.Repeat("한", 400) + "Needle" + strings.Repeat("語", 400)
	hit, ok = search.Parse("needle").FindIn(wrap(t, 1, events.PromptSubmitted{Text: long}))
	if !ok || !strings.Contains(hit.Text, "Needle") || strings.ContainsRune(hit.Text, '�') || len(hit.Text) > 400 ||
		!strings.HasPrefix(hit.Text, "…") || !strings.HasSuffix(hit.Text, "…") {
		t.Errorf("around a match in a long text: %q", hit.Text)
	}
}

// TestIn: whole words come before parts of words, newest first, within the limit, and all are counted; only the given
// types and time, and no echoes.
func TestIn(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	for i := range uint64(6) {
		said := "wish"
		if i%2 == 1 {
			said = "wishes"
		}
		e := wrap(t, i+1, events.PromptSubmitted{Text: said})
		e.At = int64(i) * int64(time.Hour)
		log = append(log, e)
	}
	log[5].EchoOf = 5
	decided := wrap(t, 7, events.DecisionRecorded{Text: "the wish"})
	decided.At = int64(7*time.Hour + time.Millisecond)
	log = append(log, decided)
	log[4].At = int64(7 * time.Hour) // in the same second, and its text is without a fraction
	for name, c := range map[string]struct {
		options search.Options
		want    []uint64
		total   int
	}{
		"all":      {search.Options{Limit: 9}, []uint64{7, 5, 3, 1, 4, 2}, 6},
		"some":     {search.Options{Limit: 2}, []uint64{7, 5}, 6},
		"of parts": {search.Options{Limit: 5}, []uint64{7, 5, 3, 1, 4}, 6},
		"a type":   {search.Options{Limit: 9, Types: []events.Type{events.TypeOf[events.DecisionRecorded]()}}, []uint64{7}, 1},
		"a time":   {search.Options{Limit: 9, Since: time.Unix(0, int64(3*time.Hour))}, []uint64{7, 5, 4}, 3},
	} {
		c.options.Query = search.Parse("wish")
		found, err := c.options.Search(t.Context(), log, events.Span{})
		if err != nil {
			t.Fatal(err)
		}
		var seqs []uint64
		for _, h := range found.Hits {
			seqs = append(seqs, h.Seq)
		}
		if diff := cmp.Diff(c.want, seqs); diff != "" || found.Total != c.total {
			t.Errorf("%s: %d in all, want %d (-want +got):\n%s", name, found.Total, c.total, diff)
		}
	}
}

// TestWholeWords: a word is whole between characters that are not in words; Korean and Japanese words have no visible
// ends.
func TestWholeWords(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]map[string]bool{
		"the rate-limiter, tested": {"rate": true, "limit": false, "limiter": true, "est": false, `"rate-limiter, tested"`: true, "the limit": false},
		"rate_limiter rates rate":  {"rate": true, "rates": true, "limiter": false},
		"속도 제한기를 넣는다":              {"제한기": true, "제한": true},
		"a  line\nand another":     {`"line and"`: true},
	} {
		for query, whole := range want {
			hit, ok := search.Parse(query).FindIn(wrap(t, 1, events.PromptSubmitted{Text: said}))
			if !ok || hit.Whole != whole {
				t.Errorf("%s in %q: found %v, whole %v", query, said, ok, hit.Whole)
			}
		}
	}
	// Of two matching texts, the one with the whole word is shown.
	hit, _ := search.Parse("go").FindIn(wrap(t, 1, events.TodosWritten{Todos: []events.Todo{{Text: "goal"}, {Text: "go on"}}}))
	if hit.Text != "go on" || hit.Match != 0 {
		t.Errorf("%+v", hit)
	}
}

// TestMatch: Match is where the first word begins in the shown text, even if folding changes lengths or the text is
// cut.
func TestMatch(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ query, said, at string }{
		"at the beginning":   {"needle", "needle in hay", "needle"},
		"in the middle":      {"needle", "hay  hay\nneedle hay", "needle hay"},
		"of two the first":   {"needle hay", "hay needle hay", "needle"},
		"at the end":         {"needle", "hay needle", "needle"},
		"in a long text":     {"needle", strings.Repeat("hay ", 300) + "needle" + strings.Repeat(" hay", 300), "needle"},
		"its beginning":      {"needle", "needle" + strings.Repeat(" hay", 300), "needle"},
		"its end":            {"needle", strings.Repeat("hay ", 300) + "needle", "needle"},
		"near its beginning": {"needle", strings.Repeat("hay ", 40) + "needle" + strings.Repeat(" hay", 300), "needle"},
	} {
		hit, ok := search.Parse(tc.query).FindIn(wrap(t, 1, events.PromptSubmitted{Text: tc.said}))
		if !ok || hit.Match < 0 || hit.Match > len(hit.Text) || !strings.HasPrefix(hit.Text[hit.Match:], tc.at) {
			t.Errorf("%s: at %d of %q", name, hit.Match, hit.Text)
			continue
		}
		before, after := strings.HasPrefix(hit.Text, "…"), strings.HasSuffix(hit.Text, "…")
		said := strings.Join(strings.Fields(tc.said), " ")
		shown := strings.TrimSuffix(strings.TrimPrefix(hit.Text, "…"), "…")
		if before == strings.HasPrefix(said, shown) || after == strings.HasSuffix(said, shown) {
			t.Errorf("%s: %q does not show where it is cut", name, hit.Text)
		}
		if room := 160; len(said) > 2*room && before && after && (len(shown) < 2*room || len(shown) > 2*room+len(tc.query)) {
			t.Errorf("%s: %d bytes are shown", name, len(shown))
		}
	}
}

// TestUnreadable: unreadable events are skipped, types of later versions have their texts, and an error of the source
// ends the search.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	broken := wrap(t, 1, events.PromptSubmitted{Text: "a needle"})
	broken.Body = []byte{0xc1, 0xff}
	later := wrap(t, 2, events.PromptSubmitted{Text: "a needle"})
	later.Version = 99
	log := replay.Slice{broken, later, wrap(t, 3, events.PromptSubmitted{Text: "hay"}), wrap(t, 4, events.PromptSubmitted{Text: "needles"})}
	options := search.Options{Query: search.Parse("needle"), Limit: 9}
	found, err := options.Search(t.Context(), log, events.Span{})
	if err != nil {
		t.Fatal(err)
	}
	var seqs []uint64
	for _, h := range found.Hits {
		seqs = append(seqs, h.Seq)
	}
	if diff := cmp.Diff([]uint64{2, 4}, seqs); diff != "" || found.Total != 2 {
		t.Errorf("of %d (-want +got):\n%s", found.Total, diff)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if found, err := options.Search(ctx, torn{}, events.Span{}); err == nil || len(found.Hits) != 0 {
		t.Errorf("a torn source gives %v, %v", found, err)
	}
	n := 0
	for h, err := range options.Each(ctx, torn{}, events.Span{}) {
		if n++; err == nil || h != (search.Hit{}) {
			t.Errorf("a torn source gives %v, %v", h, err)
		}
	}
	if n != 1 {
		t.Errorf("a torn source gives %d things", n)
	}
	for range options.Each(ctx, log, events.Span{}) {
		break // a caller that has enough gets no more
	}
}

// torn is a source that yields an error, twice.
type torn struct{ replay.Slice }

func (torn) Events(context.Context, events.Span, ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for range 2 {
			if !yield(events.Envelope{}, errors.New("torn")) {
				return
			}
		}
	}
}
