package knowledge_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	"journal/replay/knowledge"
)

// TestWorthTable: docs/AUDIT.md lists the declared worths, in order.
func TestWorthTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/AUDIT.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| worth | items |\n|---|---|\n"
	ranks := map[int]string{}
	for _, w := range knowledge.Worths() {
		rank := fmt.Sprint(w.Rank)
		if other, taken := ranks[w.Rank]; taken {
			t.Errorf("%s and %s are worth the same", w.Items, other)
		}
		ranks[w.Rank] = w.Items
		table += "| " + rank + " | " + w.Items + " |\n"
	}
	if !strings.Contains(string(page), "\n"+table+"\n") {
		t.Errorf("docs/AUDIT.md lacks this table:\n%s", table)
	}
}

func rate(f *projections.Fold, i knowledge.Item) string { return knowledge.Rate(f)(i).Items }

// TestPromptWorth: standing instructions, the newest request, and earlier prompts that begin with a ban are worth keeping, in
// every language.
func TestPromptWorth(t *testing.T) {
	t.Parallel()
	for want, prompts := range map[string][]string{
		"": {
			"yes", "Yes, please!", "push it", "commit this, push and open a draft PR", "/compact", "[Image #2] yes", "👍 thanks", "no", "네, 계속해 주세요", "커밋하고 푸시해줘", "はい、続けてください",
			"use Postgres", "can you fix the failing tests?", "테스트를 병렬로 돌려줘", "整数で保存して", "why don't we keep them?", "왜 실패해?",
			"don't change the parser yet. Read it", "do not write the page for now", "keep the old column, it is read elsewhere", "remove the old column", "yes, but we don't need to commit",
			"no wait, show me the rows first", "don't we keep them?",
		},
		"earlier requests that begin with what is not to be done": {
			"no, we removed the session commands on purpose", "oh, please don’t amend commits - it breaks the reviews", "dont number the rows", "Do not touch the vendored files!", "stop writing comments into the tests",
			"remove this again, it helps nobody", "revert that, it was right before", "캐시는 지우지 말고 그대로 둬", "不要删除这些表格，其他的都可以改", "表は分けずに残してください", "コメントは消さないで", "先の変更はやめてください",
		},
		"standing instructions of the person": {
			"Always run the linter before you commit", "Good. From now on, answer in Korean.", "never push to main", "앞으로는 한국어로 답해줘", "절대 main에 푸시하지 마",
			"I prefer tabs", "以后都用中文回答，不用英文", "必ずテストを書いてから実装して", "今後は日本語で答えてください",
		},
	} {
		for _, p := range prompts {
			if got := rate(new(projections.Fold), knowledge.Item{Kind: knowledge.Earlier, Text: p}); got != want {
				t.Errorf("%q is one of the %q, want %q", p, got, want)
			}
		}
	}
	if got := rate(new(projections.Fold), knowledge.Item{Kind: knowledge.Prompt, Text: "use Postgres"}); !strings.HasPrefix(got, "the newest request") {
		t.Errorf("the newest request is one of the %s", got)
	}
}

// TestWorthOfRefusals: the person's words about a refused call are worth keeping if they are neither a reply nor a question,
// and do not only put the call off.
func TestWorthOfRefusals(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"no":                          "",
		"Why do you delete the rows?": "",
		"We can't see that, hey? So it stays open until we do?": "",
		"Why delete them? Mark them as deleted.":                "what the person said when refusing a tool call, if it is no question",
		"surely one test is enough for this?":                   "",
		"wait, let's talk about the rows":                       "",
		"let's test the export first":                           "",
		"먼저 테스트를 돌려 보자":                                         "",
		"Keep the rows, mark them as deleted":                   "what the person said when refusing a tool call, if it is no question",
	} {
		if got := rate(new(projections.Fold), knowledge.Item{Kind: knowledge.Refusal, Text: words}); got != want {
			t.Errorf("%q is one of the %s, want %s", words, got, want)
		}
	}
}

