package match

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// failure matches a failed command by what it printed: a failed test, a message about a line of code, a missing program,
// a file with a conflict, or a line of the output.
func (m *Matcher) failure(it Item) *Match {
	e, command := kept(&m.keep.errors, it.detail, errorTextOf), m.keep.command(it.text)
	names, picked := e.tests, command.picked()
	if len(e.lines) == 0 {
		names = picked
	}
	if found := m.summary.failed(names); found != nil {
		return found
	}
	for _, key := range e.absent {
		if found := m.summary.without(key); found != nil {
			return found
		}
	}
	for _, d := range e.diagnoses {
		if found := m.summary.diagnosed(d, command.simple); found != nil {
			return found
		}
	}
	for _, one := range command.simple {
		whole := runners[one.runner] && one.task == "test" && len(picked) == 0 // which test failed is its cause
		if !whole && len(e.lines)+len(names)+len(picked) > 0 {                 // the error says something else
			continue
		}
		if found := m.summary.ended(one, true); found != nil && (!whole || len(weighty(tokens(found.Quote))) > 2) {
			return found
		}
	}
	for _, line := range e.lines {
		if found := m.quotedLine(line); found != nil {
			return found
		}
		if found := m.standing(it, line.what); found != nil {
			return found
		}
	}
	return nil
}

// errorText is what is matched of an error. It does not depend on a summary.
type errorText struct {
	lines     []errorLine
	diagnoses []diagnosis
	tests     []string // names of failed tests
	absent    []string // keys of programs, files and directories that are not there
}

// errorLine is a line of an error, and the key of its first word.
type errorLine struct{ what, lead string }

func errorTextOf(detail string) *errorText {
	e := &errorText{diagnoses: diagnoses(detail), tests: testsIn(detail), absent: absentIn(detail)}
	seen := map[string]bool{}
	for line := range strings.Lines(detail) {
		one := errorLine{what: strings.TrimSpace(strings.ReplaceAll(plainOf(line).text, "\n", " "))}
		if len(one.what) < 2 || seen[one.what] || failedPackage().MatchString(one.what) {
			continue
		}
		seen[one.what] = true
		if words := tokens(strings.TrimPrefix(one.what[:min(len(one.what), leading)], "E ")); len(words) > 0 {
			one.lead = words[0].key
		}
		e.lines = append(e.lines, one)
	}
	return e
}

// failedPackage matches a line that says only that tests or a script failed, or repeats a command.
var failedPackage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^FAIL(\s[\w./-]+)?$|^\[[\w:]+\] ERROR task failed$|^error: script \S+ exited with code \d+$|^ERR_PNPM_\w*FAIL\b|^\d+ (?:errors|issues)$|^\$ `)
})

// leading is how many bytes of a line have its first word.
const leading = 256

// missing matches a line that says that a program, a file or a directory is not there.
var missing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:command not found|no matches found): (\S+)$|(\S+): (?:(?:command )?not found|No such file or directory)$`)
})

// absentIn lists the keys of what an error says is not there. Of a pattern that is the directory.
func absentIn(detail string) (keys []string) {
	if !strings.Contains(detail, "found") && !strings.Contains(detail, "No such") {
		return nil // most errors: the pattern is slow
	}
	for _, found := range missing().FindAllStringSubmatch(detail, maxDiagnoses) {
		name, _, _ := strings.Cut(found[1]+found[2], "*")
		if words := tokens(path.Base(name)); len(words) == 1 {
			keys = append(keys, words[0].key)
		}
	}
	return keys
}

// without finds a name of what is not there, behind a negation or in a negated clause about what is there: "the machine
// has no docker", "docker cannot be run".
func (s *summary) without(key string) *Match {
	return s.first(s.done(key, func(t token) bool {
		at := s.tokenAt(t.from)
		return at > 0 && polarityAt(s.tokens, at-1).negated || s.polarity[t.clause].negated && slices.ContainsFunc(s.sentence(t.sentence), func(o token) bool {
			return o.clause == t.clause && existing.has(o)
		})
	}))
}

// weak reports whether any failed command could print the line.
func weak(line string) bool {
	letters := strings.TrimFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) })
	return letters == "" || letters == "fail" || letters == "failed" || letters == "error" || strings.HasPrefix(letters, "exit status") || strings.HasPrefix(letters, "exit code")
}

func weighty(all []token) []token { return slices.DeleteFunc(slices.Clone(all), weightless) }

