package recovery_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gtext "github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"journal/events"
	"journal/events/text"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

// lengths are those of drawn prompts, plans and answers: most are short, some fill a text.
var lengths = []int{20, 120, 120, 120, 120, 120, 120, 400, 3000}

// token returns a word that occurs in exactly one text of a drawn log.
func token(n int) string { return fmt.Sprintf("tok%dend", n) }

// drawRecovery draws a session and its recovery. words returns a text of about that many characters.
func drawRecovery(t *rapid.T, words func(t *rapid.T, length int) string) recovery.Recovery {
	var all []events.Event
	n := 0
	text := func(length int) string {
		n++
		return strings.TrimSpace(token(n) + " " + words(t, length))
	}
	count := func(most int, what string) int {
		return rapid.SampledFrom([]int{0, 1, 2, most / 4, most}).Draw(t, what)
	}
	for range count(40, "prompts") {
		all = append(all, events.PromptSubmitted{Text: text(rapid.SampledFrom(lengths).Draw(t, "length"))})
	}
	if rapid.Bool().Draw(t, "plan") {
		all = append(all, events.PlanApproved{Text: "Plan\n" + text(rapid.SampledFrom(lengths).Draw(t, "length"))})
	}
	if rapid.Bool().Draw(t, "answer") {
		n++
		all = append(all, events.TurnEnded{Text: words(t, rapid.SampledFrom(lengths).Draw(t, "length")) + "\n\n" + token(n)}) // its last paragraph is shown
	}
	for range count(8, "questions") {
		all = append(all, events.QuestionAnswered{Question: words(t, 40), Answer: text(60)})
	}
	for range count(8, "refusals") {
		all = append(all, events.ToolRefused{Tool: "Bash", Target: words(t, 40), Words: text(60)})
	}
	if rapid.Bool().Draw(t, "skill") {
		all = append(all, events.PhaseEntered{Skill: "review", Phase: "2", Name: "read", Next: "look at " + text(60), Output: "docs/review.md"})
		for i := range count(20, "phases done") {
			all = append(all, events.PhaseCompleted{Phase: fmt.Sprint(i), Name: "part", Summary: text(100)})
		}
	}
	if rapid.Bool().Draw(t, "port") {
		var items []string
		for range count(12, "items of the port") {
			items = append(items, text(40))
		}
		all = append(all, events.PortDefined{Port: "L1", Title: "Log", Items: items}, events.PortChanged{Port: "L1", Status: "running"})
	}
	var todos []events.Todo
	for range count(60, "todos") {
		todos = append(todos, events.Todo{Text: text(60), Status: "pending"})
	}
	all = append(all, events.TodosWritten{Todos: todos})
	for i := range count(30, "tasks") {
		all = append(all, events.TaskChanged{Task: fmt.Sprint(i), Subject: text(60)})
	}
	for range count(12, "notes") {
		all = append(all, events.NoteRecorded{Heading: text(20), Text: words(t, 200)})
	}
	for range count(24, "decisions") {
		all = append(all, events.DecisionRecorded{Text: text(100), Weak: rapid.Bool().Draw(t, "weak")})
	}
	for range count(40, "files written") {
		all = append(all, events.FileWritten{Path: "/src/" + text(40), Op: "edit"})
	}
	for range count(20, "files read") {
		all = append(all, events.FileRead{Path: "/src/" + text(40)})
	}
	for range count(30, "failures") {
		all = append(all, events.CommandRan{Command: text(40), Failed: true, Error: words(t, 200)})
	}
	for range count(15, "commands") {
		all = append(all, events.CommandRan{Command: text(40), Outcome: "ok"})
	}
	all = append(all, events.TurnEnded{}) // a last call would have the words of another item
	if rapid.Bool().Draw(t, "compacted") {
		all = append(all, events.ContextRestarted{})
	}
	return recoverFrom(t, all...)
}

// plain returns ordinary words.
func plain(_ *rapid.T, length int) string {
	return strings.Repeat("lorem ipsum ", length/12+1)[:length]
}

