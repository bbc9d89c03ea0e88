package match

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/replay/knowledge"
)

// matchOf returns where a summary says an item, nil for nowhere.
func matchOf(summary string, it Item) *Match {
	return New(summary, []Item{it}, &Vocabulary{}).Find(0)
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
		{"%s after %s", "Order: %s after %s, always."},
		{"%s is slower than %s", "Measured: %s is slower than %s."},
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
		if item := fmt.Sprintf(r.item, a, b); matchOf(summary, Words(item, item)) == nil {
			t.Errorf("%q does not say %q", summary, item)
		}
		if item := fmt.Sprintf(r.item, b, a); matchOf(summary, Words(item, item)) != nil {
			t.Errorf("%q says %q", summary, item)
		}
	})
}

// TestOrderWithoutRoles: what comes before and after a word that gives roles is told in that
// order, where the summary gives none.
func TestOrderWithoutRoles(t *testing.T) {
	t.Parallel()
	for _, item := range []string{
		"Latency matters more than throughput", "Latency comes before throughput", "Latency comes after throughput", "Latency is preferred over throughput",
		"Latency turns to throughput", "Latency comes from throughput", "Latency is bounded by throughput",
	} {
		if found := matchOf("- "+item+" here", Words(item, item)); found == nil {
			t.Errorf("%q does not say itself", item)
		}
		words := strings.Fields(item)
		turned := "- Throughput, latency: " + strings.Join(words[1:len(words)-2], " ")
		if found := matchOf(turned, Words(item, item)); found != nil {
			t.Errorf("%q says %q: %+v", turned, item, found)
		}
	}
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
		{"4. Errors:\n   - Removed fields of `retryBudget` failed\n     - Updated the tests to match", "Update tests of retryBudget", true},
		{"- Delete the documentation of the retry budget", "Write documentation of the retry budget", false},
		{"- Enabled compression of the exports", "Disable compression of the exports", false},
		{"4. Errors and fixes:\n   - Retry budget of the client: it was never spent", "Fix retry budget of the client", true},
		{"2. Key concepts:\n   - Retry budget of the client: it was never spent", "Fix retry budget of the client", false},
		{"Decide whether exports are compressed by the client", "Exports are compressed by the client", false},
		{"- Added `retryBudget` to `Client`", "Add the retryBudget limit to the Client pool", false},
		{"- 재시도 예산 문서를 삭제함", "재시도 예산 문서 작성", false},
		{"- 再試行予算の文書を削除した", "再試行予算の文書を書く", false},
	} {
		if got := matchOf(c.summary, Words(c.todo, c.todo)); (got != nil) != c.said {
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
		{`"why is the exporter written in Python?"`, "why is the exporter writen in Pythin?", true},
		{`"why is the exporter written in Kotlin?"`, "why is the exporter written in Python?", false},
		{`"please use port 80001 for the exporter"`, "please use port 80002 for the exporter", false},
		{`1. "go on" (after the review)`, "go on", true},
		{`"please find out why the nightly export fails since Monday: [log]"`, pasted, true},
		{`"please find out why the nightly import fails since Monday: [log]"`, pasted, false},
		{`"rename the column... keep the old one for a while"`, "rename the column now, please, and keep the old one for a while", true},
		{`"Implement the following plan: [plan for the exporter]"`, "Implement the following plan:\n\n# Exporter\n\nRows in batches.", true},
		{`"Implement the following plan: [plan for the exporter]"`, "Implement the following plan:\n\n# Login\n\nTokens in cookies.", false},
		{`"these rows should have an amount, right?"`, strings.Repeat("12:00:01 ERROR export row rejected\n", 20) + "\nThese rows should have an amount, right?", true},
		{`"these rows should have a currency, right?"`, strings.Repeat("12:00:01 ERROR export row rejected\n", 20) + "\nThese rows should have an amount, right?", false},
		{`"split the store"`, "split the store and encrypt both halves with the key of the tenant", false},
		// A text of several paragraphs by its title, alone or above what is quoted; a name by its beginning where it was cut.
		{`"Rows of orders are written twice in exports" (bug report)`, "Rows of orders are written twice in exports\n\nLow severity\n\nThe batch of the last page is put in again when the writer ends.", true},
		{`"Rows of orders are written" (bug report)`, "Rows of orders are written twice in exports\n\nLow severity\n\nThe batch of the last page is put in again when the writer ends.", false},
		{`"Rows are written twice in exports"`, "Rows are written twice in exports and nobody looks at the currency of what the last page has", false},
		{`"The batch of the last page is put in again..."`, "Low severity\n\nThe batch of the last page is put in again when the writer ends, so that whoever opens the export finds rows twice.", true},
		{`"it printed into the log of export 28c304f6... [output]"`, "it printed into the log of export 28c304f6-3c5f-4539\nrow rejected", true},
		{`"it printed into the log of export 29c304f6... [output]"`, "it printed into the log of export 28c304f6-3c5f-4539\nrow rejected", false},
		{`「はい」`, "はい", true},
		{`"응"`, "응", true},
	} {
		summary := "6. All user messages:\n   - " + c.entry + "\n\n7. Pending Tasks:\n   - None\n"
		if got := matchOf(summary, Words(c.prompt, knowledge.Own(c.prompt))); (got != nil) != c.said {
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
		{"- Conflicts, mended in `rows.go`", true},
		{"10. Merged the parent branch, which left a conflicted file:\n    - `store/log.go`\n11. Read `store/rows.go`", false},
		{"10. Merged the parent branch; it changes `store/rows.go`", false},
	} {
		if got := matchOf(c.summary, Failure("git merge origin/rows", failed)); (got != nil) != c.said {
			t.Errorf("%q said %v, want %v", c.summary, got, c.said)
		}
	}
}

// TestPathAsTask: a task that is nothing but a file is said by its path, what explains it
// aside.
func TestPathAsTask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		todo string
		said bool
	}{
		{"app/store/rows.go", true},
		{"app/store/rows.go (new, with tests)", true},
		{"(new) app/store/rows.go", true},
		{"app/store/rows.go app/store/log.go", false},
		{"split app/store/rows.go", false},
		{"read rows.go there", true},
		{"app/store/columns.go", false},
	} {
		if got := matchOf("- Read `store/rows.go` there", Words(c.todo, c.todo)); (got != nil) != c.said {
			t.Errorf("%q said %v, want %v", c.todo, got, c.said)
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
		// A commit by its subject.
		{"Keep the order of rows in exports (commit 1a2b3c4d)", "git commit -m 'fix: keep the order of rows in exports'", true},
		{"Keep the order of rows in exports (commits 1a2b3c4d, 2b3c4d5e)", "git commit -m 'fix: keep the order of rows in exports'", true},
		{"Committed: keep the order of rows in exports", `git commit -am "fix(store)!: keep the order of rows in exports"`, true},
		{"Committed: keep the order of rows in exports", "git commit -m \"$(cat <<'EOF'\nfeat: keep the order of rows in exports\nEOF\n)\"", true},
		// What else git did, with all that it was done to, in one sentence.
		{"Amended the last one", "git commit --amend --no-edit", true},
		{"Committed the last one", "git commit --amend --no-edit", false},
		{"Rebased onto main", "git rebase --onto main feature/old feature/rows", true},
		{"Rebased onto release", "git rebase --onto main feature/old feature/rows", false},
		{"Pushed feature/rows", "git push --set-upstream origin feature/rows", true},
		{"Pushed it", "git push -u origin HEAD", true},
		{"Pushed it", "git push origin feature/rows", false},
		{"Pushed feature/rows", "git push --force origin feature/rows", false},
		{"Pushed feature/rows with force", "git push --force origin feature/rows", true},
		{"Pulled origin/main", "git pull origin main", true},
		{"Pulled upmain", "git pull origin main", false},
		{"Tagged v1.2.0", "git tag v1.2.0", true},
		{"Tagged v1.3.0", "git tag v1.2.0", false},
		{"Pushed. Then feature/rows was reviewed", "git push origin feature/rows", false},
		{"It is not pushed: feature/rows. But pushed feature/rows later", "git push origin feature/rows", true},
		{"Nobody pushed feature/rows", "git push origin feature/rows", false},
		{"7. Pending Tasks:\n   - get feature/rows pushed", "git push origin feature/rows", false},
		{"Fetched everything", "git status", false},
		{"Pushed feature/rows", "git -C /home/dev/app push origin feature/rows", true},
		{"Keep the order of rows in exports (commit 1a2b3c4d)", "git -C /home/dev/app add a.go && git -C /home/dev/app commit -m 'fix: keep the order of rows in exports'", true},
		// What only prepares another command asks for nothing.
		{"Stashed, and rebased on main", "git stash && git fetch origin main && git rebase origin/main", true},
		{"Rebased on main", "git fetch origin main", false},
		{"Lint passes", "make fmt && make lint", true},
		{"Lint passes", "make fmt", false},
		// A look by git, by what it showed.
		{"I examined the git diff", "git diff main...HEAD", true},
		{"Replaced it by a git diff", "git diff main...HEAD", false},
		{"7. Pending Tasks:\n   - have the git diff reviewed", "git diff main...HEAD", false},
		// Files that were moved.
		{"Moved it to `docs/rows/scenarios.md`", "mv docs/scenarios.md docs/rows/scenarios.md", true},
		{"Moved another file", "mv docs/scenarios.md docs/rows/scenarios.md", false},
		// Where a command ends.
		{"`pytest` passes", "pytest", true},
		{"pytest passes", "pytest", false},
		{"`pytest` is there", "pytest", false},
		{"`./build.sh release` passes", "./build.sh release", true},
		{"`old/build.sh release` passes", "./build.sh release", false},
		{"`remake lint` is there", "make lint", false},
		{"Formatting and lint pass", "make lint", true},
		{"Formatting and lint do not pass", "make lint", false},
		{"7. Pending Tasks:\n   - see lint pass", "make lint", false},
		{"All tests pass", "make tests", true},
		{"All tests pass", "go test ./store 2>&1 | tail", true},
		// Tests that were picked, by a sentence about all of them.
		{"All tests pass", "go test ./store -run TestPutTwice", true},
		{"**Flaky `TestGet`**: it slept. All tests pass", "go test ./store -run TestPutTwice", false},
		// The beginning of a command, as a code span.
		{"I took some hunks with `git add -p`", "git add -p store/rows.go << 'EOF'\ny\nn\nEOF", true},
		{"I took some hunks with git add -p", "git add -p store/rows.go", false},
		{"I ran `git add`", "git add -p store/rows.go", false},
		{"7. Pending Tasks:\n   - run `git add -p`", "git add -p store/rows.go", false},
		// A commit, by half of its subject.
		{"The export has its rows in the order of the table", "git commit -m 'Keep the order of rows in each export'", true},
		{"7. Pending Tasks:\n   - the order of the rows of an export", "git commit -m 'Keep the order of rows in each export'", false},
		{"`make lint/all` passes", "make lint", false},
		{"`make lint=all` passes", "make lint", false},
		{"`make lint.all` passes", "make lint", false},
		{"`make lints` passes", "make lint", false},
		{"make lint: passes", "make lint", true},
		{"it passes with make lint. Good", "make lint", true},
		{"`make lint || true` passes", "make lint", true},
		{"`make lint | tail` passes", "make lint", true},
		{"`make lint ./store` passes", "make lint", false},
		{"`make lint /store` passes", "make lint", false},
		{"`make lint .hidden` passes", "make lint", false},
		{"`make lint > log` passes", "make lint", false},
		{"`make lint & wait` passes", "make lint", false},
		{"`make lint -k` passes", "make lint", false},
		{"make lint - it passes", "make lint", true},
		{"`make lint store/rows` passes", "make lint", false},
		{"`make lint V=1` passes", "make lint", false},
		{"`make lint 3` passes", "make lint", false},
		{"make lint passes", "make lint", true},
		{"make lint passes\n3/4 of it", "make lint", true},
		// Without what changes nothing of what it was run for.
		{"`go test ./store` passes", "go test -v -count=1 ./store", true},
		{"`go test ./store` passes", "go test -race ./store", false},
		{"`go vet` passes", "go vet ./...", true},
		{"`go vet` passes", "go vet .", true},
		{"`go vet` passes", "go vet store/", true},
		{"`go vet` passes", "go vet store", false},
		{"7. Pending Tasks:\n   - `go vet` passes", "go vet ./...", false},
		{"`go vet` is there", "go vet ./...", false},
		{"`go vet` passes", "go vet ./... && make lint", false},
		// A task that ran or passed, but for tests; a build of the whole project.
		{"Ran fmt, lint and tests", "mise run fmt", true},
		{"Ran fmt, lint and tests", "mise run test", true},
		{"Tests expect two rows", "mise run test", false},
		{"- Run fmt and lint", "mise run fmt", false},
		{"After the merge the code compiled successfully", "go build ./... 2>&1 | head", true},
		{"After the merge the code compiled successfully", "go build ./store", false},
		{"The build is not clean", "go build ./...", false},
		// A call of GitHub by what it did.
		{"Pushed, and created PR #136", "gh pr create --title 'Rows by day' --body x", true},
		{"The user asked to create a PR", "gh pr create --title 'Rows by day'", false},
		{"Created PR #136", "gh pr view 136", false},
		{"I fetched the details of PR #136", "gh pr view 136 --json title", true},
		{"I fetched the diff of PR #136", "gh api repos/o/r/pulls/136/files --jq '.[].filename'", true},
		{"Replied to all comments of the PR", "gh api repos/o/r/pulls/7/comments/2738999764/replies -f body='Fixed in 3696270'", true},
		{"7. Pending Tasks:\n   - comments to be replied to", "gh api repos/o/r/pulls/7/comments/2738999764/replies -f body=Done", false},
		{"Found seven new comments", "gh api repos/o/r/pulls/7/comments --paginate", true},
		{"Replied to all comments of the PR", "gh api repos/o/r/pulls/7/comments --paginate", false},
		{"- Replied to comment 2738999764", "gh api repos/o/r/pulls/7/comments/2738999764/replies -f body='Fixed in 3696270'", true},
		{"- Fixed in 3696270", "gh api repos/o/r/pulls/7/comments/2738999764/replies -f body='Fixed in 3696270'", false},
		{"7. Pending Tasks:\n   - reply to 2738999764", "gh api repos/o/r/pulls/7/comments/2738999764/replies -f body=Done", false},
		{"PR #136: found two red tests after I checked CI", "gh pr checks 136", true},
		{"7. Pending Tasks:\n   - see that CI was checked", "gh run list --limit 3", false},
		// A program behind what starts it, a task of a workspace.
		{"All tests pass", "npx playwright test rows.spec.ts --reporter=list", true},
		{"All tests pass", "uv run pytest", true},
		{"All tests pass", "npx serve dist", false},
		{"All tests pass", "pnpm --filter @shop/store-front test -- --reporter=dot", true},
		{"All tests pass", "pnpm --filter @shop/store-front build -- test", false},
		// What was made, counted and looked for.
		{"I created the branch `feature/rows` from main", "git checkout -b feature/rows origin/main", true},
		{"I left the branch `feature/rows`", "git checkout -b feature/rows", false},
		{"I created the branch `feature/rows-old` from main", "git checkout -b feature/rows", false},
		{"Created the ledger package", "mkdir -p /home/u/shop/ledger", true},
		{"Created the rows package", "mkdir -p /home/u/shop/ledger", false},
		{"The branch has commits of session 914", "git log --oneline main..HEAD", false},
		{"The branch has 5 atomic commits", "git log --oneline -5", false},
		{"I checked for an existing NOTES.md (none found)", "ls /home/u/shop/spec/NOTES.md 2>/dev/null", true},
		{"The rows are described in NOTES.md", "ls /home/u/shop/spec/NOTES.md", false},
		// Tests by their names.
		{"TestPutTwice passes now", "go test ./store -run=TestPutTwice/empty", true},
		{"TestPutTwice passes now", "go test ./store -run=TestPut", false},
		{"test_put_twice_empty passes now", "pytest -k test_put_twice", true},
		{"TestPutTwiceEmpty passes now", "go test ./store -run TestPutTwice", true},
		{"TestPutTwices passes now", "go test ./store -run TestPutTwice", false},
		{"MyTestPutTwice passes now", "go test ./store -run TestPutTwice", false},
		{"TestPuts passes now", "go test ./store -run TestPuts", true},
		{"TestPut passes now", "go test ./store -run TestPut", false},
	} {
		if got := matchOf(c.summary, Command(c.command, "", "")); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.command, got, c.said)
		}
	}
}

