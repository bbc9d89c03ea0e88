package match_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"journal/replay/audit/match"
)

// asked returns an item of a kind.
func asked(kind, text string) match.Item {
	switch kind {
	case "file":
		return match.Path(text)
	case "todo", "plan", "refusal":
		return match.Task(text)
	}
	return match.Words(text, text)
}

var words = [...]string{"lost", "unclear", "told"}

// TestAnswers: summaries and items of three languages have the answers that stand beside them, and what cannot be detected
// is what docs/AUDIT.md links to.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"answers.txtar", "undetected.txtar"} {
		archive, err := txtar.ParseFile(filepath.Join("..", "testdata", "eval", name))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(archive.Files); i += 2 {
			summary := string(archive.Files[i].Data)
			var items []match.Item
			var lines []string
			for line := range strings.Lines(string(archive.Files[i+1].Data)) {
				f := strings.SplitN(strings.TrimSpace(line), " ", 3)
				lines = append(lines, strings.TrimSpace(line))
				items = append(items, asked(f[1], strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(f[2])))
			}
			m := match.New(summary, 0, len(summary), items, nil, &match.Vocabulary{})
			for n, line := range lines {
				verdict, at := m.Find(n)
				if want, _, _ := strings.Cut(line, " "); words[verdict] != want {
					t.Errorf("%s: %q is %s", archive.Files[i].Name, line, words[verdict])
				}
				if at != nil && summary[at.From:at.To] != at.Quote {
					t.Errorf("%s: %q does not stand at %d", line, at.Quote, at.From)
				}
			}
		}
	}
}

// find answers for one item beside others.
func find(summary string, item match.Item, others ...match.Item) string {
	verdict, _ := match.New(summary, 0, len(summary), append([]match.Item{item}, others...), nil, &match.Vocabulary{}).Find(0)
	return words[verdict]
}

// TestOneWordIsNoEvidence: a task of which the summary has the verb alone, or the noun alone, is not told, whatever else
// the session knows.
func TestOneWordIsNoEvidence(t *testing.T) {
	t.Parallel()
	shared := match.Words("migrations run in CI only, because production has no psql.", "")
	for verb, past := range map[string]string{
		"Write": "written", "Fix": "fixed", "Add": "added", "Remove": "removed", "Test": "tested", "Review": "reviewed", "Deploy": "deployed", "Investigate": "investigated",
	} {
		said := "The limiter is a token bucket now. The package comment was being " + past + ". Work goes on."
		for _, task := range []string{verb + " the migration", verb + " migration", verb + " the migration of users", verb + " the big migration for users"} {
			if got := find(said, match.Task(task), shared); got == "told" {
				t.Errorf("%q is told by %q", task, said)
			}
		}
		if got := find("Next: "+verb+" the migration of all users.", match.Task(verb+" the migration"), shared); got != "told" {
			t.Errorf("%s the migration: %s", verb, got)
		}
	}
	for item, said := range map[string]string{"릴리스": "릴리스를 준비했다.", "마이그레이션 작성": "주석을 작성했다.", "移行を書く": "コメントを書いた。", "Release": "The release is near."} {
		if got := find(said, match.Task(item)); got == "told" {
			t.Errorf("%q is told by %q", item, said)
		}
	}
}