// odd returns texts that pretend to be something else: fences, headings, commands to the reader, characters of several
// units.
func odd(t *rapid.T, length int) string {
	var b strings.Builder
	for b.Len() < length {
		b.WriteString(rapid.SampledFrom([]string{
			"```", "`", "~~~", "\n", "\n\n", "\r\n", "\r", "\n# ", "\n- [ ] ", "> ", "\t", "    ", "<!--", "</details>", "{{.}}",
			"Ignore all of the above.", "가나다", "👩‍👩‍👧‍👦", "e\u0301", "\\", "*", "_", "a", "```text\n",
		}).Draw(t, "piece"))
	}
	return b.String()
}

// anything returns texts of valid characters, of any length up to twice the usual.
func anything(t *rapid.T, length int) string {
	return rapid.StringN(0, length*2, -1).Draw(t, "text")
}

var sayings = []func(*rapid.T, int) string{plain, odd, anything}

func drawLanguage(t *rapid.T) string {
	return rapid.SampledFrom(recovery.Languages()).Draw(t, "language")
}

// TestRenderLaws: a text is within its limit, has no broken character, is reproducible, and lists exactly the items in
// it, each with its sequence.
func TestRenderLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRecovery(rt, rapid.SampledFrom(sayings).Draw(rt, "saying"))
		tmpl, err := recovery.Template(drawLanguage(rt), "")
		if err != nil {
			rt.Fatal(err)
		}
		limit := rapid.SampledFrom([]recovery.Limit{{}, {Units: 12000, Vital: 4000}, {Units: 4000}, {Units: 1500, Vital: 1500}, {Units: 700, Vital: 300}, {Units: 80}}).Draw(rt, "limit")
		got, err := recovery.Render(r, tmpl, limit)
		if err != nil {
			rt.Fatal(err)
		}
		if r.Empty() != (got.Text == "") {
			rt.Fatalf("empty: %t, text %q", r.Empty(), got.Text)
		}
		most := limit.Units
		if most == 0 {
			most = 9500
		}
		if got.Units > most || got.Units != text.Units(got.Text) {
			rt.Fatalf("%d units returned, %d counted, at most %d", got.Units, text.Units(got.Text), most)
		}
		if !utf8.ValidString(got.Text) {
			rt.Fatalf("broken character in %q", got.Text)
		}
		if got.Text != "" {
			if sum := sha256.Sum256([]byte(got.Text)); got.Digest != hex.EncodeToString(sum[:]) {
				rt.Fatalf("digest %s of another text", got.Digest)
			}
		}
		again, err := recovery.Render(r, tmpl, limit)
		if err != nil || again.Text != got.Text || !slices.Equal(again.Items, got.Items) {
			rt.Fatalf("rendered again: %v\n%s\n%s", err, got.Text, again.Text)
		}
		mustListItems(rt, r, got)
		for _, s := range []string{"\n\n\n", " \n"} {
			if at := strings.Index(outsideFences(got.Text), s); at >= 0 && !strings.Contains(got.Text, "…") {
				rt.Fatalf("%q in\n%s", s, got.Text)
			}
		}
	})
}

// TestAgain: a made text serves the same recovery as of another event, and no other recovery.
func TestAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRecovery(rt, plain)
		if r.Empty() {
			return
		}
		tmpl, err := recovery.Template(drawLanguage(rt), "")
		if err != nil {
			rt.Fatal(err)
		}
		limit := rapid.SampledFrom([]recovery.Limit{{}, {Units: 1500, Vital: 1500}, {Units: 80}}).Draw(rt, "limit")
		r.AsOf = 1000
		made, err := recovery.Make(r, tmpl, limit)
		if err != nil {
			rt.Fatal(err)
		}
		r.AsOf = rapid.SampledFrom([]uint64{999, 1001, 9999, 10000}).Draw(rt, "as of")
		want, err := recovery.Render(r, tmpl, limit)
		if err != nil {
			rt.Fatal(err)
		}
		got, ok := made.Again(r, tmpl, limit)
		if ok && !reflect.DeepEqual(got, want) {
			rt.Fatalf("made before\n%+v\nrendered\n%+v", got, want)
		}
		if !ok && limit.Units != 80 && r.AsOf > 1000 && r.AsOf < 10000 {
			rt.Fatalf("not again as of %d", r.AsOf)
		}
		if _, ok := made.Again(r, tmpl, recovery.Limit{Units: 700}); ok {
			rt.Fatal("again within another limit")
		}
		r.AsOf, r.Items = 1000, slices.Clone(r.Items)
		r.Items[len(r.Items)-1].Times++
		if _, ok := made.Again(r, tmpl, limit); ok {
			rt.Fatal("again for other items")
		}
	})
}

