package match

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"journal/events/shell"
)

// command matches a command by its purpose. Directories and filters of the output do not count.
func (m *Matcher) command(command string) *Match {
	is := m.keep.command(command)
	var first *Match
	for _, one := range is.simple {
		var found *Match
		if is.subject != "" && one.commits {
			found = m.text(m.keep.said(is.subject), -1, Item{way: byCommand, done: true})
		} else {
			found = m.simpleCommand(one)
		}
		if found == nil {
			return nil
		}
		if first == nil || found.From < first.From {
			first = found
		}
	}
	return first
}

// commandText is what is matched of a command. It does not depend on a summary.
type commandText struct {
	simple  []simple // its simple commands, without plumbing
	subject string   // of a commit
}

// simple is a simple command, and what a summary may say about it.
type simple struct {
	as      string   // as it was run, without flags about its output
	whole   string   // the same, one word as a code span
	tests   []string // names of the tests that it picks
	deed    []string // the words after git, or all of a program that changes files
	commits bool
	task    string // the project's task, or the subcommand
	key     string // lemma of the task
	runner  string
	ids     []string // that it names
	begins  []string // its beginnings that tell it, longest first
}

// picked lists the tests that a command picks.
func (c *commandText) picked() (names []string) {
	for _, one := range c.simple {
		names = append(names, one.tests...)
	}
	return names
}

func commandTextOf(command string) *commandText {
	c := &commandText{subject: subjectOf(command)}
	for _, words := range telling(command) {
		c.simple = append(c.simple, simpleOf(words))
	}
	return c
}

func simpleOf(words []string) simple {
	loud := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return silent[w] })
	s := simple{as: strings.Join(loud, " ")}
	s.whole, s.ids, s.begins = s.as, idsIn(s.as), beginnings(strings.Fields(s.as))
	if !strings.Contains(s.as, " ") {
		s.whole = "`" + s.as + "`"
	}
	if launchers[words[0]] {
		words = strings.Fields(launcher().ReplaceAllString(s.as, "$1$2"))
	}
	s.runner, s.tests = words[0], tests(words)
	if words[0] == "git" && len(words) > 1 {
		s.deed, s.commits = words[1:], words[1] == "commit"
	} else if pasts[words[0]] != "" || words[0] == "ls" {
		s.deed = words
	}
	if i := slices.Index(words, "--"); i > 1 && runners[words[0]] {
		words = words[:i] // what follows goes to the task's program
	}
	bare := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
	switch n := len(bare); {
	case strings.HasSuffix(words[0], "test"):
		s.task = "test"
	case n > 1 && n < 4 && runners[words[0]]:
		s.task, _, _ = strings.Cut(bare[n-1], ":")
	case n > 1 && !runners[words[0]]:
		s.task = bare[1]
	}
	s.key = lemma(s.task)
	return s
}

// runs returns the first place of a command as such, or of a whole code span. A short command counts only where the text
// says that it ran.
func (s *summary) runs(what string) *Match {
	p, alone, mark := s.plain, what[0] == '`', 0
	if alone {
		mark = 1
	}
	for from, to := range p.find(what) {
		if from, to := from+mark, to-mark; (alone || commandBorder(p, from, to)) && !s.wished(p.from[from]) && (strings.Count(what, " ") > 1 || s.ran(p.from[from])) {
			return s.match("command", p.from[from], p.to[to-1], 1)
		}
	}
	return nil
}

// ran reports whether the sentence at a byte, or a line above it, says that something ran.
func (s *summary) ran(at int) bool {
	i := s.tokenAt(at)
	return i < len(s.tokens) && s.about(s.tokens[i].sentence, false, func(t token) bool { return running.has(t) || isFault(t) })
}

// tokenAt returns the index of the first token from a byte on.
func (s *summary) tokenAt(at int) int {
	i, _ := slices.BinarySearchFunc(s.tokens, at, func(t token, at int) int { return t.from - at })
	return i
}

// commandBorder reports whether a command ends there: `npm test` is not `npm test -- search`.
func commandBorder(p *plain, from, to int) bool {
	before, after := p.byteAt(from-1), p.byteAt(to)
	if isNameByte(before) || before == '/' && p.byteAt(from-2) != '.' || isNameByte(after) || after == '/' || after == '=' {
		return false
	}
	if after == '.' || after == ':' {
		return !isNameByte(p.byteAt(to + 1))
	}
	if after != ' ' {
		return true
	}
	next, _, _ := strings.Cut(p.text[to+1:], "\n")
	next, _, _ = strings.Cut(next, " ")
	if next == "&&" || next == "||" || next == "|" {
		return true // another command follows
	}
	next = strings.TrimRight(next, ".,;:`\"')")
	return (next == "-" || !strings.HasPrefix(next, "-")) && !strings.ContainsAny(next, "/=._*$&>0123456789")
}

// plumbing are programs that prepare commands, or filter and print output.
var plumbing = setOf(`cd pushd popd echo printf sleep export set source . true head tail grep egrep wc sort uniq tee cat less
	sed awk jq tr cut column xargs`)

// runners are programs that run a project's tasks by name.
var runners = setOf("make mise just task npm pnpm yarn bun rake gradle cargo")

// telling lists the simple commands of a command without plumbing and redirections, and without those that only prepare
// another one.
func telling(command string) (all [][]string) {
	var before [][]string
	for _, words := range shell.Commands(command) {
		if words = shell.Plain(words); len(words) > 3 && words[0] == "git" && words[1] == "-C" {
			words = slices.Concat(words[:1], words[3:]) // the directory
		}
		if len(words) == 0 || plumbing[words[0]] {
			continue
		}
		words[0] = strings.TrimPrefix(words[0], "./")
		if words[0] == "mkdir" || words[len(words)-1] == "fmt" || len(words) > 1 && words[0] == "git" && (words[1] == "add" || words[1] == "fetch") {
			before = append(before, words)
		} else {
			all = append(all, words)
		}
	}
	if len(all) == 0 {
		return before
	}
	return all
}

