package match

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"journal/events/shell"
	"journal/events/text"
)

// purpose is what commands are run for.
type purpose struct {
	kind purposeKind
	of   string  // words of commands that say it
	said lexicon // words of summaries that tell it
}

type purposeKind int

const (
	acts     purposeKind = iota // it changes something, or runs a program
	prepares                    // it prepares another command
	checks                      // it checks the project: how all ended tells it
	looks                       // it only shows something
)

// purposes are those of commands. The first word of a command that one has says what the command is for.
var purposes = []purpose{
	{checks, "test tests spec specs pytest jest vitest mocha rspec phpunit e2e", lexiconOf("test 테스트 テスト")},
	{checks, "lint linter eslint golangci-lint ruff flake8 pylint clippy staticcheck vet rubocop analyze", lexiconOf("lint linter 린트 リント")},
	{checks, "typecheck type-check types tsc mypy pyright", lexiconOf("typecheck type typescript")},
	{checks, "build compile webpack", lexiconOf("build compile 빌드 ビルド")},
	{prepares, "fmt format prettier gofmt", lexiconOf("format fmt")},
	{prepares, "add", lexiconOf("add stage")},
	{prepares, "fetch", lexiconOf("fetch")},
	{prepares, "mkdir touch", lexiconOf("create add 생성 추가 作成 追加")},
	{acts, "write tee", lexiconOf("create add write update 작성 생성 추가 수정 作成 追加 修正")},
	{acts, "push", lexiconOf("push 푸시 プッシュ")},
	{acts, "pull", lexiconOf("pull")},
	{acts, "merge", lexiconOf("merge 병합 マージ")},
	{acts, "rebase", lexiconOf("rebase")},
	{acts, "revert restore reset", lexiconOf("revert restore reset discard unstage undo")},
	{acts, "stash", lexiconOf("stash")},
	{acts, "tag", lexiconOf("tag")},
	{acts, "commit", lexiconOf("commit 커밋 コミット")},
	{acts, "--amend", lexiconOf("amend")},
	{acts, "checkout switch", lexiconOf("switch check")},
	{acts, "-b create new init clone", lexiconOf("create open make initialise clone 생성 作成")},
	{acts, "rm rmdir delete remove uninstall", lexiconOf("remove delete clean uninstall 삭제 제거 削除 除去")},
	{acts, "mv", lexiconOf("move rename 이동 移動")},
	{acts, "cp", lexiconOf("copy 복사 コピー")},
	{acts, "sed perl", lexiconOf("replace change update rename fix 변경 수정 変更 修正")},
	{acts, "edit", lexiconOf("edit update change retarget set")},
	{acts, "close", lexiconOf("close")},
	{acts, "replies comment", lexiconOf("reply answer")},
	{acts, "install i upgrade", lexiconOf("install add upgrade update 설치 インストール")},
	{acts, "generate gen codegen", lexiconOf("generate regenerate 생성 生成")},
	{acts, "migrate", lexiconOf("migrate apply")},
	{acts, "deploy publish release apply", lexiconOf("deploy publish release apply 배포 デプロイ")},
	{acts, "start up serve dev restart", lexiconOf("start restart run launch serve 실행 시작 起動")},
	{acts, "stop down kill pkill", lexiconOf("stop kill terminate")},
	{looks, `status log diff show view list ls cat head tail less find grep egrep rg fd tree stat wc which blame branch reflog
		ls-tree ls-files show-ref rev-parse cat-file merge-base get describe logs ps inspect checks watch search info jq awk cut
		sort comments reviews files`, looking},
	{acts, "", lexiconOf("run execute verify test check confirm try use 실행 확인 돌렸 돌려 実行 確認")}, // of other programs
}

// purposeOf finds purposes by words of commands.
var purposeOf = func() map[string]*purpose {
	m := map[string]*purpose{}
	for i := range purposes {
		for w := range strings.FieldsSeq(purposes[i].of) {
			m[w] = &purposes[i]
		}
	}
	return m
}()

var anyRun, installs = &purposes[len(purposes)-1], purposeOf["install"]

// shownBy are the keys of what looks by git show, and of what calls of GitHub are about.
var shownBy = map[string]string{
	"log": "history", "diff": "diff", "pr": "pr", "pulls": "pr", "issue": "issue", "issues": "issue", "comments": "comment",
	"reviews": "comment", "checks": "ci", "run": "ci", "workflow": "ci",
}

// commandText is what is matched of a command. It does not depend on a summary.
type commandText struct {
	deeds   []deed
	subject string // of a commit
}

// deed is a simple command, and what a summary may say about it.
type deed struct {
	*purpose
	spans   []string // how it is written: without flags about its output, or its beginnings as code spans
	runner  string
	task    string   // the word that says its purpose, or the task of a runner
	key     string   // lemma of the task
	names   []token  // what it is done to
	nouns   []string // what it shows or makes; one must be told if it names nothing
	inWords bool     // it is what the agent says of it
	whole   bool     // all names must be told
	host    string   // that it is done on
	tests   []string // names of the tests that it picks
}