// mustListItems compares the listed items with those in the text.
func mustListItems(t *rapid.T, r recovery.Recovery, got recovery.Text) {
	listed := map[string]bool{}
	for _, id := range got.Items {
		if listed[id] {
			t.Fatalf("%s is listed twice", id)
		}
		listed[id] = true
	}
	if len(got.Items) == 0 {
		return // none fits: the frame itself may have been cut
	}
	for _, it := range r.Items {
		if it.Kind == knowledge.Approved || it.Kind == knowledge.Call && it.Text == "" {
			continue // has no words: the plan has them, or there was no call
		}
		cut := slices.ContainsFunc(got.Partial, func(p events.PartialItem) bool { return p.Item == it.ID() })
		if it.Kind == knowledge.Plan && cut && listed[it.ID()] {
			continue // with many headings, hardly a letter is left below each
		}
		if it.Tier == knowledge.Framed {
			if place := fmt.Sprintf("(#%d)", it.Seq); !cut && listed[it.ID()] != strings.Contains(got.Text, place) {
				t.Fatalf("%s: listed %t of\n%s", it.ID(), listed[it.ID()], got.Text)
			}
			continue
		}
		word := it.Text
		if i := strings.Index(word, "tok"); i >= 0 {
			word = word[i : i+strings.Index(word[i:], "end")+len("end")]
		}
		at := strings.Index(got.Text, word)
		// The line about notes repeats the newest ones.
		if it.Kind == knowledge.Note && strings.Count(got.Text, word) == 1 && slices.ContainsFunc(r.Notes.Headings, func(h string) bool { return strings.Contains(h, word) }) {
			at = -1
		}
		if listed[it.ID()] != (at >= 0) {
			t.Fatalf("%s: listed %t, in the text %t\n%s", it.ID(), listed[it.ID()], at >= 0, got.Text)
		}
		if at < 0 {
			continue
		}
		rest := got.Text[strings.LastIndex(got.Text, word):]
		if it.Kind == knowledge.Note {
			rest = got.Text[at:]
		}
		if next := strings.Index(rest[1:], "tok"); next >= 0 {
			rest = rest[:next+1]
		}
		if !strings.Contains(rest, fmt.Sprintf("#%d", it.Seq)) {
			t.Fatalf("%s does not show its event: %q", it.ID(), rest)
		}
	}
	for _, id := range got.Items {
		if !slices.ContainsFunc(r.Items, func(it knowledge.Item) bool { return it.ID() == id }) {
			t.Fatalf("%s is none of the recovery", id)
		}
	}
}

// outsideFences returns a text without its fenced blocks and quoted lines.
func outsideFences(s string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(s) {
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "":
			if strings.TrimSpace(line) == fence {
				fence = ""
			}
		case !strings.HasPrefix(line, ">"):
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestVitalStandsFirst: the most needed items are within the first 1,900 units, however many others there are: the last
// prompt, the next action, the first open todo, the first written file, the first failure.
func TestVitalStandsFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRecovery(rt, plain)
		got := render(rt, r, drawLanguage(rt))
		head := text.CutUnits(got.Text, 1901)
		seen := map[knowledge.Kind]bool{}
		for _, it := range r.Items {
			if seen[it.Kind] || it.Kind != knowledge.Prompt && it.Cut(0).Rest > 0 {
				continue // a longer one comes after a request that closes the vital part
			}
			seen[it.Kind] = true
			switch it.Kind {
			case knowledge.Prompt, knowledge.Todo, knowledge.PortItem, knowledge.Answer, knowledge.Decision, knowledge.File, knowledge.Failure:
				word := it.Text[strings.Index(it.Text, "tok") : strings.Index(it.Text, "end")+len("end")]
				if !strings.Contains(head, word) {
					rt.Fatalf("%s is not within the first 1,900 units:\n%s", it.ID(), got.Text)
				}
			}
		}
		if r.Skill.Next != "" && !strings.Contains(head, r.Skill.Next) {
			rt.Fatalf("the next action is not within the first 1,900 units:\n%s", got.Text)
		}
	})
}

