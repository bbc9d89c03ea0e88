package search

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
)

// TestFilterHoldsNoHitBack: a filter lets through every hit in its events, in any case and width.
func TestFilterHoldsNoHitBack(t *testing.T) {
	t.Parallel()
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"LIMITER", "limiter", "Ｌｉｍｉｔｅｒ", "속도", "제한기", "caf\u00e9", "cafe\u0301", "ﬁx", "\u212aelvin", "kelvin", "Wish", "a", "wı"}),
		rapid.StringMatching(`[a-cA-C0-9_.]{1,6}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		said := strings.Join(rapid.SliceOfN(word, 1, 4).Draw(t, "said"), rapid.SampledFrom([]string{" ", "\n", ""}).Draw(t, "between"))
		e := eventstest.Wrap(t, events.CommandRan{Command: said, Error: word.Draw(t, "error")}, events.Meta{Project: "p", Session: "s"})
		if rapid.Bool().Draw(t, "unknown") {
			e.Type = "something.happened"
		}
		var m Filter
		m.Add(e)
		q := Parse(rapid.OneOf(word, rapid.Just(said), rapid.Just(strings.ToUpper(said)), rapid.Just(`"`+said+`"`)).Draw(t, "query"))
		if _, hit := q.FindIn(e); hit && len(q) > 0 && !m.mayContain(q) {
			t.Fatalf("%q stands in %q, and is held back", q, said)
		}
	})
}

// TestMeshHoldsBack: a text that is in none of the events is held back, unless by chance.
func TestMeshHoldsBack(t *testing.T) {
	t.Parallel()
	var m Filter
	m.Add(eventstest.Wrap(t, events.CommandRan{Command: "make check", Error: "속도"}, events.Meta{Project: "p", Session: "s"}))
	for said, lets := range map[string]bool{"make": true, "CHECK": true, "속도": true, "limiter": false, "제한기": false, "ma": true} {
		if m.mayContain(Parse(said)) != lets {
			t.Errorf("%q is let through: %t", said, !lets)
		}
	}
	m.Fill()
	if !m.mayContain(Parse("limiter")) {
		t.Error("what was not read is held back")
	}
}