func commandTextOf(command string) *commandText {
	c := &commandText{subject: subjectOf(command)}
	piped := false
	if inner := inShell().FindStringSubmatch(command); inner != nil {
		command = inner[1]
	}
	for _, part := range shell.Split(command) {
		words, filter := shell.Plain(part.Words), piped
		piped = part.Op == "|"
		if files := shell.Written(part.Words); len(files) > 0 && len(words) > 0 && purposeOf[words[0]] != nil && purposeOf[words[0]].kind == looks {
			words = []string{"write", files[0]}
		}
		if len(words) > 3 && words[0] == "git" && words[1] == "-C" {
			words = slices.Concat(words[:1], words[3:]) // the directory
		}
		if len(words) > 0 && words[0] != "" && !filter && !plumbing[words[0]] {
			words[0] = strings.TrimPrefix(words[0], "./")
			c.deeds = append(c.deeds, deedOf(words))
		}
	}
	asked := func(d deed) bool { return d.kind == acts || d.kind == checks }
	for _, less := range []purposeKind{looks, prepares} { // what only looks or prepares is not asked for beside other deeds
		if slices.ContainsFunc(c.deeds, func(d deed) bool { return asked(d) || less == prepares && d.kind == looks }) {
			c.deeds = slices.DeleteFunc(c.deeds, func(d deed) bool { return d.kind == less })
		}
	}
	return c
}

// inShell matches a command that another shell runs.
var inShell = text.Pattern(`^(?:cd \S+ && )?"?(?:\S*/)?[^"|;&]*\b(?:bash|sh|powershell|pwsh)(?:\.exe)?"? (?:-\w+ )*-(?:c|lc|Command) "((?s:.*))"\s*$`)

// picked lists the tests that a command picks.
func (c *commandText) picked() (names []string) {
	for _, d := range c.deeds {
		names = append(names, d.tests...)
	}
	return names
}

// plumbing are programs that prepare commands, or print.
var plumbing = setOf("cd pushd popd echo printf sleep export set unset source . true false test [ for do done while if then else fi")

// runners are programs that run a project's tasks by name.
var runners = setOf("make mise just task npm pnpm yarn bun rake gradle cargo")

// launcher matches what starts another program, and the workspace that a runner is told to work in: npx playwright test
// is playwright test.
var launcher = text.Pattern(`^(?:npx|bunx|sudo|time|(?:npm|pnpm|bundle|docker compose) exec|uv run|poetry run|python3? -m|timeout \d+|(\w+ )(?:--filter|--workspace|--prefix|--cwd|-[wFC]) \S+) (\S)`)

// silent are flags that change only the output.
var silent = setOf("--continue -v -vv --verbose -count=1 -q --quiet --no-edit --no-pager")

// unnamed are arguments that name nothing.
var unnamed = setOf("origin HEAD head run exec api pr -- --onto --set-upstream . ./...")

func deedOf(words []string) deed {
	words = append(words[:1], slices.DeleteFunc(words[1:], func(w string) bool { return silent[w] || w == "" })...)
	as := strings.Join(words, " ")
	d := deed{purpose: anyRun, spans: append([]string{as}, beginnings(words)...)}
	if len(words) == 1 {
		d.spans[0] = "`" + as + "`"
	}
	if launched := launcher().ReplaceAllString(as, "$1$2"); launched != as {
		words = strings.Fields(launched)
	}
	d.runner, d.tests = path.Base(words[0]), tests(words)
	d.runner = cmp.Or(strings.TrimRight(d.runner, "0123456789."), d.runner) // python3
	if i := slices.Index(words, "--"); i > 1 && runners[d.runner] {
		words = words[:i] // what follows goes to the task's program
	}
	at := slices.IndexFunc(words[:min(len(words), 5)], func(w string) bool { return purposeIn(path.Base(w), runners[d.runner]) != nil })
	if at >= 0 {
		if d.purpose = purposeIn(path.Base(words[at]), runners[d.runner]); d.runner == "sed" && len(shell.Written(words)) == 0 {
			d.purpose = purposeOf["show"]
		}
	} else if d.runner == "gh" && len(words) > 1 && words[1] == "api" {
		at, d.purpose = 1, purposeOf["view"]
	} else if at = 0; runners[d.runner] && len(words) > 1 {
		at = min(1, len(words)-1)
		if words[at] == "run" {
			at = min(2, len(words)-1)
		}
	}
	if d.task, _, _ = strings.Cut(path.Base(words[at]), ":"); at == 0 {
		d.task = d.runner
	}
	d.key = lemma(d.task)
	d.read(words, at)
	return d
}

// inWords returns a deed of which the agent says what it is for, in a sentence that begins with a verb.
func (v *Vocabulary) inWords(about string) (d deed, ok bool) {
	words := v.said(about).tokens
	if len(words) < 2 || words[0].script != latin || looking.has(words[0]) || onlyLooks[words[0].form] {
		return d, false
	}
	d.names, d.inWords = weighty(words[1:]), true
	d.purpose = kept(&v.verbs, words[0].key, func(key string) *purpose {
		for _, a := range actions {
			if a.act == words[0].act {
				return &purpose{said: a.verbs}
			}
		}
		return &purpose{said: lexicon{lemmas: map[string]bool{key: true}}}
	})
	return d, len(d.names) > 0
}

