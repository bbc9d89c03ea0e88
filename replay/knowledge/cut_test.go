package knowledge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/replay/knowledge"
)

// TestCutLaws: a cut item shows its words within its room and counts the missing ones, of which there are none if there is
// room. Cutting an item again has the same result as cutting it once.
func TestCutLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(knowledge.Kinds()).Draw(t, "kind")
		words := func(label string) string {
			return strings.Repeat("word. ", rapid.IntRange(0, 400).Draw(t, label))
		}
		it := knowledge.Item{Kind: d.Kind, Text: words("text"), Detail: words("detail")}
		longer := rapid.IntRange(0, 3000).Draw(t, "longer")
		long, detail := text.Units(strings.TrimSpace(it.Text)), text.Units(strings.TrimSpace(it.Detail))
		cut := it.Cut(longer)
		shown := text.Units(cut.Text)
		if d.Text.Units == 0 && shown != long {
			t.Fatalf("%s: %d of %d units without a bound", d.Kind, shown, long)
		}
		room := d.Text.Units + longer
		if long <= d.Text.Whole { // shown whole up to this length
			room = max(room, long)
		}
		if d.Text.Cap > 0 && long > d.Text.Units {
			room = min(room, d.Text.Cap)
		}
		if d.Text.Units > 0 && (shown > room+40 || shown < min(long, room-40) && !d.Text.KeepEnd) {
			t.Fatalf("%s: %d units of %d in a room of %d", d.Kind, shown, long, room)
		}
		if cut.Rest != long+detail-shown-text.Units(cut.Detail) || (cut.Share() == 100) != (cut.Rest == 0) || cut.Share() > 100 || cut.Share() < 0 {
			t.Fatalf("%s: %d and %d units of %d and %d, %d left out, %d percent", d.Kind, shown, text.Units(cut.Detail), long, detail, cut.Rest, cut.Share())
		}
		if again := it.Cut(0).Cut(longer); again.Text != cut.Text || again.Detail != cut.Detail || again.Rest != cut.Rest {
			t.Fatalf("%s: cut again, %d units are left out, want %d", d.Kind, again.Rest, cut.Rest)
		}
		if whole := it.Cut(it.Cut(0).Rest); whole.Growth() > 40 {
			t.Fatalf("%s: %d units are left out, and there is room for all", d.Kind, whole.Rest)
		}
	})
}

// TestOutlines: a cut plan fits into its room, and has all headings and its end, unless the headings alone take too much.
func TestOutlines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var headings []string
		plan := ""
		for i := range rapid.IntRange(2, 12).Draw(t, "parts") {
			name := rapid.SampledFrom([]string{"Context", "Step", "Bug Summary", "Tests"}).Draw(t, "name")
			headings = append(headings, fmt.Sprintf("%s %s %d", rapid.SampledFrom([]string{"##", "###"}).Draw(t, "level"), name, i))
			if name != "Step" {
				headings[i] = "## " + name
			}
			plan += headings[i] + "\n\n" + strings.Repeat("Some words.\n", rapid.IntRange(0, 120).Draw(t, "lines"))
		}
		plan += "The very end."
		room := rapid.IntRange(300, 5000).Draw(t, "room")
		cut := knowledge.Item{Kind: knowledge.Plan, Text: plan}.Cut(room - knowledge.Plan.Def().Text.Units)
		if n := text.Units(cut.Text); n > room+40 {
			t.Fatalf("%d units in a room of %d", n, room)
		}
		if len(headings) < 4 || room < 1000 {
			return
		}
		for _, part := range append(headings, "The very end.") {
			if !strings.Contains(cut.Text, part) {
				t.Fatalf("%q is missing in\n%s", part, cut.Text)
			}
		}
	})
}

// TestRepliesComeLast: a short reply to an unknown question is in no text. A reply with its question is, and comes before
// prompts with little content.
func TestRepliesComeLast(t *testing.T) {
	t.Parallel()
	f := folded(t,
		events.PromptSubmitted{Text: "Build the export of invoices for the tenants"},
		events.PromptSubmitted{Text: "yes, all"},
		events.TurnEnded{Text: "Shall I drop the column?"},
		events.PromptSubmitted{Text: "no, keep it"},
		events.PromptSubmitted{Text: "is it green?"},
		events.PromptSubmitted{Text: "Check all rows of the export, and count what is missing there"},
		events.PromptSubmitted{Text: "Write the page"},
	)
	tiers := map[string]knowledge.Tier{}
	var order []string
	for _, it := range knowledge.Listed(knowledge.Lists(f)...) {
		if it.Kind == knowledge.Earlier || it.Kind == knowledge.Brief || it.Kind == knowledge.Prompt || it.Kind == knowledge.First {
			order = append(order, it.Text)
			tiers[it.Text] = it.Tier
		}
	}
	if tiers["yes, all"] != 0 || tiers["no, keep it"] != knowledge.Useful || order[len(order)-1] != "is it green?" {
		t.Errorf("%q, %v", order, tiers)
	}
}

