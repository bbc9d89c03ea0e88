package recovery_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"journal/events"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

// TestDecisionsOfOthers: others' decisions follow one's own, each once, within the limit, and remove nothing that the
// log alone gives.
func TestDecisionsOfOthers(t *testing.T) {
	t.Parallel()
	r := recoverFrom(t, events.DecisionRecorded{Text: "blue"}, events.DecisionRecorded{Text: "brass"})
	theirs := []knowledge.Colleague{{Name: "alice", Seq: 26, At: 1, Text: "green"}, {Name: "bob", Seq: 26, At: 2, Text: "blue"}}
	for range 100 {
		theirs = append(theirs, knowledge.Colleague{Name: "carol", Seq: 7, Text: strings.Repeat("w ", 100) + strconv.Itoa(len(theirs))})
	}
	before := slices.Clone(r.Items)
	with := r.With(theirs)
	if !slices.EqualFunc(before, r.Items, func(a, b knowledge.Item) bool { return a.ID() == b.ID() }) {
		t.Error("the recovery of the log changed")
	}
	ids := map[string]bool{}
	for _, i := range with.Items {
		if ids[i.ID()] {
			t.Errorf("%s twice", i.ID())
		}
		ids[i.ID()] = true
	}
	for _, lang := range recovery.Languages() {
		tmpl, err := recovery.Template(lang, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{1200, 4000, 9500} {
			out, err := recovery.Render(with, tmpl, recovery.Limit{Units: limit})
			if err != nil || out.Units > limit {
				t.Fatalf("%s: %d units of %d, %v", lang, out.Units, limit, err)
			}
			alone, err := recovery.Render(r, tmpl, recovery.Limit{Units: limit})
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range alone.Items {
				if !slices.Contains(out.Items, id) {
					t.Errorf("%s, %d units: %s had to go", lang, limit, id)
				}
			}
			own, other := strings.Index(out.Text, "brass"), strings.Index(out.Text, "alice: green")
			if own < 0 || other >= 0 && other < own || strings.Contains(out.Text, "bob: blue") {
				t.Errorf("%s, %d units:\n%s", lang, limit, out.Text)
			}
			if limit == 9500 && other < 0 {
				t.Errorf("%s: nothing of alice's:\n%s", lang, out.Text)
			}
		}
	}
}