// TestFlagsThatSayNothing: how much a command prints is not said, what it does is.
func TestFlagsThatSayNothing(t *testing.T) {
	t.Parallel()
	for flag, said := range map[string]bool{
		"-v": true, "-vv": true, "--verbose": true, "-count=1": true, "-q": true, "--quiet": true, "--no-edit": true, "--no-pager": true,
		"-race": false, "-run=TestPut": false, "--no-verify": false,
	} {
		if found := matchOf("Ran `go test ./store` at last", Command("go test "+flag+" ./store", "", "")); (found != nil) != said {
			t.Errorf("%s: said %v, want %v", flag, found, said)
		}
	}
}

// TestCommandInOtherQuotes: a command is said whatever quotes it stands in.
func TestCommandInOtherQuotes(t *testing.T) {
	t.Parallel()
	const command = "psql -c 'select rows' orders"
	for said, want := range map[string]bool{
		"Ran `psql -c \"select rows\" orders` once": true, "Ran `psql -c 'select rows' orders` once": true, "Ran psql -c select rows orders once": true,
		"Ran `psql -c \"select columns\" orders` once": false,
	} {
		if found := matchOf(said, Command(command, "", "")); (found != nil) != want {
			t.Errorf("%s: %v, want %v", said, found, want)
		}
	}
}

