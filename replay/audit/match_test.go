package audit

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/replay/knowledge"
)

// matchOf gives where a summary says an item, nil for nowhere.
func matchOf(summary string, kind knowledge.Kind, text, detail string) *Match {
	it := Item{Kind: kind, Text: text, Detail: detail, known: knowledge.Item{Kind: kind}}
	return newMatcher(newSummary(summary), []Item{it}, &vocabulary{}).find(0)
}

// TestOrderOfNames: who changes their roles says something else, in whatever words.
func TestOrderOfNames(t *testing.T) {
	t.Parallel()
	relations := []struct{ item, summary string }{
		{"rename %s to %s", "Renamed %s to %s in all packages."},
		{"rename %s to %s", "- %s was renamed to %s"},
		{"merge %s into %s", "The user asked to merge %s into %s today."},
		{"move the cache from %s to %s", "Moved the cache from %s to %s."},
		{"replace %s by %s", "We replaced %s by %s."},
		{"%s calls %s", "As agreed %s calls %s on every start."},
		{"%s before %s", "Order: %s before %s, always."},
		{"%s between the services, %s outside", "1. %s between the services, %s outside"},
		{"prefer %s over %s", "The user prefers %s over %s."},
		{"%s를 %s로 변경", "- %s를 %s로 변경했다."},
		{"%s 브랜치를 %s에 병합", "%s 브랜치를 %s에 병합함"},
		{"%sから%sへ移す", "%sから%sへ移した。"},
		{"%sが%sを呼び出す", "%sが%sを呼び出すようにした。"},
	}
	names := rapid.SampledFrom([]string{"gateway", "ledger", "Parser", "UserStore", "main", "release/2", "redis", "v3", "orders.db", "gRPC", "REST"})
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(relations).Draw(t, "relation")
		a, b := names.Draw(t, "a"), names.Draw(t, "b")
		if a == b {
			t.Skip()
		}
		summary := fmt.Sprintf(r.summary, a, b)
		if item := fmt.Sprintf(r.item, a, b); matchOf(summary, knowledge.Decision, item, "") == nil {
			t.Errorf("%q does not say %q", summary, item)
		}
		if item := fmt.Sprintf(r.item, b, a); matchOf(summary, knowledge.Decision, item, "") != nil {
			t.Errorf("%q says %q", summary, item)
		}
	})
}

// TestOpposites: what was undone was not done, and what nothing is said to be done with
// is not removed.
func TestOpposites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		summary, todo string
		said          bool
	}{
		{"- Added `retryBudget` to the client", "Add retryBudget to the client", true},
		{"- Removed `retryBudget` from the client", "Add retryBudget to the client", false},
		{"- Removed `retryBudget` from the client", "Remove retryBudget from the client", true},
		{"- `retryBudget` of the client", "Remove retryBudget from the client", false},
		{"- Documentation of the retry budget", "Write documentation of the retry budget", true},
		{"- Delete the documentation of the retry budget", "Write documentation of the retry budget", false},
		{"- Enabled compression of the exports", "Disable compression of the exports", false},
		{"4. Errors and fixes:\n   - Retry budget of the client: it was never spent", "Fix retry budget of the client", true},
		{"2. Key concepts:\n   - Retry budget of the client: it was never spent", "Fix retry budget of the client", false},
		{"Decide whether exports are compressed by the client", "Exports are compressed by the client", false},
		{"- Added `RetryAt` to `State`\n- Read the plan\n- Read the log\n- Added `loadStateDirect` helper", "Add RetryAt to State and loadStateDirect helper", true},
		{"- Added `RetryAt` to `State`\n- Read the plan\n- Read the log\n- Removed `loadStateDirect` helper", "Add RetryAt to State and loadStateDirect helper", false},
		{"- 재시도 예산 문서를 삭제함", "재시도 예산 문서 작성", false},
		{"- 再試行予算の文書を削除した", "再試行予算の文書を書く", false},
	} {
		if got := matchOf(c.summary, knowledge.Todo, c.todo, ""); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.todo, got, c.said)
		}
	}
}

// TestQuotedShortened: a quotation can be shorter than what was said, where it says so or
// ends with a sentence that is most of it.
func TestQuotedShortened(t *testing.T) {
	t.Parallel()
	pasted := "Please find out why the nightly export fails since Monday:\n\n" + strings.Repeat("12:00:01 ERROR export row rejected\n", 20)
	for _, c := range []struct {
		entry, prompt string
		said          bool
	}{
		{`"yes"`, "yes", true},
		{`"yes"`, "no", false},
		{`"yes, but not on Fridays"`, "yes", false},
		{`1. "go on" (after the review)`, "go on", true},
		{`"please find out why the nightly export fails since Monday: [log]"`, pasted, true},
		{`"please find out why the nightly import fails since Monday: [log]"`, pasted, false},
		{`"rename the column... keep the old one for a while"`, "rename the column now, please, and keep the old one for a while", true},
		{`"Implement the following plan: [plan for the exporter]"`, "Implement the following plan:\n\n# Exporter\n\nRows in batches.", true},
		{`"Implement the following plan: [plan for the exporter]"`, "Implement the following plan:\n\n# Login\n\nTokens in cookies.", false},
		{`"these rows should have an amount, right?"`, strings.Repeat("12:00:01 ERROR export row rejected\n", 20) + "\nThese rows should have an amount, right?", true},
		{`"these rows should have a currency, right?"`, strings.Repeat("12:00:01 ERROR export row rejected\n", 20) + "\nThese rows should have an amount, right?", false},
		{`"split the store"`, "split the store and encrypt both halves with the key of the tenant", false},
		{`「はい」`, "はい", true},
		{`"응"`, "응", true},
	} {
		summary := "6. All user messages:\n   - " + c.entry + "\n\n7. Pending Tasks:\n   - None\n"
		if got := matchOf(summary, knowledge.Prompt, c.prompt, ""); (got != nil) != c.said {
			t.Errorf("%s: %.60q said %v, want %v", c.entry, c.prompt, got, c.said)
		}
	}
}

