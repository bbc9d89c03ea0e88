package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/events/eventstest"
	"journal/replay"
	"journal/replay/search"
)

func wrap(t *testing.T, seq uint64, ev events.Event) events.Envelope {
	t.Helper()
	return eventstest.Wrap(t, ev, events.Meta{ID: events.NewID(), Seq: seq, Project: "p", Session: "s"})
}

// Every word of a query has to be in one text, whatever its case, width and composition; phrases
// stand together.
func TestQuery(t *testing.T) {
	t.Parallel()
	const said = "The ＡＰＩ limits a  Token\nbucket: 속도 제한기, café"
	for query, want := range map[string]bool{
		"token limits": true, "api": true, "API": true, "tok": true, `"token bucket"`: true, "속도 제한": true,
		`"bucket token"`: false, "token missing": false, "cafe\u0301": true, `"a token" api`: true,
	} {
		_, got := search.Parse(query).In(wrap(t, 1, events.PromptSubmitted{Text: said}))
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

// A hit names the field and shows the text around the first match, cut at whole characters.
func TestHit(t *testing.T) {
	t.Parallel()
	hit, ok := search.Parse("needle").In(wrap(t, 7, events.TodosWritten{Todos: []events.Todo{{Text: "hay"}, {Text: "a needle"}}}))
	if want := "todos[1].text"; !ok || hit.Field != want || hit.Text != "a needle" || hit.Seq != 7 {
		t.Errorf("hit %+v, want field %s", hit, want)
	}
	long := strings.Repeat("한", 400) + "Needle" + strings.Repeat("語", 400)
	hit, ok = search.Parse("needle").In(wrap(t, 1, events.PromptSubmitted{Text: long}))
	if !ok || !strings.Contains(hit.Text, "Needle") || strings.ContainsRune(hit.Text, '�') || len(hit.Text) > 400 ||
		!strings.HasPrefix(hit.Text, "…") || !strings.HasSuffix(hit.Text, "…") {
		t.Errorf("around a match in a long text: %q", hit.Text)
	}
}

// The newest come first, at most so many, of the types that are asked for and no echoes.
func TestNewest(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	for i := range uint64(6) {
		log = append(log, wrap(t, i+1, events.PromptSubmitted{Text: fmt.Sprint("wish ", i+1)}))
	}
	log[5].EchoOf = 5
	log = append(log, wrap(t, 7, events.DecisionRecorded{Text: "wish 7"}))
	find := func(limit int, types ...events.Type) (seqs []uint64) {
		hits, err := search.Newest(context.Background(), log, search.Parse("wish"), limit, events.Span{}, types)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			seqs = append(seqs, h.Seq)
		}
		return seqs
	}
	for _, c := range []struct{ got, want []uint64 }{
		{find(3), []uint64{7, 5, 4}},
		{find(9), []uint64{7, 5, 4, 3, 2, 1}},
		{find(9, events.TypeOf[events.DecisionRecorded]()), []uint64{7}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