// TestDoneTask: most words say a task that is done, but not among what is still to be done, nor in what the client adds.
func TestDoneTask(t *testing.T) {
	t.Parallel()
	for summary, want := range map[string]bool{
		"- Export: rows in batches of 500, tests included":                                     true,
		"7. Pending Tasks:\n   - Export: rows in batches of 500, tests included":               false,
		"Done.\n\nIf you need specific details from before compaction, export rows in batches": false,
		"- No rows in batches, the export stays":                                               false,
	} {
		if found := matchOf(summary, Task("Write rows of the export in batches", true)); (found != nil) != want {
			t.Errorf("%q: %+v, want %v", summary, found, want)
		}
	}
}

// TestTaskOfChecks: a task that is nothing but tests and linters is told by how they ended.
func TestTaskOfChecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		summary, task string
		said          bool
	}{
		{"- Fixed lint issues, all tests pass", "`make fmt && make lint && make test`", true},
		{"- All tests pass", "Verify all tests pass and run CI checks", true},
		{"- All tests pass", "Run tests to verify fixes", true},
		{"- All tests pass", "Run tests and lint", false},
		{"- The test of lint rules runs too long", "Run tests and lint", false},
		{"- All tests pass", "Run the tests of the exporter", false},
		{"- Tests fail", "Run all tests", false},
		{"7. Pending Tasks:\n   - see all tests pass", "Run all tests", false},
	} {
		if got := matchOf(c.summary, Task(c.task, true)); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.task, got, c.said)
		}
	}
}