// TestRecurrencesOfSeveral: each of several commands in one line counts by itself.
func TestRecurrencesOfSeveral(t *testing.T) {
	t.Parallel()
	var r knowledge.Recurrences
	see(t, &r, "a FAIL task one", "a FAIL task two", "a ok task one && task two", "a FAIL task two", "a FAIL task one && task three", "a ok task three", "a FAIL task three")
	var got []string
	for _, f := range r.All() {
		got = append(got, fmt.Sprintf("%s: failed %d, returned %d, works %v", f.What, f.Failed, f.Returned, f.Works))
	}
	want := "task one: failed 2, returned 1, works false\ntask two: failed 2, returned 1, works false\ntask three: failed 2, returned 1, works false"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestPartsOfDonePhases: finished phases are identified by their event and their position among those of the event.
func TestPartsOfDonePhases(t *testing.T) {
	t.Parallel()
	f := folded(t,
		events.PhaseEntered{Skill: "plan", Phase: "1", Name: "read"},
		events.PhaseCompleted{Phase: "1", Name: "read", Summary: "what was read"},
		events.PhaseCompleted{Phase: "2", Name: "asked", Summary: "what was asked"},
		events.PhaseEntered{Skill: "plan", Phase: "3", Name: "design"},
	)
	e := projections.Phase.In(f).ContinuedFrom("s")
	var got []string
	for _, f := range []*projections.Fold{f, folded(t, e)} {
		for _, it := range slices.Concat(knowledge.Lists(f)...) {
			if it.Kind == knowledge.DonePhase {
				got = append(got, it.ID()+" "+it.Detail+": "+it.Text)
			}
		}
	}
	want := []string{"phase-3.1 2 asked: what was asked", "phase-2.1 1 read: what was read", "phase-1.2 2 asked: what was asked", "phase-1.1 1 read: what was read"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPhaseKeepsItsID: a finished phase has the same id after another one is finished, also if a text no longer has all phases.
func TestPhaseKeepsItsID(t *testing.T) {
	t.Parallel()
	taken := events.SkillContinued{From: "t", Skill: "plan", Phase: "20"}
	for n := range 13 {
		taken.Completed = append(taken.Completed, events.PhaseDone{Phase: fmt.Sprint(n), Summary: fmt.Sprint("summary ", n)})
	}
	ids := func(log ...events.Event) map[string]string {
		all := map[string]string{}
		for _, it := range knowledge.Listed(knowledge.Lists(folded(t, log...))...) {
			if it.Kind == knowledge.DonePhase {
				all[it.Text] = it.ID()
			}
		}
		return all
	}
	before := ids(taken)
	for words, id := range ids(taken, events.PhaseCompleted{Phase: "20", Summary: "the last one"}) {
		if old, listed := before[words]; listed && old != id {
			t.Errorf("%s had the id %s, and has %s", words, old, id)
		}
	}
}

// TestSkillFileHoldsItsPhases: a skill file holds the phases whose summaries it has, and no others.
func TestSkillFileHoldsItsPhases(t *testing.T) {
	t.Parallel()
	phases := []events.Head{{Heading: "One", Text: "since it is so"}, {Heading: "Two", Text: "because not"}}
	file := func(summary string) events.Event {
		return events.FileObserved{
			Path: "docs/plans/.cpm-progress-s.md", Kind: events.SkillFile, Digest: "a",
			Labels:  []events.Label{{Name: "Skill", Value: "cpm:do"}, {Name: "Phase", Value: "2"}},
			Entries: []events.Entry{{Heading: "Completed Phases", Text: "### One\nsince it is so\n\n### Two\nbecause not", Heads: phases}, {Heading: "Next Action", Text: "ask"}},
			Text:    "**Skill**: cpm:do\n**Phase**: 2\n\n## Completed Phases\n\n### One\n" + summary + "\n\n### Two\nbecause not\n\n## Next Action\nask",
		}
	}
	for summary, want := range map[string]int{"since it is so": 2, "for a reason": 1} {
		var holds, done []string
		for _, it := range slices.Concat(knowledge.Lists(folded(t, file(summary)))...) {
			switch it.Kind {
			case knowledge.SkillFile:
				holds = it.Holds
			case knowledge.DonePhase:
				done = append(done, it.ID())
			}
		}
		if len(holds) != want || len(done) != 2 || holds[0] != done[0] || want == 2 && holds[1] != done[1] {
			t.Errorf("%q: it holds %q of %q", summary, holds, done)
		}
	}
}

// TestDecisionsOfOthersAreBounded: the session's own decisions are all listed, of other sessions' the newest 20.
func TestDecisionsOfOthersAreBounded(t *testing.T) {
	t.Parallel()
	f := projections.NewFold(projections.Target{Project: "p", Session: "s"}, projections.Config{}, knowledge.Needs()...)
	for i := range 60 {
		session := []string{"s", "t"}[i%2]
		e := eventstest.Wrap(t, events.DecisionRecorded{Text: fmt.Sprint("decision ", i)}, events.Meta{Project: "p", Session: session, Seq: uint64(i + 1)})
		f.Apply(e)
	}
	var own, others []string
	for _, it := range slices.Concat(knowledge.Lists(f)...) {
		if it.Kind == knowledge.Decision && it.Foreign {
			others = append(others, it.Text)
		} else if it.Kind == knowledge.Decision {
			own = append(own, it.Text)
		}
	}
	if len(own) != 30 || len(others) != 20 || others[0] != "decision 59" || others[19] != "decision 21" {
		t.Errorf("%d of its own, of others %q", len(own), others)
	}
}

// A cut output of a command keeps its beginning and its end.
func TestCutOutput(t *testing.T) {
	t.Parallel()
	it := knowledge.Item{Kind: knowledge.Result, Text: "make", Detail: "begin\n" + strings.Repeat("line\n", 300) + "end", DetailEnds: true}.Cut(0)
	if !strings.HasPrefix(it.Detail, "begin\nline\n") || !strings.HasSuffix(it.Detail, "line\nend") || text.Units(it.Detail) > 240 {
		t.Errorf("%d units: %s", text.Units(it.Detail), it.Detail)
	}
}

// TestSkillTextKeepsSections: a skill's file that fits once its finished phases are cut keeps its sections.
func TestSkillTextKeepsSections(t *testing.T) {
	t.Parallel()
	file := "# Skill\n\n### 1\n" + strings.Repeat("s", 1000) + "\n\n## First section\nkeep me\n"
	file += strings.Repeat("line\n", 1+(6100-len(file))/5) + "end"
	for _, phases := range [][]projections.CompletedPhase{
		{{Phase: "1", Summary: strings.Repeat("s", 1000)}}, {{Phase: "1", Summary: strings.Repeat("s", 1000)}, {Phase: "2", Summary: "short"}},
	} {
		s, whole := knowledge.SkillText(projections.PhaseState{Text: file, Completed: phases})
		if whole || text.Units(s) != 6000 || !strings.Contains(s, "## First section\nkeep me") {
			t.Errorf("%d phases: %d units, whole %t:\n%.400s", len(phases), text.Units(s), whole, s[max(0, len(s)-5500):])
		}
	}
}

// TestSkillTextLeavesOutNoMore: no line is left out of a skill's file that would fit, and enough are.
func TestSkillTextLeavesOutNoMore(t *testing.T) {
	t.Parallel()
	const shown = "# Skill\n\n…\nkeep\n"
	for room := -9; room < 16; room++ { // with 15 the shorter file fits whole
		end := strings.Repeat("t", 6000-text.Units(shown)-room)
		for _, dropped := range []string{"", strings.Repeat("s", 500) + "\n"} {
			got, _ := knowledge.SkillText(projections.PhaseState{Text: "# Skill\n\n## First section\n" + dropped + "keep\n" + end})
			if text.Units(got) > 6000 || strings.HasPrefix(got, shown) != (room >= 0) && text.Units(got) < 6000 {
				t.Errorf("room for %d units, and %d of %d are shown: %.60q", room, text.Units(got), text.Units(shown+end), got)
			}
		}
	}
}