// TestLiftedInstruction: a prohibition holds until the person asks for the action. A word that only begins like it, a question about
// the action and a repeated prohibition lift nothing.
func TestLiftedInstruction(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		instruction, newer string
		lifted             bool
	}{
		{"never run the migrations", "run the migrations now", true},
		{"never run the migrations", "run", true},
		{"never run the migrations", "Runtime error: nil map in the importer. Fix it", false},
		{"don't use mocks", "Users cannot log in any more", false},
		{"don't commit the fixtures", "commit, and open a pull request", true},
		{"커밋하지 마", "커밋해 줘, 이제 다 됐으니까 바로 부탁할게", true},
		{"커밋하지 마", "커밋하고 푸시는 하지 마", true},
		{"커밋하지 마", "커밋했어?", false},
		{"커밋하지 마", "커밋하지 말라고 했는데 왜 자꾸 하는 거야", false},
		{"コミットしないで", "コミットして、プッシュはしないでください。テストも直して", true},
		{"コミットしないで", "コミットしてください。プッシュはまだしないで、後で確認する", true},
		{"コミットしないで", "コミットしないでって言ったのに、どうしてコミットしたの", false},
		{"コミットしないで", "コミットしないで、プッシュもしないで。テストだけ直してください", false},
		{"コミットしないで", "コミットしてくれますか？", true},
	} {
		f := folded(t,
			events.PromptSubmitted{Text: "Write the importer"}, events.PromptSubmitted{Text: tc.instruction},
			events.PromptSubmitted{Text: tc.newer}, events.PromptSubmitted{Text: "Write the page of the export"},
		)
		lifted := !slices.ContainsFunc(slices.Concat(knowledge.Lists(f)...), func(it knowledge.Item) bool {
			return it.Kind == knowledge.Standing && it.Text == tc.instruction
		})
		if lifted != tc.lifted {
			t.Errorf("%q after %q: lifted is %v", tc.newer, tc.instruction, lifted)
		}
	}
}

// TestSettledRefusal: words that only ask for something else are settled by a newer request; a reason or a limit is not.
func TestSettledRefusal(t *testing.T) {
	t.Parallel()
	const refused, settled = "what the person said when refusing a tool call, if it is no question", ""
	f := folded(t, events.ToolRefused{Tool: "Bash", Words: "x"}, events.PromptSubmitted{Text: "Write the page"})
	for words, want := range map[string]string{
		"reply to the comment of the export":               settled,
		"reply to the comment, but do not close it":        refused,
		"this works, however it adds a branch to the loop": refused,
		"use the helper of the export":                     refused,
		"leave the rows as they are":                       refused,
	} {
		if got := rate(f, knowledge.Item{Kind: knowledge.Refusal, Seq: 1, Text: words}); got != want {
			t.Errorf("%q is one of the %s, want %s", words, got, want)
		}
		if got := rate(f, knowledge.Item{Kind: knowledge.Refusal, Seq: 3, Text: words}); !strings.HasPrefix(got, refused) {
			t.Errorf("%q after the newest request is one of the %s", words, got)
		}
	}
}

// TestWorthOfSteps: the steps of a plan are done if all later todo items are. Headings without an instruction are no steps.
func TestWorthOfSteps(t *testing.T) {
	t.Parallel()
	todo := func(status string) events.Event {
		return events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: status}}}
	}
	plan := events.PlanApproved{Text: "## 1. Mark the rows\n## 2. Results\n## 3. Run tests and lint"}
	open, done := "steps of the approved plan that are more than checks", ""
	for name, tc := range map[string]struct {
		log  []events.Event
		want string
	}{
		"no todo items":  {[]events.Event{plan}, open},
		"all done since": {[]events.Event{plan, todo("completed")}, done},
		"one is open":    {[]events.Event{plan, todo("pending")}, open},
		"done before":    {[]events.Event{todo("completed"), plan}, open},
		"in a file":      {[]events.Event{events.PlanApproved{Text: plan.Text, File: "/home/dev/.client/plans/quiet-sea.md"}}, ""},
	} {
		f := folded(t, tc.log...)
		got := map[string]string{}
		for _, it := range slices.Concat(knowledge.Lists(f)...) {
			if it.Kind == knowledge.Step {
				got[it.Text] = rate(f, it)
			}
		}
		if len(got) != 3 || got["Run tests and lint"] != "" || got["Mark the rows"] != tc.want || got["Results"] != "" {
			t.Errorf("%s: %v, want %s", name, got, tc.want)
		}
	}
}