// TestBareName: a base name without a dot is a word like any other.
func TestBareName(t *testing.T) {
	t.Parallel()
	for summary, want := range map[string]bool{"Everything in go": false, "The task `lint/go`": true} {
		if found := matchOf(summary, Path("/src/tasks/lint/go")); (found != nil) != want {
			t.Errorf("%q: %+v, want %v", summary, found, want)
		}
	}
}

// TestPathOfWindows: a path with backslashes has ends like any other, and a summary may spell it with either.
func TestPathOfWindows(t *testing.T) {
	t.Parallel()
	for summary, want := range map[string]bool{
		`edited src\index.ts`:                    true,
		"edited src/index.ts":                    true,
		`edited C:\\Users\\ana\\src\\index.ts`:   true,
		"edited index.ts":                        false, // another file of the session ends so
		`edited D:\old\src\index.ts.bak`:         false,
		"the sources, and their index, in types": false,
	} {
		items := []Item{Path(`C:\Users\ana\src\index.ts`), Path(`C:\Users\ana\test\index.ts`)}
		if found := New(summary, items, &Vocabulary{}).Find(0); (found != nil) != want {
			t.Errorf("%q: %+v, want %v", summary, found, want)
		}
	}
	if found := matchOf("edited src/index.ts", Path("src/index.ts")); found == nil {
		t.Error("a path of POSIX is not found")
	}
}

