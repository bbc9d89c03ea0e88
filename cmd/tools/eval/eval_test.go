package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/replay/knowledge"
)

const gardened = "11111111-0000-4000-8000-000000000000"

// fixtures is a directory of fixtures with a transcript that has a summary on line
// 5, which says some of what was known.
func fixtures(t *testing.T) (root string, k key) {
	t.Helper()
	return placed(t, garden())
}

// placed is a directory of fixtures with one transcript.
func placed(t *testing.T, text string) (root string, k key) {
	t.Helper()
	root = t.TempDir()
	dir := filepath.Join(root, "third-party", "claude-transcripts", "any")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, gardened+".jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return root, keyOf([]byte(text))
}

func garden() string {
	tr := testutil.Transcript{Session: gardened}
	said := func(content any) map[string]any { return map[string]any{"content": content} }
	use := map[string]any{"type": "tool_use", "id": "toolu_1", "name": "TodoWrite", "input": map[string]any{"todos": []any{
		map[string]any{"content": "Paint the fence", "status": "pending", "activeForm": "Painting"},
		map[string]any{"content": "Paint the gate", "status": "pending", "activeForm": "Painting"},
		map[string]any{"content": "Paint the shed", "status": "pending", "activeForm": "Painting"},
	}}}
	tr.Row("user", map[string]any{"promptId": "p1", "message": said("make the garden beautiful before Sunday")})
	tr.Row("assistant", map[string]any{"message": said([]any{use})})
	tr.Row("user", map[string]any{"promptId": "p1", "message": said([]any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}})})
	tr.Row("system", map[string]any{"subtype": "compact_boundary", "compactMetadata": map[string]any{"trigger": "auto"}})
	tr.Row("user", map[string]any{"isCompactSummary": true, "message": said("The user wants to make the garden beautiful before Sunday. Open: paint the gate.")})
	return tr.String()
}