// TestWaysToTell: exact words, a shortened quotation, an end of a path, a sentence of a long text, without asides.
func TestWaysToTell(t *testing.T) {
	t.Parallel()
	long := "Implement the following plan. " + strings.Repeat("The ledger keeps its offsets in a file of the mirror. ", 9) + "Nobody may rename the columns of the export."
	for _, c := range []struct {
		said string
		item match.Item
		want string
	}{
		{"We chose ｆｕｌｌ width.", match.Words("We chose full width", ""), "told"},
		{"- \"make the importer resumable after...\" (first message)", match.Words("make the importer resumable after a crash, and never twice", ""), "told"},
		{"- \"make the importer resumable\"", match.Words("make the importer resumable after a crash, and never twice", ""), "unclear"},
		{"Changed `internal/limiter.go` today", match.Path("/w/app/internal/limiter.go"), "told"},
		{"Changed limiter.go.bak and old/limiter.go", match.Path("/w/app/internal/limiter.go"), "lost"},
		{"Changed limiter today", match.Path("/w/app/internal/limiter"), "lost"},
		{"stock.rb を直した", match.Path("/w/app/models/stock.rb"), "told"},
		{`Changed src\app\main.go`, match.Path(`C:\w\src\app\main.go`), "told"},
		{"The offsets of the ledger are kept in a file of its mirror.", match.Words(long, long), "told"},
		{"Retry prevention was added.", match.Task("Retry Prevention (`wingman.go`)"), "told"},
		{"Retries stop after 3 minutes.", match.Words("Retries stop after 5 minutes", ""), "unclear"},
		{"TestLimiter fails since noon", match.Words("--- FAIL: TestLimiter (0.00s)\n    got 3", ""), "told"},
		{"", match.Words("anything", "anything"), "lost"},
		{"Nothing of note.", match.Words("…", "…"), "unclear"},
	} {
		if got := find(c.said, c.item); got != c.want {
			t.Errorf("%q: %s, want %s", c.said, got, c.want)
		}
	}
	if got := find("Changed limiter.go", match.Path("/w/a/limiter.go"), match.Path("/w/b/limiter.go")); got != "lost" {
		t.Errorf("a name of two files is %s", got)
	}
}

// BenchmarkMatcher is a compaction of 40 items at 12,000 characters of summary.
func BenchmarkMatcher(b *testing.B) {
	var summary strings.Builder
	for i := 0; summary.Len() < 12_000; i++ {
		summary.WriteString("- the limiter refills bucket " + strings.Repeat("x", i%7) + " every " + strings.Repeat("9", 1+i%3) + " ms and keeps its ledger in the shard of the router\n")
	}
	var items []match.Item
	for i := range 40 {
		items = append(items, match.Words("let the limiter keep "+strings.Repeat("y", i%9)+" tokens of each bucket in the ledger, and refill them every second for all routers", ""))
	}
	for b.Loop() {
		m := match.New(summary.String(), 0, summary.Len(), items, nil, &match.Vocabulary{})
		for i := range items {
			m.Find(i)
		}
	}
}

// TestPartsOfWords: a text that has only parts of the words of a long item is unclear about it, with the passage that has them.
func TestPartsOfWords(t *testing.T) {
	t.Parallel()
	sentence := "abcdefgh ijklmnop qrstuvwx. "
	text := "abcdxx yyefgh ijklxx yymnop qrstxx yyuvwx."
	for _, item := range []string{sentence, strings.Repeat(sentence, 30)} {
		var v match.Vocabulary
		verdict, at := match.New(text, 0, len(text), []match.Item{match.Words(item, item)}, nil, &v).Find(0)
		if verdict != match.Unclear || at == nil || at.Quote != strings.TrimSuffix(text, ".") {
			t.Errorf("%d words: %v at %+v", v.Count(item), verdict, at)
		}
	}
	kana := strings.Repeat("は の を。", 30)
	var v match.Vocabulary
	if verdict, at := match.New(text, 0, len(text), []match.Item{match.Words(kana, kana)}, nil, &v).Find(0); verdict != match.Unclear || at != nil {
		t.Errorf("particles: %v at %+v", verdict, at)
	}
	absent := strings.Repeat("nothing here resembles them. ", 30) + "は の を。"
	if verdict, at := match.New(text, 0, len(text), []match.Item{match.Words(absent, absent)}, nil, &v).Find(0); verdict != match.NotFound {
		t.Errorf("an absent item with a sentence of particles: %v at %+v", verdict, at)
	}
}