// quotedLine matches the beginning of a line that contains a name.
func (m *Matcher) quotedLine(line errorLine) *Match {
	s := m.summary
	if len(s.byKey[line.lead]) == 0 || weak(line.what) {
		return nil
	}
	words := m.keep.said(strings.TrimPrefix(line.what, "E ")).tokens
	for _, at := range s.byKey[line.lead] {
		n := 0
		for n < len(words) && at+n < len(s.tokens) && s.tokens[at+n].form == words[n].form {
			n++
		}
		if n < 3 || n < len(words) && !s.ends(s.tokens[at+n-1].to) {
			continue
		}
		found := weighty(words[:n])
		names := slices.ContainsFunc(found, func(t token) bool { return t.script == exact }) || strings.ContainsAny(line.what, "'\"`/")
		if len(found) >= 3 && names {
			return s.match("exact", s.tokens[at].from, s.tokens[at+n-1].to, 1)
		}
	}
	return nil
}

// standing matches a whole line that the summary has near the command or one of its arguments.
func (m *Matcher) standing(it Item, line string) *Match {
	p := m.summary.plain
	found := p.named(line, 0, len(p.text))
	if found < 0 {
		return nil
	}
	from, to := found-reach, found+len(line)+reach
	words := strings.Fields(plainOf(it.text).text)
	words = words[min(1, len(words)):]
	if i := slices.IndexFunc(words, func(w string) bool { return w == "-run" || w == "-k" }); i >= 0 {
		words = words[i+1:] // the other arguments are less distinctive
	}
	argued := slices.ContainsFunc(words, func(w string) bool {
		w = strings.Trim(w, `'"`)
		return len(w) >= minArgument && w[0] != '-' && p.named(w, from, to) >= 0
	})
	if !argued && m.command(it.text) == nil {
		return nil
	}
	return m.summary.match("command", p.from[found], p.to[found+len(line)-1], 1)
}

const (
	minArgument = 4   // fewest bytes of a distinctive argument
	reach       = 300 // most bytes between a line and the argument
)

// isFault reports whether a word says that something is wrong, as TypeError does.
func isFault(t token) bool { return faulty.has(t) || strings.HasSuffix(t.form, "error") }

// failedLines matches lines that name failed tests: of go test (also as an outcome), pytest, jest and cargo.
var failedLines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^\s*|, )(?:(?:--- )?FAIL: ([\w/]+)|FAILED \S*?::([\w:]+)|test ([\w:]+) \.\.\. FAILED)`)
})

// testsIn lists the tests that an error names.
func testsIn(detail string) (names []string) {
	for _, found := range failedLines().FindAllStringSubmatch(detail, maxDiagnoses) {
		name := found[1] + found[2] + found[3]
		if name, _, _ = strings.Cut(name, "/"); len(name) >= minName {
			names = append(names, name[strings.LastIndex(name, ":")+1:])
		}
	}
	return names
}

// failed finds one of some tests in a sentence that says that it failed, or beside a line that says so and names no other
// test. Without Test before it, a name is a function's, unless the sentence is about tests.
func (s *summary) failed(names []string) *Match {
	for _, name := range names {
		name = strings.ToLower(name)
		bare := strings.TrimPrefix(name, "test")
		for _, at := range slices.Concat(s.byKey[name], s.byKey[bare]) {
			n := s.tokens[at].sentence
			here := s.sentence(n)
			if s.tokens[at].form == bare && bare != name && !slices.ContainsFunc(here, isTest) {
				continue
			}
			if slices.ContainsFunc(here, s.fails) || slices.ContainsFunc(s.failures, func(f int) bool { return s.sayOf(s.sentence(f), here) }) {
				return s.whole(n)
			}
		}
	}
	return nil
}

func isTest(t token) bool { return t.key == "test" }

// namesTest reports whether a word is the name of a test.
func namesTest(t token) bool { return t.script == exact && strings.HasPrefix(t.form, "test") }

// fails reports whether a word says that something failed, in any case: FAILING looks like a name.
func (s *summary) fails(t token) bool {
	return (failing.has(t) || strings.HasPrefix(t.form, "fail")) && !s.polarity[t.clause].negated
}

// sayOf reports whether a line speaks about the tests of another one. Either it is above it and the other one is a single
// word, or it names no test and stands beside the other one or beside its parent.
func (s *summary) sayOf(line, other []token) bool {
	up, above := s.above[line[0].sentence], s.above[other[0].sentence]
	test := slices.ContainsFunc(line, isTest)
	if len(other) == 1 && test && slices.Contains(above, line[0].sentence) {
		return true
	}
	beside := len(above) > 0 && test && slices.Equal(up, above) || len(up) > 0 && len(above) == len(up)+1 && slices.Equal(up, above[1:])
	return beside && !slices.ContainsFunc(line, namesTest)
}