// TestPathFromTheRoot: a path of the project may be written with a slash before it.
func TestPathFromTheRoot(t *testing.T) {
	t.Parallel()
	for summary, want := range map[string]bool{
		"### `/app/api/route.ts`": true, "Fixed app/api/route.ts": true, "### `lib/app/api/route.ts`": false, "### `../app/api/route.ts`": false, "### `~/app/api/route.ts`": false,
	} {
		if found := matchOf(summary, Path("/home/dev/my shop/app/api/route.ts")); (found != nil) != want {
			t.Errorf("%q: %+v, want %v", summary, found, want)
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
		{"`TestPutTwice` failed because of the clock", "go test ./store", "--- FAIL: TestPutTwice (0.01s)\nFAIL\n", true},
		{"The machine can't run Docker", "docker ps", "sh: command not found: docker\n", true},
		{"The machine has no Docker", "docker ps", "bash: docker: command not found\n", true},
		{"Docker is there, but not the network", "docker ps", "bash: docker: command not found\n", false},
		{"The tests need Docker", "docker ps", "bash: docker: command not found\n", false},
		{"The files are in `rows-all/` (not `rows-2`)", "ls rows-2/*.md", "zsh: no matches found: rows-2/*.md\n", true},
		{"The files are in `rows-2`", "ls rows-2/*.md", "zsh: no matches found: rows-2/*.md\n", false},
		{"`TestPutTwice` failed because of the clock", "go test ./store -run TestPutTwice", "", true},
		{"`TestPutTwice` failed because of the clock", "go test ./store -run TestPutTwice", "no such directory", false},
		{"`putTwice` unit tests were failing", "go test ./store -run 'TestPutTwice|TestGetTwice'", "", true},
		{"`putTwice` was failing", "go test ./store -run 'TestPutTwice|TestGetTwice'", "", false},
		// A file, in a sentence about something wrong that says more of it.
		{"I was mending compilation errors in `rows.go`", "go build ./...", "store/rows.go:16:3: cannot use id (variable of type string) as ID value", true},
		{"I was mending errors in `rows.go`", "go build ./...", "store/rows.go:16:3: cannot use id (variable of type string) as ID value", false},
		{"I compiled `rows.go`", "go build ./...", "store/rows.go:16:3: cannot use id (variable of type string) as ID value", false},
		{"4. Errors and fixes:\n   - Git lock file: removed `/p/.git/index.lock`", "git rebase main", "error: Unable to create '/p/.git/index.lock': File exists.", true},
		{"4. Errors and fixes:\n   - Removed `/p/.git/rows.lock`", "git rebase main", "error: Unable to create '/p/.git/index.lock': File exists.", false},
		{"The lint errors were mended", "make lint", "", true},
		{"4. Errors:\n   - Build errors of the store", "go build ./...", "", true},
		{"Build errors of the store", "go build ./...", "store/rows.go:41:9: undefined: rows", false},
		{"2. Work:\n   - Added `TestPutTwice` first\n   - Test failed as it should (TDD)", "go test ./store -run TestPutTwice", "", true},
		{"4. Errors and fixes:\n   - Linter error `appendAssign`: assigned to the same one", "make lint", "store/rows.go:41:9: appendAssign: append result not assigned to the same slice (gocritic)", true},
		{"No lint errors were left", "make lint", "", false},
		{"Added `TestPutTwice` for the clock", "go test ./store", "--- FAIL: TestPutTwice (0.01s)\nFAIL\n", false},
		{"`TestPutTwice` failed because of the clock", "go test ./store", "FAIL: TestGet, FAIL: TestPutTwice, FAIL example.com/store", true},
		{"- **store_test.go**: new tests\n  - `TestPutTwice`, twice at once\n  Tests confirmed FAILING (red phase)", "go test ./store", "FAIL: TestPutTwice", true},
		{"- **store_test.go**: new tests\n  - `TestPutTwice`, twice at once\n  All tests pass", "go test ./store", "FAIL: TestPutTwice", false},
		{"- **store_test.go**: new tests\n  - `TestPutTwice`, twice at once\n  `TestGet` is a failing test", "go test ./store", "FAIL: TestPutTwice", false},
		{"- **store_test.go**: new tests\n  - `TestPutTwice`, twice at once\n- **rows_test.go**: new tests\n  Tests confirmed FAILING", "go test ./store", "FAIL: TestPutTwice", false},
		{"1. **Tests**: two tests failed for the clock and were mended:\n   - `TestPutTwice`\n   - `TestGet`", "go test ./store", "FAIL: TestPutTwice", true},
		{"1. **Tests**: two were added for the clock:\n   - `TestPutTwice`\n   - `TestGet`", "go test ./store", "FAIL: TestPutTwice", false},
		{"It expects 42.9 % and got 31.3 %", "go test ./store", "rows_test.go:76: share = 33.3%, want ~42.9% (whole)", false},
		// Where the error says only that something failed, the task says it, but no run of some tests.
		{"The whole suite of tests had two failures", "go test ./... -v 2>&1 | tail -50", "FAIL\texample.org/store\nFAIL\n", true},
		{"The whole suite of tests had two failures", "go test ./store -run TestPutTwice", "FAIL\texample.org/store", false},
		{"The whole suite of tests had no failures", "go test ./...", "FAIL\texample.org/store", false},
		{"All six files of tests failed to compile", "flutter test test/rows", "", true},
		{"Fixed: `store/test.go` had a failure", "flutter test test/rows", "", false},
		// Which test failed in a run of all is the cause; so a cause tells it, but no run of some tests.
		{"4. Errors:\n   - Tests failed because the clock was read twice", "make test", "FAIL: TestPutTwice, FAIL example.org/store", true},
		{"4. Errors:\n   - Tests failed because the clock was read twice", "go test ./store -run TestPutTwice", "FAIL: TestPutTwice", false},
		{"4. Errors:\n   - Test failures", "make test", "FAIL: TestPutTwice, FAIL example.org/store", false},
		// Messages of linters with a prefix, with advice, about an entry of errors that names another thing with a dot.
		{"4. Errors:\n- **Linter (nilerr)**: it returned nil when `id.New` failed", "make lint", "[lint:go] store/rows.go:7:3: error is not nil but it returns nil (nilerr)", true},
		{"4. Errors:\n- **Linter (nilerr)**: `log.go` returned nil", "make lint", "store/rows.go:7:3: error is not nil but it returns nil (nilerr)", false},
		{"- 27 errors in `rows.dart`:\n  - `state` is undefined", "dart analyze lib", "Analyzing lib\n  error - rows.dart:7:3 - Undefined name 'state'. Try correcting the name. - undefined_identifier", true},
		{"- 27 errors in `log.dart`:\n  - `state` is undefined", "dart analyze lib", "Analyzing lib\n  error - rows.dart:7:3 - Undefined name 'state'. Try correcting the name. - undefined_identifier", false},
		{"`TestPutTwice` failed no more", "go test ./store", "--- FAIL: TestPutTwice (0.01s)\nFAIL\n", false},
		{"`npm test` first failed: `AssertionError: expected 7 rows, got 6`", "cd web && npm test", "AssertionError: expected 7 rows, got 6", true},
		{"`make lint` failed: no\trows\u00a0 left in\u2003it", "make lint", "no rows left in it", true},
		{"`make lint` failed: no rows left in it", "make lint", "no\trows  left in it", true},
		{"4. Errors: the build stopped, cannot find module 'lib/rows'", "node run.js", "node:internal\nCannot find module 'lib/rows' imported from web and all that it has to do with rows\n", true},
		{"4. Errors: cannot find module", "node run.js", "node:internal\nCannot find module 'lib/rows' imported from web and all that it has to do with rows\n", false},
		{"4. Errors: the command failed, cannot find module 'lib/rows' there", "node run.js", "node:internal\nCannot find module 'lib/rows'\n", true},
		{"4. Errors: the command failed, cannot find module 'lib/rows'", "node run.js", "node:internal\nCannot find module 'lib/rows' here\n", true},
		{"`npm test` first failed: `AssertionError: expected 7 rows, got 6`", "cd web && npm test", "AssertionError: expected 7 rows, got 5", false},
		// What was not reached, and where; what does not work; a directory above what is not there; a pattern.
		{"**SSH timeout to db1.example.org**: it takes none", `timeout 9 ssh root@db1.example.org "rows ping"`, "Exit code 124", true},
		{"**SSH timeout to db2.example.org**: it takes none", `timeout 9 ssh root@db1.example.org "rows ping"`, "Exit code 124", false},
		{"**SSH timeout to db1.example.org**: it takes none", `ssh root@db1.example.org "tail rows.log"`, "error: no rows", false},
		{"**SSH timeout to db1.example.org**: it takes none", `ssh root@db1.example.org "tail rows.log"`, `Background command "Read the log" failed with exit code 255`, true},
		{"Four tests failed for the clock", "npx playwright test web/rows.spec.ts", "Running 5 tests using 5 workers\n  ✘ 2 web/rows.spec.ts:50:7 › Rows", false},
		{"The machine has a Python that does not work", "python3 --version", "/usr/local/stub/python3", true},
		{"The machine has a Python that works", "python3 --version", "/usr/local/stub/python3", false},
		{"`/mnt/c/` is not accessible", "ls /mnt/c/data/rows/", "ls: cannot access '/mnt/c/data/rows/': No such file or directory", true},
		{"`/mnt/d/` is not accessible", "ls /mnt/c/data/rows/", "ls: cannot access '/mnt/c/data/rows/': No such file or directory", false},
		{"`pathspec 'web/rows/page.json' did not match any files`", "git add web/*/page.json", "(eval):1: no matches found: web/*/page.json", true},
		{"`pathspec 'web/rows/list.json' did not match any files`", "git add web/*/page.json", "(eval):1: no matches found: web/*/page.json", false},
		// A file, under the command that failed.
		{"Running `npx playwright test` failed with errors:\n- `web/rows.spec.ts`: an extra brace", "npx playwright test --headed", "SyntaxError: /p/web/rows.spec.ts: Unexpected token (12:3)", true},
		{"Running `npx playwright test` failed with errors:\n- `web/page.spec.ts`: an extra brace", "npx playwright test --headed", "SyntaxError: /p/web/rows.spec.ts: Unexpected token (12:3)", false},
	} {
		if got := matchOf(c.summary, Failure(c.command, c.detail)); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.detail, got, c.said)
		}
	}
}