// TestConflict: a merge that stopped is told by one of its files, where the summary says
// that there are conflicts.
func TestConflict(t *testing.T) {
	t.Parallel()
	const failed = "Exit code 1\nAuto-merging store/rows.go\nCONFLICT (content): Merge conflict in store/rows.go\nAutomatic merge failed"
	for _, c := range []struct {
		summary string
		said    bool
	}{
		{"10. Merged the parent branch, which left 2 conflicted files:\n    - `store/rows.go`\n    - `store/log.go`", true},
		{"- Conflict in `store/rows.go`: both sides add a column", true},
		{"- `store/rows.go`: 충돌이 남아 있음", true},
		{"10. Merged the parent branch, which left a conflicted file:\n    - `store/log.go`\n11. Read `store/rows.go`", false},
		{"10. Merged the parent branch; it changes `store/rows.go`", false},
	} {
		if got := matchOf(c.summary, knowledge.Failure, "git merge origin/rows", failed); (got != nil) != c.said {
			t.Errorf("%q said %v, want %v", c.summary, got, c.said)
		}
	}
}

// TestCommandByItsTellingPart: neither where a command ran nor what filters its output
// has to be said, and what is only to be run did not run.
func TestCommandByItsTellingPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		summary, command string
		said             bool
	}{
		{"`go test ./store` passes", "cd /home/dev/app && go test ./store 2>&1 | tail -20", true},
		{"`go test ./store` passes", "cd /home/dev/app && go test ./queue 2>&1 | tail -20", false},
		{"`go test ./store -run TestPut` passes", "go test ./store", false},
		{"`make fmt && make lint && make check` ran", "make lint", true},
		{"7. Pending Tasks:\n   - run `make fmt && make lint`", "make fmt && make lint", false},
		{"TestPutTwice passes now", `go test ./store -run "TestPutTwice$" -v`, true},
		{"TestPutTwice passes now", `go test ./store -run "TestPutTwice|TestGetNothing" -v`, false},
		{"Committed: keep the order of rows in exports", "git add -A && git commit -m 'fix: keep the order of rows in exports'", true},
		{"Committed: keep the order of columns in exports", "git add -A && git commit -m 'fix: keep the order of rows in exports'", false},
		{"Fetched and merged `origin/feature/rows`", "git merge origin/feature/rows --no-edit", true},
		{"Fetched and merged `origin/feature/rows`", "git merge origin/feature/columns", false},
		{"Pushed feature/rows", "git push origin --delete feature/rows", false},
		{"`git diff` leaves out new files", "git diff", false},
		{"Checked `git diff`: only the exporter", "git diff", true},
		{"- Created `store/rows.go` for it", "cat > /home/dev/app/store/rows.go << 'EOF'\npackage store\nEOF", true},
		{"- Read `store/rows.go` for it", "cat > /home/dev/app/store/rows.go << 'EOF'\npackage store\nEOF", false},
	} {
		if got := matchOf(c.summary, knowledge.Command, c.command, ""); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.command, got, c.said)
		}
	}
}

// TestErrorByItsTellingLine: the test that failed, or what is wrong with a line of code.
func TestErrorByItsTellingLine(t *testing.T) {
	t.Parallel()
	const lint = "store/rows.go:41:9: Error return value of `file.Close` is not checked (errcheck)\n\treturn nil\n"
	for _, c := range []struct {
		summary, command, detail string
		said                     bool
	}{
		{"**errcheck**: error return value of `file.Close` was not checked", "make lint", lint, true},
		{"**errcheck** in rows.go", "make lint", lint, true},
		{"**errcheck** in queue.go", "make lint", lint, false},
		{"`make lint` flagged code such as `return nil` there", "make lint", lint, false},
		{"`TestPutTwice` failed because of the clock", "go test ./store", "--- FAIL: TestPutTwice (0.01s)\nFAIL\n", true},
		{"Added `TestPutTwice` for the clock", "go test ./store", "--- FAIL: TestPutTwice (0.01s)\nFAIL\n", false},
		{"`TestPutTwice` failed no more", "go test ./store", "--- FAIL: TestPutTwice (0.01s)\nFAIL\n", false},
		{"`npm test` first failed: `AssertionError: expected 7 rows, got 6`", "cd web && npm test", "AssertionError: expected 7 rows, got 6", true},
		{"`npm test` first failed: `AssertionError: expected 7 rows, got 6`", "cd web && npm test", "AssertionError: expected 7 rows, got 5", false},
	} {
		if got := matchOf(c.summary, knowledge.Failure, c.command, c.detail); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.detail, got, c.said)
		}
	}
}
