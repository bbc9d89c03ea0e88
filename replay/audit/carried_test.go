package audit_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

// given renders what there is to recover of a log, and appends that it was given.
func given(t rapid.TB, log replay.Slice, limit recovery.Limit) (replay.Slice, recovery.Text) {
	t.Helper()
	r, err := recovery.Replayed(context.Background(), log, target, projections.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := recovery.Template("en", "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := recovery.Render(r, tmpl, limit)
	if err != nil {
		t.Fatal(err)
	}
	return grow(t, log, events.RecoveryGiven{
		Compaction: r.Compaction, AsOf: r.AsOf, Lang: "en", Units: text.Units, Digest: text.Digest, Items: text.Items, Partial: text.Partial,
	}, target.Session, ""), text
}

// TestRunningPhaseIsCarried: the phase that a recovery text puts first is offered
// by it, and restored once the text is known to have arrived.
func TestRunningPhaseIsCarried(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	for _, e := range []events.Event{
		events.PhaseEntered{Skill: "review", Phase: "2", Name: "read", Next: "look at the parser"},
		events.CompactionCompleted{Summary: "Nothing of note."},
	} {
		log = grow(t, log, e, target.Session, "")
	}
	log, text := given(t, log, recovery.Limit{})
	if !strings.Contains(text.Text, "## Workflow") {
		t.Fatalf("no workflow in\n%s", text.Text)
	}
	if got := statuses(t, log, 0)["phase-1"]; got != audit.Offered {
		t.Errorf("the phase is %s, want offered", got)
	}
	log = grow(t, log, events.DeliveryConfirmed{Recovery: uint64(len(log)), Digest: text.Digest, Whole: true}, target.Session, "")
	if got := statuses(t, log, 0)["phase-1"]; got != audit.Restored {
		t.Errorf("the phase is %s, want restored", got)
	}
}

// drawKnowledge draws a log with items of every kind. Every text ends with a mark
// that no other text has.
func drawKnowledge(t *rapid.T) replay.Slice {
	var log replay.Slice
	marks := 0
	say := func() string {
		marks++
		words := rapid.SampledFrom([]int{0, 1, 5, 60, 150, 400}).Draw(t, "words")
		return fmt.Sprintf("say %s m%dm", strings.Repeat("lorem ", words), marks)
	}
	add := func(some ...events.Event) {
		for _, e := range some {
			log = grow(t, log, e, target.Session, "")
		}
	}
	several := func(what string) []struct{} { return make([]struct{}, rapid.IntRange(0, 4).Draw(t, what)) }
	add(events.ContextRestarted{})
	if rapid.Bool().Draw(t, "skill") {
		add(events.PhaseEntered{Skill: "review", Phase: "2", Name: "read", Next: say()})
		for i := range several("phases done") {
			add(events.PhaseCompleted{Phase: fmt.Sprint(i), Summary: say(), Next: say()})
		}
	} else if rapid.Bool().Draw(t, "skill file") {
		done, more := say(), ""
		for range 10 * rapid.IntRange(0, 2).Draw(t, "lines") {
			more += "\n" + say()
		}
		add(events.FileObserved{
			Path: ".cpm-progress-" + target.Session + ".md", Kind: events.SkillFile, Text: done + "\n## " + say() + more,
			Labels:  []events.Label{{Name: "Skill", Value: "review"}},
			Entries: []events.Entry{{Heading: "Completed Phases", Heads: []events.Head{{Heading: "say", Text: done}}}},
		})
	}
	if rapid.Bool().Draw(t, "port") {
		add(events.PortDefined{Port: "L2", Title: say()}, events.PortChanged{Port: "L2", Status: "running"})
		add(events.PortDefined{Port: "L1", Title: say(), Items: []string{say(), say()}}, events.PortChanged{Port: "L1", Status: "running"})
	}
	for i := range several("compile targets") {
		add(events.CompileValidated{
			Target: fmt.Sprint("src/", i), Verdict: "improve", Issues: []events.CompileIssue{{Kind: "uncovered_file", File: "old.go", Detail: say()}},
		})
	}
	add(events.PromptSubmitted{Text: say()}, events.PromptSubmitted{Text: say()})
	for range several("prompts") {
		add(events.PromptSubmitted{Text: say()}, events.DecisionRecorded{Text: say()}, events.PromptSubmitted{Text: "never " + say()})
	}
	for range several("work") {
		edited := "/" + say()
		add(events.FileWritten{Path: edited, Op: "edit"}, events.FileRead{Path: edited, From: 1, To: 9}, events.FileRead{Path: "/" + say()})
		add(events.CommandRan{Command: say(), Outcome: "ok"}, events.CommandRan{Command: "ls " + say(), Failed: true, Error: "no"}, events.PromptSubmitted{Text: "why " + say() + "?"})
		add(events.WorkStarted{Run: "r", Task: fmt.Sprint(len(log))}, events.WorkFinished{Run: "r", Task: fmt.Sprint(len(log)), Error: say()})
		add(events.FileWritten{Path: "/c/" + fmt.Sprint(len(log)), Op: "edit"}, events.CommandRan{Command: "git add -A && git commit -m x", Cwd: "/c"})
		add(events.CommandRan{Command: say(), Failed: true, Error: say()})
		add(events.CommandRan{Command: "make " + say(), Failed: true, Error: "made.go:3: " + say()}, events.FileWritten{Path: "/c/made.go", Op: "edit", Passages: []events.Passage{{Lines: []string{say()}, Count: 1}}})
		add(events.CommandRan{Command: say(), Background: say()})
		add(events.QuestionAnswered{Question: say(), Answer: say()}, events.ToolRefused{Tool: "Bash", Target: "rm", Words: say()}, events.ToolRefused{Tool: say()})
		add(events.PlanApproved{Text: say()}, events.TurnEnded{Text: say()})
		log = grow(t, log, events.FileWritten{Path: "/" + say(), Op: "edit"}, target.Session, "a1")
		add(events.TaskChanged{Task: fmt.Sprint(len(log)), Subject: say(), Detail: say()}, events.NoteRecorded{Heading: say(), Text: say()})
	}
	if rapid.Bool().Draw(t, "checkpoint") {
		add(events.CheckpointRecorded{Summary: say()})
	}
	if rapid.Bool().Draw(t, "asked again") {
		add(events.PromptSubmitted{Text: say()})
		for range several("said within the turn") {
			add(events.PromptSubmitted{Text: say(), DuringTurn: true})
		}
		add(events.TaskChanged{Task: "done", Subject: say(), Detail: "later"}, events.TaskChanged{Task: "done", Detail: say(), Status: "completed"})
		add(events.TaskChanged{Task: "named", Subject: say()}, events.TaskChanged{Task: "named", Status: "completed"})
		add(events.SubagentTasked{Lane: "a2", Text: say(), Report: say()}, events.CompactionIntended{Trigger: "manual", Instructions: say()})
		said, found := strings.Fields(say()), ""
		for n := range 3 * len(several("findings")) {
			found += fmt.Sprintf("b%d.go:1:2: %s\n", n, strings.Repeat("lorem ", 10))
		}
		add(events.CommandRan{Command: "git push " + say()},
			events.CommandRan{Command: "gh run view 1 --log", Output: found + "a.go:1:2: " + said[len(said)-1]},
			events.CommandRan{Command: say()}, events.MomentRecorded{Said: say(), Searches: []events.SearchResult{{Call: say(), First: say()}}, Thought: say(), Result: say(), ResultOf: say(), EarlierFindings: []string{say(), strings.Repeat("lorem ", 400) + say()}, Findings: []string{say(), "I need to:\n- " + say() + "\n- " + say()}}, events.GitObserved{Top: "/c", Branch: say(), Changes: []events.GitChange{{State: " M", Path: say()}}},
			events.PlacesObserved{Files: []events.FilePlaces{{Path: say(), Names: []events.Place{{Name: say(), Line: 1}}}}})
	}
	return log
}

// twice lists the kinds that are cut where they are made, or whose end may stand elsewhere, too: of an answer beside a
// reply, of a subagent's task in its call, of a file's path beside a command from before its edit, of its name beside an edit, of a task beside its description.
var twice = []knowledge.Kind{knowledge.SkillFile, knowledge.Reread, knowledge.LastAnswer, knowledge.Report, knowledge.File, knowledge.SubagentFile, knowledge.Edit, knowledge.EarlierEdit, knowledge.TodoDetail}

var mark = regexp.MustCompile(`m\d+m`)

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestCarriedIsNeverLost: what a recovery text carried is offered or restored, and of what it carried in part nobody
// can say (J.4). A text carries whole what it has to the end.
func TestCarriedIsNeverLost(t *testing.T) {
	t.Parallel()
	whole, part := map[knowledge.Kind]int{}, map[knowledge.Kind]int{}
	law := func(rt *rapid.T) {
		log := drawKnowledge(rt)
		if rapid.Bool().Draw(rt, "summary") {
			log = grow(rt, log, events.CompactionCompleted{Summary: "Nothing of note."}, target.Session, "")
		} else {
			log = grow(rt, log, events.CommandRan{Command: "true"}, target.Session, "")
			log = grow(rt, log, events.ContextRestarted{}, target.Session, "")
		}
		known, err := recovery.Replayed(context.Background(), log, target, projections.Config{}, 0)
		if err != nil {
			rt.Fatal(err)
		}
		limit := rapid.SampledFrom([]recovery.Limit{{}, {Units: 80000, Vital: 20000}, {Units: 3000}, {Units: 1200}, {Units: 700}, {Units: 250}}).Draw(rt, "limit")
		log, text := given(rt, log, limit)
		gave := uint64(len(log))
		arrived := rapid.SampledFrom([]*events.DeliveryConfirmed{
			nil, {Digest: text.Digest, Whole: true}, {Digest: text.Digest, Preview: 400}, {Digest: "another", Whole: true},
		}).Draw(rt, "receipt")
		if arrived != nil {
			arrived.Recovery = gave
			log = grow(rt, log, *arrived, target.Session, "")
		}

		percent := map[knowledge.ID]int{}
		for _, it := range known.Items {
			i := slices.IndexFunc(text.Partial, func(p events.PartialItem) bool { return p.Item == it.ID() })
			missing := slices.DeleteFunc(mark.FindAllString(it.Text+" "+it.Detail, -1), func(m string) bool { return strings.Contains(text.Text, m) })
			switch listed := slices.Contains(text.Items, it.ID()); {
			case listed && i < 0:
				percent[it.Key()] = 100
				whole[it.Kind]++
				if len(missing) > 0 {
					rt.Fatalf("%s is said to be whole, without %v in\n%s", it.ID(), missing, text.Text)
				}
			case listed:
				percent[it.Key()] = text.Partial[i].Percent
				part[it.Kind]++
				ends := it.Kind.Def().Text.KeepBothEnds && !strings.Contains(oneLine(text.Text), oneLine(it.Text)) // it is cut before its mark
				ends = ends || it.DetailEnds && !strings.Contains(oneLine(text.Text), oneLine(it.Detail))
				if text.Partial[i].Percent > 99 || len(missing) == 0 && !ends && it.Tier != knowledge.Framed && !slices.Contains(twice, it.Kind) {
					rt.Fatalf("%s is said to be cut to %d %% in\n%s", it.ID(), text.Partial[i].Percent, text.Text)
				}
			case i >= 0:
				rt.Fatalf("%s is cut and not listed", it.ID())
			}
		}
		compactions := auditOf(rt, log).Compactions
		for _, it := range compactions[len(compactions)-1].Items {
			id, ok := knowledge.ParseID(it.ID)
			if !ok || id.String() != it.ID {
				rt.Fatalf("%s is no id", it.ID)
			}
			if id.Kind == knowledge.Plan { // its one step is all of it
				id.Part = 0
			}
			share, carried := percent[id]
			switch {
			case carried && share == 100 && it.Status != audit.Offered && it.Status != audit.Restored:
				rt.Fatalf("%s was carried, and is %s", it.ID, it.Status)
			case carried && share < 100 && !slices.Contains([]audit.Status{audit.Unclear, audit.InFile, audit.Reviewed}, it.Status):
				rt.Fatalf("%d %% of %s was carried, and it is %s", share, it.ID, it.Status)
			case carried && share == 100 && arrived != nil && arrived.Whole && (it.Status == audit.Restored) != (arrived.Digest == text.Digest):
				rt.Fatalf("%s is %s by %+v", it.ID, it.Status, arrived)
			}
		}
	}
	missing := func() (kinds []string) {
		for _, d := range knowledge.Kinds() {
			if d.Kind == knowledge.Task || d.Kind == knowledge.TeamDecision || d.Text == (knowledge.Text{}) {
				continue // a subagent's, where the main lane has prompts; another log's; and what is in no text by itself
			}
			never := d.Kind == knowledge.Committed || d.Kind == knowledge.Approved || d.Kind == knowledge.Standing // cut: short, or without words
			if whole[d.Kind] == 0 || part[d.Kind] == 0 && !never {
				kinds = append(kinds, fmt.Sprintf("%s: carried whole %d times, in part %d times", d.Kind, whole[d.Kind], part[d.Kind]))
			}
		}
		return kinds
	}
	const most = 140 // rounds until every kind was whole and cut somewhere
	for round := 0; round < 4 || round < most && len(missing()) > 0; round++ {
		rapid.Check(t, law)
	}
	for _, kind := range missing() {
		t.Errorf("kind %s", kind)
	}
}