// TestPastedFailure: a pasted output is told by the test that it says failed.
func TestPastedFailure(t *testing.T) {
	t.Parallel()
	const pasted = "--- FAIL: TestPutTwice (3.40s)\n    store_test.go:9: rows differ\n"
	for summary, want := range map[string]bool{"Shared a failure of `TestPutTwice`": true, "Wrote `TestPutTwice`": false} {
		if found := matchOf(summary, Words(pasted, "")); (found != nil) != want {
			t.Errorf("%q: %+v, want %v", summary, found, want)
		}
	}
}

// TestCommandByItsPurpose: what a command was for is told by the table of purposes, by most of what it names, and by what the
// agent said that it was for.
func TestCommandByItsPurpose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		summary, command, about string
		said                    bool
	}{
		// Files that are written, changed, moved and removed.
		{"Created `store/rows.sql` with the new column", "cat > /tmp/store/rows.sql << 'EOF'\nALTER TABLE rows\nEOF", "", true},
		{"Read `store/rows.sql`", "cat > /tmp/store/rows.sql << 'EOF'\nALTER TABLE rows\nEOF", "", false},
		{"Created `store/columns.sql`", "cat > store/rows.sql << 'EOF'\nALTER TABLE rows\nEOF", "", false},
		{"Replaced nil by a context in `rows_test.go`", "sed -i 's/nil/ctx/' store/rows_test.go", "", true},
		{"Replaced nil in `rows_test.go`", "sed -n 's/nil/ctx/p' store/rows_test.go", "", false},
		{"Read `rows_test.go`", "sed -n 1,20p store/rows_test.go", "", true},
		{"Wrote `rows.json`", "jq .rows a.json > store/rows.json", "", true},
		{"Wrote `rows.json`", "jq .rows store/rows.json > /dev/null", "", false},
		{"Removed `legacy.go`", "rm -f store/legacy.go", "", true},
		{"Nobody removed `legacy.go`", "rm -f store/legacy.go", "", false},
		{"7. Pending Tasks:\n   - see `legacy.go` removed", "rm -f store/legacy.go", "", false},
		// What is installed, migrated and started; numbers must be told.
		{"Installed `left-pad` and `chalk`", "npm install left-pad chalk", "", true},
		{"Installed `left-pad`", "npm install chalk", "", false},
		{"Installed the dependencies", "cd web && npm install", "", true},
		{"Restarted the containers `web` and `proxy`", "docker compose restart web proxy", "", true},
		{"Restarted `web` only", "docker compose restart db proxy", "", false},
		{"Ran `settle.py` for 2026-02-11", "python settle.py --date 2026-02-11", "", true},
		{"Ran `settle.py` for 2026-02-11", "python settle.py 2026-02-12", "", false},
		// Most of several commands; what only looks or prepares is not asked for beside them.
		{"Lint passes, and all tests pass", "npm run lint && npm test && npm run build", "", true},
		{"All tests pass", "npm run lint && npm test", "", false},
		{"Pushed feature/rows", "git status && git push origin feature/rows && git log --oneline -3", "", true},
		// A look, by a sentence that it was read.
		{"Searched for `RowWriter` in `store/export.go`", `grep -rn "RowWriter" store/export.go | head`, "", true},
		{"`RowWriter` in `store/export.go` batches", `grep -rn "RowWriter" store/export.go | head`, "", false},
		{"Checked git status: two files", "git status --short | head", "", true},
		{"The status of the export was checked", "git status", "", false},
		{"Fetched the review comments of PR #136", "gh pr view 136 --json comments", "", true},
		{"Fetched the review comments of PR #137", "gh pr view 136 --json comments", "", false},
		// In another shell, and under another test's name.
		{"All tests pass", `bash -c "cd web && npx vitest run 2>&1"`, "", true},
		{"All tests of `rows.spec.ts` pass", "npx playwright test tests/columns.spec.ts", "", false},
		// A verb alone is not enough, unless it is git's.
		{"The exports are created at night", "npm init -y", "", false},
		// What the agent says it is for, if it did something.
		{"Upgraded the module and restarted Odoo", "docker exec web odoo -d x -u kpi && docker-compose restart web", "Upgrade module and restart", true},
		{"The module is upgraded next, then restarted", "docker exec web odoo -d x -u kpi", "Deploy the dashboards", false},
		{"4. Database\n   - Four migrations, one for contacts\n   - Ran all of them", "psql -U me -f 004.sql", "Run contacts migration", true},
		{"7. Pending Tasks:\n   - Ran contacts migration", "psql -U me -f 004.sql", "Run contacts migration", false},
		{"Checked the contacts table", `psql -U me -c "select 1"`, "Check contacts table", false},
		{"Listed the contacts", "ls contacts-2", "List contacts", false},
		// A push, wherever to; a commit by all that the agent called it.
		{"Successfully pushed with a link of a pull request", "git push -u origin 007-rows", "", true},
		{"Pushed `feature/columns` to the server", "git push -u origin 007-rows", "", false},
		{"Nobody pushed the rows", "git push -u origin 007-rows", "", false},
		{"Committed the export triggers and pushed", "git add a && git commit -m 'build: once more' && git push", "Commit export triggers and push", true},
		{"Committed the triggers and pushed", "git add a && git commit -m 'build: once more' && git push", "Commit export triggers and push", false},
		{"Committed the fix", "git commit -m 'build: once more'", "Commit fix", false},
		// A look, by the thing that it was for; initials are none.
		{"`clearRows()` (line 56): empties the table", "sed -n 50,60p web/table.js", "Inspect clearRows", true},
		{"The table is emptied", "sed -n 50,60p web/table.js", "Inspect clearRows", false},
		{"The PR counts the rows", `python3 -c "print(1)"`, "Check PR count", false},
		{"7. Pending Tasks:\n   - empty the table by clearRows", "sed -n 50,60p web/table.js", "Inspect clearRows", false},
		// What a call of GitHub is about may stand above.
		{"**Phase 2: PR of the rows**\n- Verified that it is merged (5)", "gh pr view 5 --json state", "", true},
		{"**Phase 2: rows**\n- Verified that it is merged (5)", "gh pr view 5 --json state", "", false},
	} {
		if got := matchOf(c.summary, Command(c.command, c.about, "")); (got != nil) != c.said {
			t.Errorf("%q: %q (%s) said %v, want %v", c.summary, c.command, c.about, got, c.said)
		}
	}
}