// TestWorthOfFiles: files are not worth keeping if they are in the project, committed, in an earlier summary, or drafts of a
// plan.
func TestWorthOfFiles(t *testing.T) {
	t.Parallel()
	for _, it := range []knowledge.Item{{Text: "/home/dev/.client/plans/quiet-sea.md"}, {Text: "/w/a.go", Tier: knowledge.Unlisted}, {Text: "/w/a.go", Summarized: true}} {
		it.Kind = knowledge.File
		if got := rate(new(projections.Fold), it); got != "" {
			t.Errorf("%s is one of the %s", it.Text, got)
		}
	}
	if got := rate(new(projections.Fold), knowledge.Item{Kind: knowledge.Refusal, Text: "Keep the rows, mark them as deleted", Summarized: true}); got != "" {
		t.Errorf("a refusal in an earlier summary is one of the %s", got)
	}
	f := folded(t, events.SessionStarted{Root: "/w"})
	for file, want := range map[string]string{
		"/w/a.go":               "",
		"/lib/rows/__init__.py": "files that were written outside of the project",
		"/tmp/rows.sh":          "",
		"/walk.txt":             "files that were written outside of the project",
	} {
		for _, state := range []string{"", "write"} {
			if got := rate(f, knowledge.Item{Kind: knowledge.File, Text: file, State: state}); got != want {
				t.Errorf("%s (%q) is one of the %s, want %s", file, state, got, want)
			}
		}
	}
}

// TestWorthOfFilesOfWindows: the worth of a file is the same however a tool spells its path.
func TestWorthOfFilesOfWindows(t *testing.T) {
	t.Parallel()
	const inTree, gone = "", ""
	f := folded(t, events.SessionStarted{Root: `C:\w`}, events.CommandRan{Command: `rm /c/w/b.md; rm c.md; rm "C:\w\d.md"`})
	for path, want := range map[string]string{
		`c:\w\a.md`: inTree, "C:/w/a.md": inTree, "/c/w/a.md": inTree, `C:\w\b.md`: gone, `C:\w\c.md`: gone, "C:/w/d.md": gone,
		`C:\walk\a.md`: "files that were written outside of the project", `C:\Users\dev\.client\plans\sea.md`: "",
	} {
		if got := rate(f, knowledge.Item{Kind: knowledge.File, Seq: 1, Text: path, State: "write"}); got != want {
			t.Errorf("%s is one of the %s, want %s", path, got, want)
		}
	}
}

// TestWorthOfRemovedFiles: a file that a command removed or moved away after it was written is not worth keeping.
func TestWorthOfRemovedFiles(t *testing.T) {
	t.Parallel()
	const gone, inTree = "", ""
	f := folded(t, events.SessionStarted{Root: "/w"}, events.CommandRan{Command: "cd /w && rm -f docs/a.md && git mv /w/docs/b.md /w/docs/c.md"}, events.CommandRan{Command: "rm docs/d.md", Failed: true})
	for path, want := range map[string]string{"/w/docs/a.md": gone, "/w/docs/b.md": gone, "/w/docs/c.md": inTree, "/w/docs/d.md": inTree, "/w/docs/aa.md": inTree} {
		if got := rate(f, knowledge.Item{Kind: knowledge.File, Seq: 1, Text: path, State: "write"}); got != want {
			t.Errorf("%s is one of the %s, want %s", path, got, want)
		}
	}
	if got := rate(f, knowledge.Item{Kind: knowledge.File, Seq: 4, Text: "/w/docs/a.md", State: "write"}); got != inTree {
		t.Errorf("a file that was written again is one of the %s", got)
	}
}

// TestWorthOfFilesInDirectories: a command that removes a directory removes the files in it.
func TestWorthOfFilesInDirectories(t *testing.T) {
	t.Parallel()
	f := folded(t, events.SessionStarted{Root: "/w"}, events.CommandRan{Command: "rm -rf /w/old"})
	for path, want := range map[string]string{
		"/w/old/a.ts": "", "/w/old/b/c.ts": "",
		"/w/older/a.ts": "",
	} {
		if got := rate(f, knowledge.Item{Kind: knowledge.File, Seq: 1, Text: path, State: "write"}); got != want {
			t.Errorf("%s is one of the %s, want %s", path, got, want)
		}
	}
}

// TestWorthOfMovedFiles: a command can move several files; only the directory to which it moves them stays.
func TestWorthOfMovedFiles(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"mv /out/a.ts /out/b.ts /kept", "mv /out/a.ts /out/b.ts .", "mv /out/a.ts . && mv /out/b.ts .", "mv -t /kept /out/a.ts /out/b.ts",
	} {
		f := folded(t, events.SessionStarted{Root: "/w"}, events.CommandRan{Command: command})
		for path, kept := range map[string]bool{"/out/a.ts": false, "/out/b.ts": false, "/kept/c.ts": true} {
			if got := rate(f, knowledge.Item{Kind: knowledge.File, Seq: 1, Text: path, State: "write"}); got != "" != kept {
				t.Errorf("%s: %s is one of the %s", command, path, got)
			}
		}
	}
}