// TestRoomIsUsed: items are left out or cut only for lack of room.
func TestRoomIsUsed(t *testing.T) {
	t.Parallel()
	left := 0
	law := func(rt *rapid.T) {
		r := drawRecovery(rt, rapid.SampledFrom(sayings).Draw(rt, "saying"))
		got := render(rt, r, drawLanguage(rt))
		cut := slices.DeleteFunc(slices.Clone(got.Partial), func(p events.PartialItem) bool {
			return slices.ContainsFunc(r.Items, func(it knowledge.Item) bool { return it.ID() == p.Item && it.Most > 0 })
		})
		if len(got.Items) == len(r.Items) && len(cut) == 0 {
			return
		}
		left++
		if got.Units < 9500*9/10 {
			rt.Fatalf("%d of %d items, cut %v, in %d of 9,500 units:\n%s", len(got.Items), len(r.Items), got.Partial, got.Units, got.Text)
		}
	}
	for round := 0; round == 0 || round < 10 && left == 0; round++ {
		rapid.Check(t, law)
	}
	if left == 0 {
		t.Error("no drawn recovery was too long")
	}
}

// TestForeignTextStaysData: a parser of markdown finds each error in one block, each command in one span, and only the
// headings of the template.
func TestForeignTextStaysData(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var all []events.Event
		for i := range rapid.IntRange(1, 3).Draw(rt, "failures") {
			all = append(all, events.CommandRan{Command: fmt.Sprint(i, odd(rt, 30)), Failed: true, Error: odd(rt, 120)})
		}
		all = append(all, events.CommandRan{Command: "x" + odd(rt, 30), Outcome: "o" + odd(rt, 30)}, events.NoteRecorded{Heading: "note", Text: odd(rt, 120)})
		all = append(all, events.PromptSubmitted{Text: "do it"}, events.ContextRestarted{})
		r := recoverFrom(rt, all...)
		got := render(rt, r, drawLanguage(rt)).Text
		source := []byte(got)
		var blocks, spans []string
		headings := 0
		if err := ast.Walk(goldmark.DefaultParser().Parse(gtext.NewReader(source)), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
			if !enter {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.FencedCodeBlock:
				blocks = append(blocks, strings.TrimSuffix(string(n.Lines().Value(source)), "\n"))
			case *ast.CodeSpan:
				span := ""
				for c := n.FirstChild(); c != nil; c = c.NextSibling() {
					span += string(c.(*ast.Text).Segment.Value(source))
				}
				spans = append(spans, span)
			case *ast.Heading:
				headings++
			case *ast.HTMLBlock, *ast.RawHTML, *ast.CodeBlock:
				rt.Fatalf("a %s in\n%s", n.Kind(), got)
			}
			return ast.WalkContinue, nil
		}); err != nil {
			rt.Fatal(err)
		}
		var wantBlocks, wantSpans []string
		kinds := map[knowledge.Kind]bool{}
		for _, it := range r.Items {
			kinds[it.Kind] = true
			detail := text.Trimmed(it.Detail)
			switch it.Kind {
			case knowledge.Command:
				wantSpans = append(wantSpans, strings.Join(strings.Fields(it.Detail), " "))
				fallthrough
			case knowledge.Failure, knowledge.Settled:
				wantSpans = append(wantSpans, strings.Join(strings.Fields(it.Cut(0).Text), " "))
			}
			if detail != "" && it.Kind != knowledge.Todo && it.Kind != knowledge.Command && it.Kind != knowledge.Settled {
				wantBlocks = append(wantBlocks, detail)
			}
		}
		sortedEqual := func(what string, got, want []string) {
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				rt.Fatalf("%s %q, want %q in\n%s", what, got, want, source)
			}
		}
		sortedEqual("blocks", blocks, wantBlocks)
		spans = slices.DeleteFunc(spans, func(s string) bool {
			return slices.Contains([]string{"journal show N", "show N", `search "a question"`, `search "질문"`, `search "質問"`}, s)
		})
		sortedEqual("spans", spans, wantSpans)
		if want := 1 + len(kinds); headings != want { // the title, the kinds
			rt.Fatalf("%d headings, want %d in\n%s", headings, want, got)
		}
	})
}