// TestCommandByItsOutput: a commit is told by its hash, a look at data by what only it printed. Files, branches and what
// others printed too tell nothing.
func TestCommandByItsOutput(t *testing.T) {
	t.Parallel()
	const query = `psql -c "select * from rows where id = 4711"`
	for _, c := range []struct {
		summary, command, output string
		said                     bool
	}{
		{"Shipped in commit 1a2b3c4", "git add a && git commit -m 'Count rows'", "[main 1a2b3c4] Count rows\n 1 file changed", true},
		{"Shipped in commit 4d5e6f7", "git add a && git commit -m 'Count rows'", "[main 1a2b3c4] Count rows\n 1 file changed", false},
		{"7. Pending Tasks:\n   - take back 1a2b3c4", "git add a && git commit -m 'Count rows'", "[main 1a2b3c4] Count rows", false},
		{"It was due at 11:42:17", query, "due | 11:42:17\n(1 row)", true},
		{"It was due at 11:42:18", query, "due | 11:42:17\n(1 row)", false},
		{"7. Pending Tasks:\n   - due at 11:42:17", query, "due | 11:42:17\n(1 row)", false},
		{"The row 4711 is wanted", query, "id | 4711", false},
		{"It was due at 09:30:00", query, "due | 09:30:00\n(1 row)", false},
		{"The fields are `row_id`, `due_at` and `paid_at`", query, "row_id due_at paid_at", true},
		{"The field is `row_id`", query, "row_id due_at paid_at made_at kept_at sent_at", false},
		{"The fields are `row_id` and `due_at`", query, "row_id due_at paid_at made_at kept_at sent_at", true},
		{"`rows_2.csv` is there", "ls data", "rows_2.csv", false},
		{"`rows_2.csv` and `feature/rows_3` are there", query, "rows_2.csv feature/rows_3", false},
		{"The hash is 1a2b3c4", "git log -1", "1a2b3c4 Count rows", false},
	} {
		m := New(c.summary, []Item{Command(c.command, "", c.output), Command("date", "", "09:30:00")}, &Vocabulary{})
		if got := m.Find(0); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.output, got, c.said)
		}
	}
}