// labelled writes a file of labels.
func labelled(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "labels.txt")
	if err := os.WriteFile(path, []byte("# labels\n\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// output returns what a run prints, which fails with these words if there are any.
func output(t *testing.T, o options, fails ...string) string {
	t.Helper()
	var b strings.Builder
	err := run(t.Context(), &b, o)
	if len(fails) == 0 && err != nil || len(fails) > 0 && (err == nil || !strings.Contains(err.Error(), fails[0])) {
		t.Fatalf("error %v, want %q", err, fails)
	}
	return b.String()
}

// row is the line of a table below a title.
func row(t *testing.T, out, title, group string) (f []string) {
	t.Helper()
	_, rest, ok := strings.Cut(out, title+" ")
	if !ok {
		t.Fatalf("no table %q in\n%s", title, out)
	}
	for line := range strings.Lines(rest) {
		if after, ok := strings.CutPrefix(line, "  "+group+" "); ok {
			return strings.Fields(after)
		}
	}
	t.Fatalf("no row %q below %q in\n%s", group, title, out)
	return nil
}

// Labels find their items again, each in its part; what the audit
// does not have is told, and what it says otherwise is printed of the tuned part
// only (J.4).
func TestEvaluationOfRealLabels(t *testing.T) {
	t.Parallel()
	root, k := fixtures(t)
	line := func(kind knowledge.Kind, verdict, part, text string) string {
		return fmt.Sprintf("%s 5 %s %s %s %s", gardened, kind, verdict, part, k.mac(text))
	}
	const prompt = "make the garden beautiful before Sunday"
	labels := labelled(t,
		line(knowledge.Todo, "kept", "tuned", "Paint the fence"), // the audit misses it
		line(knowledge.Todo, "kept", "tuned", "Paint the gate"),
		line(knowledge.Todo, "lost", "tuned", "Paint nothing"), // of another transcript
		line(knowledge.Prompt, "lost", "heldout", prompt),      // the audit finds it
		line(knowledge.Todo, "lost", "heldout", "Paint the shed"),
	)
	out := output(t, options{labels: labels, fixtures: root}, "held-out texts: precision 0.000")
	for _, want := range []struct{ title, group, counts string }{
		{"real, tuned", "texts", "[1.000 0.500 1.000 0.500 1 0 0 0 1]"},
		{"real, held out", "kind prompt", "[0.000 1.000 1.000 0.000 0 1 0 0 0]"},
		{"real, held out", "kind todo", "[1.000 1.000 1.000 1.000 0 0 0 0 1]"},
	} {
		if got := fmt.Sprint(row(t, out, want.title, want.group)); got != want.counts {
			t.Errorf("%s, %s: %s, want %s", want.title, want.group, got, want.counts)
		}
	}
	if want := "1 labels are of items that the audit does not have: map[tuned todo:1]"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	if strings.Contains(out, "Paint") || strings.Contains(out, prompt) {
		t.Errorf("the table tells texts:\n%s", out)
	}

	out = output(t, options{labels: labels, fixtures: root, disagreements: true}, "held-out texts")
	if !strings.Contains(out, "the label says kept, the matcher unclear\n  Paint the fence\n") || strings.Count(out, "the label says") != 1 {
		t.Errorf("disagreements are not those of the tuned part:\n%s", out)
	}

	out = output(t, options{labels: labels, fixtures: root, blind: 5, seed: 7})
	if strings.Count(out, prompt) != 2 || strings.Count(out, "Paint the") != 3 || strings.Contains(out, "kept") || strings.Contains(out, "lost") || strings.Contains(out, "tuned") {
		t.Errorf("a second reader sees\n%s", out)
	}

	elsewhere := fmt.Sprintf("%s 6 todo kept heldout %s", gardened, k.mac("Paint the gate")) // of another compaction
	known := labelled(t, line(knowledge.Todo, "kept", "heldout", "Paint the fence"), elsewhere)
	out = output(t, options{labels: known, fixtures: root, draw: 5, kind: "todo", seed: 7})
	if strings.Contains(out, "Paint the fence") || !strings.Contains(out, line(knowledge.Todo, "?", "heldout", "Paint the gate")+"\nPaint the gate\n") {
		t.Errorf("for new labels it prints\n%s", out)
	}
}

// What cannot be measured is said in words that help.
func TestNothingToMeasure(t *testing.T) {
	t.Parallel()
	labels := labelled(t, gardened+" 5 todo kept tuned "+key("k").mac("Paint the fence"))
	if out := output(t, options{labels: labels}); !strings.Contains(out, "the 1 labels of real compactions are skipped") || !strings.Contains(out, "set JOURNAL_FIXTURES") {
		t.Errorf("without fixtures: %s", out)
	}
	fails := func(root, want string) {
		t.Helper()
		if err := run(context.Background(), new(strings.Builder), options{labels: labels, fixtures: root}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	root, _ := fixtures(t)
	fails(root, "none of the 1 labels is of an item of the transcripts") // other bytes, other key
	broken := t.TempDir()
	dir := filepath.Join(broken, "third-party", "claude-transcripts")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "more.tar.xz"), []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(broken, "unpack it by hand")
}

func TestReadLabels(t *testing.T) {
	t.Parallel()
	mac := key("k").mac("x")
	for _, bad := range []string{
		"s 5 todo kept tuned", "s 0 todo kept tuned " + mac, "s 5 thing kept tuned " + mac, "s 5 todo maybe tuned " + mac,
		"s 5 todo kept both " + mac, "s 5 todo kept tuned " + mac[:20], "s 5 todo kept tuned " + strings.Repeat("z", 64),
	} {
		if _, err := readLabels(strings.NewReader("# a\n" + bad)); err == nil || !strings.Contains(err.Error(), "line 2 ") {
			t.Errorf("%q gives %v", bad, err)
		}
	}
}

// The labels of the repository can be read, each is of an item of its own, and about a
// third is held out, by whole sessions; what a second reader said is of some of them.
func TestLabelsOfRepository(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "replay", "audit", "testdata", "eval")
	f, err := os.Open(filepath.Join(dir, "real.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	labels, err := readLabels(f)
	if err != nil {
		t.Fatal(err)
	}
	ids, part := map[string]bool{}, map[string]string{}
	heldOut := 0
	for _, l := range labels {
		if ids[l.id()] {
			t.Errorf("%s names two labels", l.id())
		}
		ids[l.id()] = true
		if p := part[l.session]; p != "" && p != l.part() {
			t.Errorf("session %s is in both parts", l.session)
		}
		part[l.session] = l.part()
		if l.heldOut {
			heldOut++
		}
	}
	second, err := os.Open(filepath.Join(dir, "second.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if a, _, err := compare(second, labels); err != nil || a.total() < 150 {
		t.Errorf("a second reader labelled %d: %v", a.total(), err)
	}
	if len(labels) < 200 || len(part) < 15 || heldOut*4 < len(labels) || heldOut*2 > len(labels) {
		t.Errorf("%d labels of %d sessions, %d held out", len(labels), len(part), heldOut)
	}
}

// Cohen's kappa of a table from a textbook: 20 and 15 agreements, 5 and 10
// disagreements give 0.70 agreement and a kappa of 0.40.
func TestAgreement(t *testing.T) {
	t.Parallel()
	var labels []label
	var lines strings.Builder
	add := func(n int, first, second string) {
		for range n {
			l := label{kept: first == "kept", mac: key("k").mac(fmt.Sprint(len(labels)))}
			labels = append(labels, l)
			fmt.Fprintln(&lines, l.id(), second)
		}
	}
	add(20, "kept", "kept")
	add(5, "kept", "lost")
	add(10, "lost", "kept")
	add(15, "lost", "lost")
	a, differ, err := compare(strings.NewReader("# second reader\n"+lines.String()), labels)
	if err != nil || a.total() != 50 || len(differ) != 15 || math.Abs(a.share()-0.7) > 1e-9 || math.Abs(a.kappa()-0.4) > 1e-9 {
		t.Errorf("%+v, %d differ, %v: agreement %.3f, kappa %.3f", a, len(differ), err, a.share(), a.kappa())
	}
	for _, bad := range []string{"", "0123456789ab-1 kept", labels[0].id() + " perhaps", labels[0].id() + " kept\n" + labels[0].id() + " kept"} {
		if _, _, err := compare(strings.NewReader(bad), labels); err == nil {
			t.Errorf("%q counts", bad)
		}
	}
}