// TestSpellingsOfPaths: tools of one agent spell a path of Windows differently, and it is one file.
func TestSpellingsOfPaths(t *testing.T) {
	t.Parallel()
	f := projections.NewFold(projections.Target{Project: "p", Session: "s"}, projections.Config{}, knowledge.Needs()...)
	for i, e := range []events.Event{
		events.PromptSubmitted{Text: "rename the reader"},
		events.ToolRefused{Tool: "Edit", Target: "/c/w/a.go", Words: "rename the tests first"},
		events.FileWritten{Path: `C:\w\a.go`, Op: "edit"},
		events.FileWritten{Path: "/c/w/a.go", Op: "edit"},
	} {
		m := events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}
		if i == 3 {
			m.Lane = "a"
		}
		f.Apply(eventstest.Wrap(t, e, m))
	}
	for _, it := range slices.Concat(knowledge.Lists(f)...) {
		switch {
		case it.Kind == knowledge.SubagentFile:
			t.Errorf("a subagent's own file is %s", it.Text)
		case it.Kind.Def().CountedAs == knowledge.Refusal || it.Kind == knowledge.Refusal:
			if it.Edited != "#3" {
				t.Errorf("the refused edit was done in %q", it.Edited)
			}
		}
	}
}

// TestPlacesOfAWrittenFile: lines that may have moved since are not shown, however the tool spells the path of the file.
func TestPlacesOfAWrittenFile(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{`C:\w\limits\a.go`: 0, "/w/limits/a.go": 0, `C:\w\limits\b.go`: 1} {
		f := folded(t,
			events.PlacesObserved{Files: []events.FilePlaces{{Path: "limits/a.go", Names: []events.Place{{Name: "Allow", Line: 7}}}}},
			events.FileWritten{Path: path, Op: "edit"},
		)
		places := 0
		for _, it := range slices.Concat(knowledge.Lists(f)...) {
			if it.Kind == knowledge.Place {
				places++
			}
		}
		if places != want {
			t.Errorf("%d places after a change of %s, want %d", places, path, want)
		}
	}
}