// TestTaskInAnotherScript: all its Latin words in one sentence tell a task that is written in another script than the summary.
func TestTaskInAnotherScript(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]bool{
		"建立 ROWS 維護頁面 HTML": true, "내보내기 V2.0 작성": true, "建立 COLUMNS 維護頁面 HTML": false, "測試 page": false, "빌드 a": false,
	} {
		if got := matchOf("- `rows.html`: maintenance page in HTML for ROWS\n- The system V2.0 is written", Task(task, true)); (got != nil) != want {
			t.Errorf("%q said %v, want %v", task, got, want)
		}
	}
}

// TestWithoutAsides: what a text says in parentheses or behind a dash need not be told.
func TestWithoutAsides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		summary string
		it      Item
		said    bool
	}{
		{"- Webhook URL approach", Words("Webhook URL (Recommended)", "Webhook URL (Recommended)"), true},
		{"- Bot approach", Words("Webhook URL (Recommended)", "Webhook URL (Recommended)"), false},
		{"- Created `src/discord.ts`", Task("Create src/discord.ts — sender of what Discord shows (French)", true), true},
		{"- **`C:\\p\\web\\src\\discord.ts`** sends", Task("Create src/discord.ts — sender of what Discord shows", true), true},
		{"- **`C:\\p\\web\\src\\weather.ts`** sends", Task("Create src/discord.ts — sender of what Discord shows", true), false},
		{"- `make fmt && make lint && make test` all passed", Task("Run lint and all tests", true), true},
		{"- Built successfully: 4.3 KB", Task("`npm run build` — produces a small bundle", true), true},
		{"- Local testing (`npm run dev`)", Task("`npm run dev` — sends real messages with the forecast", true), false},
	} {
		if got := matchOf(c.summary, c.it); (got != nil) != c.said {
			t.Errorf("%q: %q said %v, want %v", c.summary, c.it.text, got, c.said)
		}
	}
}