// launchers are the programs of launcher.
var launchers = setOf("npx bunx npm pnpm yarn bun bundle uv python python3 make")

// launcher matches what starts another program, and the workspace that a runner is told to work in: npx playwright test
// is playwright test.
var launcher = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:npx|bunx|(?:npm|pnpm|bundle) exec|uv run|python3? -m|(\w+ )(?:--filter|--workspace|--prefix|--cwd|-[wFC]) \S+) (\S)`)
})

// silent are flags that change only the output.
var silent = setOf("--continue -v -vv --verbose -count=1 -q --quiet --no-edit --no-pager")

// simpleCommand matches one command: as it was run, by what a call of GitHub did, by its tests, by what git did, by the
// task that passed, or without its directories.
func (m *Matcher) simpleCommand(c simple) *Match {
	if found := m.summary.runs(c.whole); found != nil {
		return found
	}
	for _, d := range hubDeeds {
		if c.runner == "gh" && d.call().MatchString(c.as) {
			return m.summary.first(m.summary.done(d.of, func(token) bool { return true }), d.did)
		}
	}
	if len(c.tests) > 0 {
		if found := m.summary.named(c.tests); found != nil {
			return found
		}
	}
	if c.deed != nil {
		if found := m.summary.deed(c.deed, c.ids); found != nil {
			return found
		}
	}
	if c.ofProject() {
		if found := m.summary.ended(c, false); found != nil {
			return found
		}
	}
	for _, begin := range c.begins {
		if found := m.summary.runs(begin); found != nil {
			return found
		}
	}
	if c.deed != nil {
		return nil
	}
	return m.summary.identified(c.ids)
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

// hubDeeds are what calls of GitHub do, in a summary's words. The first that fits a call counts.
var hubDeeds = []struct {
	call func() *regexp.Regexp
	of   string // key of what it is done to
	did  func(token) bool
}{
	{hubCall(`pr create `), "pr", func(t token) bool { return t.act == making && strings.HasSuffix(t.form, "ed") }},
	{hubCall(`api \S+/comments/\d+/replies `), "comment", func(t token) bool { return t.form == "replied" }},
	{hubCall(`api \S+/(?:comments|reviews)\b`), "comment", looking.has},
	{hubCall(`(?:api \S+/pulls/|pr (?:view|diff))`), "pr", looking.has},
	{hubCall(`(?:pr checks|run (?:list|view|watch))`), "ci", looking.has},
}

func hubCall(call string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^gh ` + call) })
}

// ofProject reports whether a command tests the project, runs another task of it, or builds all below a directory.
func (c simple) ofProject() bool {
	build := c.task == "build" && (strings.HasSuffix(c.as, " build") || strings.HasSuffix(c.as, "/..."))
	return runners[c.runner] || build || c.task == "test"
}

// checked reports whether a word says that a task ran, and ended well: "lint passing" does, "passing a context" does not.
func (s *summary) checked(t token) bool {
	if t.form == "passing" {
		next := s.tokenAt(t.to)
		return next == len(s.tokens) || s.tokens[next].clause != t.clause
	}
	return passing.has(t) || t.form == "ran"
}

// ending is what tells how a command ended: all that ended asks for. It is the key of what it found.
type ending struct {
	key, runner   string
	picks, faulty bool
}

// ended finds a sentence that names a command's task, and no command of that task, and says that it failed if asked for, else
// that it ended well.
func (s *summary) ended(c simple, failed bool) *Match {
	if len(s.byKey[c.key]) == 0 {
		return nil
	}
	return kept(&s.endings, ending{c.key, c.runner, len(c.tests) > 0, failed}, s.endOf)
}

func (s *summary) endOf(c ending) *Match {
	key, how := c.key, s.checked
	if c.faulty {
		how = isFault
	}
	places := slices.DeleteFunc(s.done(key, func(t token) bool { return t.script == latin }), func(at int) bool {
		if c.picks && slices.ContainsFunc(s.wholeLine(at), namesTest) {
			return true // it is about those tests
		}
		here := s.spanOf[s.tokens[at].sentence]
		for i := here.from + 1; i < here.to; i++ {
			if before := s.tokens[i-1].form; s.tokens[i].key == key && (runners[before] || before == c.runner) {
				return true
			}
		}
		return false
	})
	return s.first(places, func(t token) bool { return how(t) && !s.polarity[t.clause].negated })
}

// wholeLine returns the tokens of the line of a token.
func (s *summary) wholeLine(at int) []token {
	l := s.lines[s.line[s.tokens[at].sentence]]
	return s.tokens[s.tokenAt(l.from):s.tokenAt(l.to)]
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

// named finds all names, each whole or as the beginning of a longer name.
func (s *summary) named(names []string) *Match {
	var first *Match
	for _, name := range names {
		at := s.name(name)
		if at == nil {
			return nil
		}
		first = cmp.Or(first, at)
	}
	return first
}

func (s *summary) name(name string) *Match {
	p := s.plain
	for from, to := range p.find(name) {
		if after := p.byteAt(to); !isNameByte(p.byteAt(from-1)) && (!isNameByte(after) || after == '_' || after >= 'A' && after <= 'Z') {
			return s.match("command", p.from[from], p.to[to-1], 1)
		}
	}
	return nil
}
