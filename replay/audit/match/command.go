package match

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"journal/events/shell"
)

// command matches a command that ran by what it was run for: neither by where it ran
// nor by the filters of its output.
func (m *Matcher) command(command string) *Match {
	is := m.keep.command(command)
	var first *Match
	for _, one := range is.simple {
		var found *Match
		if is.subject != "" && one.commits {
			found = m.text(m.keep.said(is.subject), -1)
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

// commandText is what is looked for of a command. It is the same for every summary.
type commandText struct {
	simple  []simple // the simple commands that it was run for
	subject string   // of a commit
}

// simple is a simple command, and what tells of it.
type simple struct {
	as      string   // as it was run, without what changes only what is shown
	tests   []string // that it names
	ids     []string // long numbers and hashes that no other command has to have
	git     []string // what follows of a command of git
	commits bool
	task    string // that a runner of tasks ran
	runner  string
	where   string // program and subcommand, where all that follows is where they look
}

// picked lists the tests that a command names.
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
	s := simple{runner: words[0], as: strings.Join(loud, " "), tests: tests(words)}
	for _, w := range words[1:] {
		s.ids = append(s.ids, identifier().FindAllString(w, 1)...)
	}
	if words[0] == "git" && len(words) > 1 {
		s.git, s.commits = words[1:], words[1] == "commit"
	}
	options := slices.Index(words, "--")
	if options < 0 {
		options = len(words)
	}
	bare := slices.DeleteFunc(slices.Clone(words[:options]), func(w string) bool { return strings.HasPrefix(w, "-") })
	if n := len(bare); n > 1 && n < 4 && runners[words[0]] {
		s.task, _, _ = strings.Cut(bare[n-1], ":")
	}
	if s.task == "" && len(bare) > 1 && !runners[words[0]] {
		s.task = bare[1]
	}
	if len(bare) > 2 && !slices.ContainsFunc(bare[2:], func(w string) bool { return !isDirectory(w) }) {
		s.where = strings.Join(bare[:2], " ")
	}
	return s
}

// identifier is a number that only one thing has.
var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d{8,}\b`) })

// runs gives the first place where a command stands for itself: one word, or a command without its end, only between
// marks of code and where something says that it ran.
func (s *summary) runs(what string, alone bool) *Match {
	p := s.plain
	for from, to := range p.find(what) {
		if commandBorder(p, from, to, alone) && !s.wished(p.from[from]) && (strings.Count(what, " ") > 1 || s.ran(p.from[from])) {
			return s.match("command", p.from[from], p.to[to-1], 1)
		}
	}
	return nil
}

// ran says whether the sentence around a byte, or a line that it stands under, says that something ran.
func (s *summary) ran(at int) bool {
	i, _ := slices.BinarySearchFunc(s.tokens, at, func(t token, at int) int { return t.from - at })
	return i < len(s.tokens) && s.about(s.tokens[i].sentence, false, func(t token) bool { return running.has(t) || isFault(t) })
}

// commandBorder says whether a command ends where it seems to: `npm test` is not
// `npm test -- search`. One word is a command only between marks of code.
func commandBorder(p *plain, from, to int, word bool) bool {
	before, after := p.byteAt(from-1), p.byteAt(to)
	if word {
		return before == '`' && after == '`'
	}
	if isNameByte(before) || before == '/' && p.byteAt(from-2) != '.' || isNameByte(after) || after == '/' || after == '=' {
		return false
	}
	if after == '.' || after == ':' {
		return !isNameByte(p.byteAt(to + 1))
	}
	if after != ' ' {
		return true
	}
	next := p.text[to+1:]
	if strings.HasPrefix(next, "&&") || strings.HasPrefix(next, "||") || strings.HasPrefix(next, "| ") {
		return true // another command of a list
	}
	if c := p.byteAt(to + 1); c == '-' && p.byteAt(to+2) != ' ' || c == '.' || c == '/' || c == '&' || c == '>' {
		return false
	}
	next, _, _ = strings.Cut(next, " ")
	next, _, _ = strings.Cut(next, "\n")
	return !strings.ContainsAny(strings.TrimRight(next, ".,;:`\"')"), "/=._*$0123456789")
}

// plumbing are programs that commands are prepared, filtered and told by.
var plumbing = setOf(`cd pushd popd echo printf sleep export set source . true head tail grep egrep wc sort uniq tee cat less
	sed awk jq tr cut column xargs mkdir`)

// runners are programs that run tasks of a project by their names.
var runners = setOf("make mise just task npm pnpm yarn bun rake gradle cargo")

// telling lists the simple commands that a command was run for, without redirections.
func telling(command string) (all [][]string) {
	for _, words := range shell.Commands(command) {
		if words = shell.Plain(words); len(words) > 3 && words[0] == "git" && words[1] == "-C" {
			words = slices.Concat(words[:1], words[3:]) // where it ran
		}
		if len(words) == 0 || plumbing[words[0]] || len(words) > 1 && words[0] == "git" && words[1] == "add" {
			continue
		}
		words[0] = strings.TrimPrefix(words[0], "./")
		all = append(all, words)
	}
	return all
}

// silent are flags that change only what is shown.
var silent = setOf("--continue -v -vv --verbose -count=1 -q --quiet --no-edit --no-pager")

// simpleCommand matches one command: as it was run, by its tests, by what was done with git, by the task that passed,
// or without where it looked.
func (m *Matcher) simpleCommand(c simple) *Match {
	for _, id := range c.ids {
		if found := m.summary.name(id); found != nil && !m.summary.wished(found.From-m.summary.from) {
			return found
		}
	}
	if found := m.summary.runs(c.as, !strings.Contains(c.as, " ")); found != nil {
		return found
	}
	if len(c.tests) > 0 {
		return m.summary.named(c.tests)
	}
	if c.git != nil {
		if found := m.summary.git(c.git); found != nil {
			return found
		}
	}
	if found := m.summary.ended(c.task, func(t token) bool { return passing.has(t) || t.form == "ran" }); found != nil && (runners[c.runner] || strings.HasSuffix(strings.TrimSuffix(c.as, " ./..."), " build")) && !strings.HasPrefix(c.task, "test") { // that tests pass says nothing of one run
		return found
	}
	return m.summary.runs(c.where, true)
}

// ended finds a task in a sentence that says how it ended.
func (s *summary) ended(task string, how func(token) bool) *Match {
	places := slices.DeleteFunc(s.done(lemma(task), func(t token) bool { return t.script == latin }), func(at int) bool {
		return at > 0 && runners[s.tokens[at-1].form] // a command with what else stands there
	})
	return s.first(places, func(t token) bool { return how(t) && !s.polarity[t.clause].negated })
}

// isDirectory says whether an argument is only where a command looks.
func isDirectory(w string) bool {
	return w == "." || strings.HasPrefix(w, "./") || strings.HasSuffix(w, "/") || strings.HasSuffix(w, "/...")
}

// tests lists the tests that a command names.
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

// minName is the length of a name that is not everywhere, in bytes.
const minName = 8

// named finds names, each as such or as the beginning of others.
func (s *summary) named(names []string) *Match {
	var first *Match
	for _, name := range names {
		at := s.name(name)
		if at == nil {
			return nil
		}
		if first == nil {
			first = at
		}
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