// onlyLooks are verbs of the agent about commands that only look, beside those of looking.
var onlyLooks = setOf("list show see view look search get display print test count compare watch wait monitor")

// purposeIn returns the purpose that a word says, of a task such as db:migrate also by its parts.
func purposeIn(w string, task bool) *purpose {
	if p := purposeOf[w]; p != nil || !task {
		return p
	}
	for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == ':' || r == '-' || r == '_' }) {
		if p := purposeOf[part]; p != nil {
			return p
		}
	}
	return nil
}

// read reads from the arguments of a command what it is done to. at is the word that says its purpose.
func (d *deed) read(words []string, at int) {
	hub := d.runner == "gh"
	ends := len(words)
	if flag := slices.IndexFunc(words, func(w string) bool { return w[0] == '-' }); hub && flag > 0 { // texts follow
		ends = flag
	}
	if hub || words[0] == "git" && d.kind == looks {
		for w := range strings.FieldsFuncSeq(strings.Join(words[1:], "/"), func(r rune) bool { return strings.ContainsRune("/-,", r) }) {
			if of := shownBy[w]; of != "" {
				d.nouns = append(d.nouns, of)
			}
		}
	}
	for i, w := range words[:ends] {
		if at := strings.IndexByte(w, '@'); at > 0 && strings.Contains(w[at:], ".") && d.host == "" {
			w, d.host = w[at+1:], strings.ToLower(w[at+1:])
		}
		switch p := purposeOf[w]; {
		case i == 0 || i == at || unnamed[w]:
		case words[i-1] == "-b" || words[i-1] == "--onto": // wherever it starts
			d.names = d.named(w)
			return
		case w[0] == '-' && p != nil:
			d.purpose = p
		case hub && strings.Contains(w, "/"):
		case w[0] == '-' && d.kind == looks:
			if _, value, ok := strings.Cut(w, "="); ok && !strings.Contains(value, "%") {
				d.names = append(d.names, tokens(value)...)
			}
		case w[0] != '-', d.kind == acts && strings.HasPrefix(w, "--"): // pushed is not deleted
			for name := range strings.SplitSeq(w, "..") { // of a range
				d.names = append(d.names, d.named(strings.Trim(name, "-."))...)
			}
		}
	}
}

// named lists the names in an argument. Looks are told by names that are no ordinary words.
func (d *deed) named(w string) []token {
	if strings.HasSuffix(w, "/...") {
		return nil
	}
	return slices.DeleteFunc(tokens(strings.Trim(w, "./")), func(t token) bool {
		return len(t.form) < 2 || unnamed[t.form] || weightless(t) || d.kind == looks && t.script == latin || d.runner == "sed" && !isFile(t)
	})
}

// beginnings lists the code spans with the beginning of a command that tell it: the program, its subcommand, and a flag or an
// argument, or all but directories.
func beginnings(words []string) (all []string) {
	for n := len(words) - 1; n > 1; n-- {
		if n > 2 || words[1][0] == '-' || !slices.ContainsFunc(words[n:], func(w string) bool { return !isDirectory(w) }) {
			all = append(all, "`"+strings.Join(words[:n], " ")+"`")
		}
	}
	return all
}

// isDirectory reports whether an argument is a directory.
func isDirectory(w string) bool {
	return w == "." || strings.HasPrefix(w, "./") || strings.HasSuffix(w, "/") || strings.HasSuffix(w, "/...")
}

// tests lists the names of the tests that a command picks.
func tests(words []string) (names []string) {
	for i, w := range words {
		if i == 0 || !slices.Contains([]string{"-run", "-k", "-t", "--filter", "--grep"}, words[i-1]) && !strings.HasPrefix(w, "-run=") {
			continue
		}
		for name := range strings.FieldsFuncSeq(strings.TrimPrefix(w, "-run="), func(r rune) bool { return strings.ContainsRune("|()^$ ", r) }) {
			name, _, _ = strings.Cut(name, "/")
			if len(name) >= minName {
				names = append(names, name)
			}
		}
	}
	return names
}

// minName is the fewest bytes of a distinctive name.
const minName = 8

// subject matches the first line of a commit's message, without its type such as fix:.
var subject = text.Pattern(`git (?:-C \S+ )?commit\b[^\n]*?\s(?:-m|-am|--message)[= ]\s*(?:"\$\(cat <<-?\s*['"]?\w+['"]?\n\s*|["'])(?:[a-z]+(?:\([^)]*\))?!?: )?([^\n"]+)`)

func subjectOf(command string) string {
	if found := subject().FindStringSubmatch(command); found != nil {
		return strings.TrimRight(found[1], "'")
	}
	return ""
}