// folded folds events; the first has sequence 1.
func folded(t *testing.T, log ...events.Event) *projections.Fold {
	t.Helper()
	f := projections.NewFold(projections.Target{Project: "p", Session: "s"}, projections.Config{}, knowledge.Needs()...)
	for i, e := range log {
		env, err := events.Wrap(e, events.Meta{Project: "p", Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		env.Seq = uint64(i + 1)
		f.Apply(env)
	}
	return f
}

// TestSteps: the steps of a plan are its numbered headings, else its numbered items, else its items, and no lines of code.
// They are not worth keeping if a later todo list is done; an earlier one does not count.
func TestSteps(t *testing.T) {
	t.Parallel()
	done := events.TodosWritten{Todos: []events.Todo{{Text: "x", Status: "completed"}}}
	open := events.TodosWritten{Todos: []events.Todo{{Text: "x", Status: "completed"}, {Text: "y", Status: "pending"}}}
	all := events.TodosWritten{Todos: []events.Todo{{Text: "x", Status: "completed"}, {Text: "y", Status: "completed"}}}
	const stands, over = "steps of the approved plan that are more than checks", ""
	for plan, want := range map[string]string{
		"# P\n## Context\n1. slow\n2. big\n## Step 1: Read\n- how\n### 2. Write **it**\n### C. Measure:": "Read|Write it|Measure",
		"# P\n1. Read\n   1. how\n2) Write\n```\n3. code\n```\n":                                         "Read|Write",
		"# P\n- [ ] Read\n  - how\n* [x] Write":                                                          "Read|Write",
		"## 단계 1: 읽기\n## 2단계 쓰기\n":                                                                       "읽기|쓰기",
		"# Just do it\n\nand more":                                                                       "Just do it",
	} {
		f := folded(t, done, events.PlanApproved{Text: plan})
		var steps []string
		for _, it := range slices.Concat(knowledge.Lists(f)...) {
			if it.Kind != knowledge.Step {
				continue
			}
			steps = append(steps, it.Text)
			if got := rate(f, it); got != stands {
				t.Errorf("%s is one of the %s", it.ID(), got)
			}
			if got := rate(folded(t, done, events.PlanApproved{Text: plan}, open), it); got != stands {
				t.Errorf("%s with a list that is open is one of the %s", it.ID(), got)
			}
			if got := rate(folded(t, done, events.PlanApproved{Text: plan}, open, all), it); got != over {
				t.Errorf("%s with a list that is done is one of the %s", it.ID(), got)
			}
		}
		if got := strings.Join(steps, "|"); got != want {
			t.Errorf("%q has the steps %s, want %s", plan, got, want)
		}
	}
}

// TestWorthOfAnswersAndTodos: an answer whether to go on decides nothing, and a number alone is no task.
func TestWorthOfAnswersAndTodos(t *testing.T) {
	t.Parallel()
	const decided, goOn = "decisions, and answers that are no question", ""
	for _, c := range []struct {
		item knowledge.Item
		want string
	}{
		{knowledge.Item{Kind: knowledge.Answer, Text: "Next area", Detail: "More questions about keys, or move to next area?"}, goOn},
		{knowledge.Item{Kind: knowledge.Answer, Text: "Done", Detail: "More questions, or are we done with all of them?"}, goOn},
		{knowledge.Item{Kind: knowledge.Answer, Text: "Which keys are there?", Detail: "Which key opens it?"}, goOn},
		{knowledge.Item{Kind: knowledge.Answer, Text: "Next area", Detail: "Which key opens it?"}, decided},
		{knowledge.Item{Kind: knowledge.Decision, Text: "We move to next year or are we done?"}, decided},
		{knowledge.Item{Kind: knowledge.Decision, Text: "we use rows", Weak: true}, "inferred decisions"},
		{knowledge.Item{Kind: knowledge.Todo, Text: "#6", State: "in_progress"}, ""},
		{knowledge.Item{Kind: knowledge.Todo, Text: "#6", State: "completed"}, ""},
		{knowledge.Item{Kind: knowledge.Todo, Text: "#6: count rows", State: "pending"}, "todo items that are open and more than checks"},
		{knowledge.Item{Kind: knowledge.Todo, Text: "Run tests and linters", State: "pending"}, ""},
		{knowledge.Item{Kind: knowledge.Todo, Text: "Build and run the test suite in CI", State: "pending"}, ""},
		{knowledge.Item{Kind: knowledge.Todo, Text: "테스트와 린트 실행", State: "pending"}, ""},
		{knowledge.Item{Kind: knowledge.Todo, Text: "テストを実行する", State: "pending"}, ""},
		{knowledge.Item{Kind: knowledge.PortItem, Text: "Make sure the build passes"}, ""},
		{knowledge.Item{Kind: knowledge.PortItem, Text: "Test the parser on Windows"}, "open items of the running port that are more than checks"},
		{knowledge.Item{Kind: knowledge.Todo, Text: "テスト用のデータを追加する", State: "pending"}, "todo items that are open and more than checks"},
	} {
		if got := rate(new(projections.Fold), c.item); got != c.want {
			t.Errorf("%s %q is one of the %s, want %s", c.item.Kind, c.item.Text, got, c.want)
		}
	}
}

// TestSilentFailure: an error without a reason, or about how to call a program, is not worth keeping. An error about a line no
// longer counts once its file was written; reading the file does not fix it.
func TestSilentFailure(t *testing.T) {
	t.Parallel()
	f := folded(t, events.FileWritten{Path: "/w/store/c.go", Op: "edit"}, events.CommandRan{Command: "make test", Failed: true, Exit: 1},
		events.FileWritten{Path: "/w/store/a.go", Op: "edit"}, events.FileRead{Path: "/w/store/c.go"})
	const silent, stands = "commands that failed and said nothing but that, or how they are called or written", "commands that failed, and no later run fixed"
	for detail, want := range map[string]string{
		"FAIL":                                  silent,
		"FAIL example.org/store/rows":           silent,
		"Exit code 1\n[lint] ERROR task failed": silent,
		"error: unknown option `dry-run'\nusage: make [<options>]": silent,
		"gh: Not Found (HTTP 404)\n{\"status\":\"404\"}":           silent,
		"gh: Bad credentials (HTTP 401)":                           stands,
		"$ biome check\nerror: script \"lint\" exited with code 1": stands,
		"error: script \"lint\" exited with code 1":                silent,
		"Exit code 1\nFAIL store: no rows":                         stands,
		"./a.go:3:1: undefined: rows":                              "commands that failed on lines of files that were written since",
		"re/a.go:3:1: undefined: rows":                             stands,
		"":                                                         stands,
		"store/b.go:7:1: undefined: rows":                          stands,
		"store/c.go:7:1: undefined: rows":                          stands,
		"store/a.go:7:1: undefined: rows":                          "commands that failed on lines of files that were written since",
		"store/a.go:7:1: undefined: rows\nstore/b.go:7:1: no":      stands,
	} {
		if got := rate(f, knowledge.Item{Kind: knowledge.Failure, Seq: 2, Text: "make test", Detail: detail}); got != want {
			t.Errorf("%q is one of the %s, want %s", detail, got, want)
		}
	}
}

// TestFailureOfEarlierRequest: when the person went on, a failure counts only if it is of a check or has a lasting reason.
func TestFailureOfEarlierRequest(t *testing.T) {
	t.Parallel()
	const stands, passed, silent = "commands that failed, and no later run fixed", "commands that failed before the newest request, or that the person stopped",
		"commands that failed and said nothing but that, or how they are called or written"
	for _, c := range []struct{ command, said, want string }{
		{"./dump rows.csv", "KeyError: due", passed},
		{"ssh db1 'tail -5 rows.log | grep due'", "Exit code 1\nWelcome to db1", passed},
		{"npx rows test --all", "1 of 9 failed", stands},
		{"./dump rows.csv", "bash: line 1: xmlrows: command not found", stands},
		{"psql -h db1 -f rows.sql", "psql: error: connection to server at db1 failed: Connection refused", stands},
		{"sudo apt-get install rows", "sudo: a terminal is required to read the password; either use the -S option", stands},
		{"docker compose up rows", "no such service: rows", stands},
		{"npm run dev", "Command timed out after 2m", stands},
		{"./rows read", "the read timeout of the export is odd", passed},
		{"./dump rows.csv", "[Request interrupted by user for tool use]", passed},
		{"npx rows test --all", "[Request interrupted by user for tool use]", passed},
		{"./dump 'rows", "bash: -c: line 1: unexpected EOF while looking for matching `''", silent},
		{"cd rows && ./dump", "Exit code 1\n(eval):cd:1: no such file or directory: rows", silent},
		{"cd rows && ./dump", "bash: line 1: cd: rows: No such file or directory", silent},
		{"curl -s db1/rows | ./dump", "Exit code 5\njq: error (at <stdin>:1): Cannot iterate over null", silent},
		{"& 'D:\\my rows\\a.ps1'", "At D:\\my rows\\a.ps1:11 char:5\n+ }\nUnexpected token '}'", "commands that failed on lines of files that were written since"},
	} {
		f := folded(t, events.PromptSubmitted{Text: "Write the rows"}, events.CommandRan{Command: c.command, Failed: true, Error: c.said},
			events.FileWritten{Path: `D:\my rows\a.ps1`, Op: "edit"}, events.PromptSubmitted{Text: "Write the page"})
		if got := rate(f, knowledge.Item{Kind: knowledge.Failure, Seq: 2, Text: c.command, Detail: c.said}); got != c.want {
			t.Errorf("%s, %q: one of the %s, want %s", c.command, c.said, got, c.want)
		}
		if got := rate(f, knowledge.Item{Kind: knowledge.Failure, Seq: 5, Text: c.command, Detail: c.said}); c.want == passed && !strings.HasPrefix(c.said, "[") && got != stands {
			t.Errorf("%s, %q of the newest request: one of the %s", c.command, c.said, got)
		}
	}
}

// TestFailureWorth: a failure no longer counts if a later run of the same task worked or failed again. Another task, an
// earlier run and a smaller one do not settle it.
func TestFailureWorth(t *testing.T) {
	t.Parallel()
	const stands, over, looks = "commands that failed, and no later run fixed", "commands that failed and were run again", "commands that only look and found nothing"
	for _, c := range []struct{ failed, later, want string }{
		{"go test ./a", "", stands},
		{"python -m pytest tests/ -v", ". venv/bin/activate && pytest tests/", over},
		{"venv/bin/python3 -m pytest tests/", "pytest other/", stands},
		{"go test ./a", "go test ./a -count=1 -v 2>&1 | tail -5", over},
		{"cd /x && go test -v ./a 2>&1 | head -20", "go test ./... > out.txt", over},
		{"go test ./a/b", "go test ./a/...", over},
		{"go test ./a/...", "go test ./a", stands},
		{"go test ./a", "go test ./a/...", over},
		{"go test ./a/", "go test ./a/...", over},
		{"go test ./ab", "go test ./a/...", stands},
		{"go test ./a # FAIL: TestOne", "go test -run '^$' -bench . ./a", stands},
		{"go test ./a -run '^TestOne$'", "go test ./a -run '^$' -bench .", stands},
		{"go test ./a # FAIL: TestOne/row", "go test ./a -run '^TestOne$/^row$'", over},
		{"go test ./a # FAIL: TestOne/row", "go test ./a -run '^TestOne$/^row$/^1$'", stands},
		{"go test ./a # FAIL: TestOne/row", "go test ./a -run '^TestOne$/^other$'", stands},
		{"go test ./a", "go test ./a -run TestOne", stands},
		{`go test ./a -run "TestOne"`, "go test ./a", over},
		{"go test ./a", "go build ./a", stands},
		{"go test ./a", "mise run test:ci 2>&1 | tail -30", over},
		{"mise run test", "mise run test:ci", over},
		{"mise run test", "mise run test:integration", stands},
		{"npm run test:unit", "npm test", stands},
		{"make test-unit", "make test", over},
		{"golangci-lint run ./a", "mise run fmt && mise run lint", over},
		{"mise run fmt && mise run lint", "mise run lint", over},
		{"mise run test && mise run lint", "mise run lint", stands},
		{"cd /x && \\\n git show HEAD:a", "", looks},
		{"gh pr checks 142", "", looks},
		{"gh api repos/o/r/pulls/1/comments --jq '.[].body'", "", looks},
		{"gh api repos/o/r/pulls/comments/1/replies -f body=done", "", stands},
		{"gh api -X DELETE repos/o/r/issues/1", "", stands},
		{"golangci-lint --version", "", looks},
		{"go build ./a", "docker build .", stands},
		{"go build ./a", "go vet ./a", over},
		{"go build ./a", "go test ./...", over},
		{"go build ./a", "go vet ./b", stands},
		{"go vet ./a && go test ./a -run TestOne", "mise run test:ci", over},
		{"go vet ./a", "make lint", over},
		{"go vet ./a", "make docs", stands},
		{"go vet ./a", "go build ./a", stands},
		{"go build ./a", "make build", over},
		{"go build ./a", "mise run test | tail -20", over},
		{"npm run build", "npm test", stands},
		{"CI=1 timeout 60 npm test", "npm test", over},
		{"make test # FAIL: TestOne", "go test ./a -run TestOne", over},
		{"make test # FAIL: TestOne, FAIL: TestTwo", "go test ./a -run TestOne", stands},
		{"make test # FAIL: TestOne, FAIL: TestOneB, FAIL: TestOneC", "go test ./a -run TestOne", stands},
		{"make test # FAIL: TestOne", "go test ./a -run '^TestOne$'", over},
		{"make test # FAIL: TestOne", "go test ./a -run '^One$'", stands},
		{"make test # FAIL: TestOne", "go test ./a -run TestOne | head -5", stands},
		{"go test ./a # FAIL: TestOne", "go test ./b -run TestOne", stands},
		{"go test ./a/... # FAIL: TestOne", "go test ./a/b -run TestOne", over},
		{"pytest tests/ # FAIL: test_one", "pytest tests/test_a.py -k test_one", over},
		{"pytest tests/ # FAIL: test_one", "pytest tests2/test_a.py -k test_one", stands},
		{"git merge origin/a", "git merge origin/b", stands},
		{`git commit -m "Add x"`, `git commit -m "Add x, mended"`, over},
		{`git add x.go && git commit -m "Add x"`, `git commit -m "Add x"`, over},
		{"git merge origin/a # CONFLICT", `git commit -m "Merge a"`, over},
		{"git checkout main && git pull", `git commit -m "Add x"`, stands},
		{"git merge origin/a", "git merge --continue", over},
		{"git merge origin/a", "git push", stands},
		{"git checkout -- . && git merge origin/a", "git merge --abort", over},
		{"git checkout a", "", stands},
		{"git checkout a", "git checkout -b b origin/a", over},
		{"git switch a", "git checkout -t origin/b", over},
		{"git checkout -t origin/b", "git switch a", over},
		{"git switch a", "git checkout -- a.go", stands},
		{"git checkout HEAD~1 -- a.go", "git checkout b", stands},
		{"git stash && git checkout a && git pull # fatal: 'a' is already used by worktree at '/x'", "git checkout -b b origin/a", over},
		{"grep -rn TODO .", "", looks},
		{`dir "C:\p\node_modules" 2>&1 | head -5; where python`, "", looks},
		{`Get-ChildItem C:\p\dist | Select-Object -First 3`, "", looks},
		{`Get-Content a.log; npm test`, "npm test", over},
		{"git config --get user.name", "", looks},
		{"git config user.name", "", looks},
		{"git config user.name X", "", stands},
		{"git -C /x --no-pager log -1", "", looks},
		{"```` 0", "", stands},
		{`go test ./a -run "TestOne_Rows|TestOne_Names"`, "go test ./a -run TestOne", over},
		{"go test ./a -run TestOne", "go test ./a -run TestOne_Rows", stands},
		{"go test ./a -run TestOne", "go test ./a -run 'TestOne$'", stands},
		{"go test ./a -run TestOneMore", "go test ./a -run '^TestOne$'", stands},
		{"go test ./a -run '^TestOneMore$'", "go test ./a -run '^TestOne$'", stands},
		{"go test ./a -run '^TestOneMore$'", "go test ./a -run '^TestOne'", over},
		{"go test ./a -run '^TestOne$/^row$'", "go test ./a -run '^TestOne$'", over},
		{"go test ./a -run '^TestOne$/^row$'", "go test ./a -run '^TestOne$/^row$'", over},
		{"mise run lint 2>&1 | grep unparam | head -20", "mise run fmt && mise run lint | tail -5", over},
		{"go run . list --json | python3 -c 'import sys'", "go run . list --json | grep x", over},
		{"mise run test && mise run lint # [test] ERROR task failed", "mise run test | tail -3", over},
		{"mise run test && mise run lint # [lint] ERROR task failed", "mise run test | tail -3", stands},
		{"cd /x; git show HEAD:a | jq .b", "", looks},
		{"grep -rn TODO . 2>/dev/null | head -3 >&2", "", looks},
		{"sed -n 1,20p a.go", "", looks},
		{"sed -i s/a/b/ a.go", "", stands},
		{"sed -i s/a/b a.go", "sed -i.bak s/a/b/ a.go", over},
		{"sed -i s/a/b/ a.go", "sed -i s/a/b/ b.go", stands},
		{"cat a | sudo tee /etc/b", "", stands},
		{"echo a > b/c.txt", "", stands},
		{"echo a > b/c.txt", "mkdir b && printf a > b/c.txt", over},
		{"cat > a.py <<'E'\nx\nE\npython a.py", "python a.py", over},

		{"npm ci", "npm install", over},
		{"npm ci", "npm i --legacy-peer-deps 2>&1 | tail -5", over},
		{"yarn install --frozen-lockfile", "npm install", over},
		{"yarn", "pnpm i > log.txt 2>&1", over},
		{`pip install "x>=2"`, `pip install "y>=1"`, stands},
		{"npm ci", "npm install lodash", stands},
		{"npm install lodash", "npm install", stands},
		{"npm install lodash@4", "npm install", stands},
		{"npm install lodash@4", "yarn add lodash@4", over},
		{"npm install lodash", "pnpm add lodash react", over},
		{"npm install lodash react", "npm install lodash", stands},
		{"npm install -g tool", "npm install tool", stands},
		{"npm install -g tool", "sudo npm install --global tool", over},
		{"npm ci", "npm run install", stands},
		{"yarn build", "yarn", stands},
		{"pip install x", "pip3 install x", over},
		{"pip install x", "python -m pip install x", over},
		{"pip install x", "python3 -m pip install --user x", over},
		{"pip install x", ".venv/bin/pip install x y", over},
		{"pip install x", "uv pip install x", over},
		{"pip install x", "pip install y", stands},
		{"pip install x==9", "pip install x", stands},
		{"pip install -r requirements.txt", "pip install -e .", stands},
		{"pip install -r requirements.txt", "python3 -m pip install -r requirements.txt", over},
		{"pip install -e .", "pip install .", over},
		{"pip install x", "npm install x", stands},
		{"apt-get update && apt-get install -y jq", "sudo apt update && sudo apt install jq", over},
		{"apt-get install jq", "apt-get remove jq", stands},
		{"pytest tests/", "uv run pytest tests/", over},
		{"tsc --noEmit", "npx tsc --noEmit", over},
		{"npx tsc --noEmit", "npx eslint .", stands},
		{"docker-compose up", "docker compose up", over},
	} {
		log := []events.Event{events.CommandRan{Command: "go test ./..."}, events.CommandRan{Command: c.failed, Failed: true, Exit: 1}}
		if c.later != "" {
			log = append(log, events.CommandRan{Command: c.later})
		}
		f := folded(t, log...)
		if got := rate(f, knowledge.Item{Kind: knowledge.Failure, Seq: 2, Text: c.failed, Detail: c.failed}); got != c.want {
			t.Errorf("%s, then %s: one of the %s, want %s", c.failed, c.later, got, c.want)
		}
	}
}
