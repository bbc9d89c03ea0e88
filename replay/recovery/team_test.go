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

// TestTheirs: the recovery of another member names the member in every heading, shows commands for that member's log, and
// has no instruction to the reader.
func TestTheirs(t *testing.T) {
	t.Parallel()
	r := recoverFrom(t, events.PromptSubmitted{Text: "paint"}, events.DecisionRecorded{Text: "blue"}, events.PlanApproved{Text: "# Doors"},
		events.PhaseEntered{Skill: "plan", Phase: "1"}, events.TurnEnded{}, events.PromptSubmitted{Text: "hang it"})
	for _, lang := range append(recovery.Languages(), "fr") {
		tmpl, err := recovery.TheirTemplate(lang, "alice/0a0a0a0a")
		if err != nil {
			t.Fatal(err)
		}
		out, err := recovery.Render(r, tmpl, recovery.Limit{})
		if err != nil {
			t.Fatal(err)
		}
		own := render(t, r, lang).Text
		for line := range strings.Lines(out.Text) {
			if strings.HasPrefix(line, "#") && (!strings.Contains(line, "alice") || strings.Contains(own, line)) {
				t.Errorf("%s: %q in\n%s", lang, line, out.Text)
			}
		}
		for _, bad := range []string{"The person", "You said", "Your last", "show N"} {
			if strings.Contains(out.Text, bad) {
				t.Errorf("%s: %q in\n%s", lang, bad, out.Text)
			}
		}
		if !strings.Contains(out.Text, "show --team=alice/0a0a0a0a N") || !strings.Contains(out.Text, "> hang it") {
			t.Errorf("%s:\n%s", lang, out.Text)
		}
	}
}

// TestSelectTheirs: decisions that name one of the files are first, each wording is listed once, and nobody has more than
// three.
func TestSelectTheirs(t *testing.T) {
	t.Parallel()
	all := []knowledge.MemberDecision{
		{Member: "alice", Text: "one"}, {Member: "alice", Text: "two"}, {Member: "bob", Text: "two"}, {Member: "alice", Text: "three"},
		{Member: "alice", Text: "four"}, {Member: "carol", Text: "door.go holds no state"}, {Member: "carol", Text: "indoor.go does"},
		{Member: "alice", Question: "where?", Text: "in web/door.go"},
	}
	var got []string
	for _, c := range knowledge.SelectTheirs(all, []string{"/home/b/web/door.go"}) {
		got = append(got, c.Member+" "+c.WithQuestion())
	}
	want := []string{"carol door.go holds no state", "alice where? → in web/door.go", "alice one", "alice two", "carol indoor.go does"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDecisionsOfOthers: others' decisions follow one's own, each once and within the limit. They displace no item of the
// log.
func TestDecisionsOfOthers(t *testing.T) {
	t.Parallel()
	r := recoverFrom(t, events.DecisionRecorded{Text: "blue"}, events.DecisionRecorded{Text: "brass"})
	theirs := []knowledge.MemberDecision{{Member: "alice", Seq: 26, At: 1, Text: "green"}, {Member: "bob", Seq: 26, At: 2, Text: "blue"}}
	for range 100 {
		theirs = append(theirs, knowledge.MemberDecision{Member: "carol", Seq: 7, Text: strings.Repeat("w ", 100) + strconv.Itoa(len(theirs))})
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
				t.Errorf("%s: no decision of alice:\n%s", lang, out.Text)
			}
		}
	}
}
