package match

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// failure matches a command that failed by what it printed: the name of a test that failed, what
// is wrong with a line of code, a file with a conflict, or a line of the output near the command.
func (m *Matcher) failure(it Item) *Match {
	e := m.keep.errorOf(it.detail)
	for _, name := range e.tests {
		if found := m.summary.failed(name); found != nil {
			return found
		}
	}
	for _, d := range e.diagnoses {
		if found := m.summary.diagnosed(d); found != nil {
			return found
		}
	}
	if found := m.summary.conflicted(e.conflicts); found != nil {
		return found
	}
	return m.errorLine(it, e)
}

// errorLine matches a line of an error near the command that failed, or near an argument of
// it that no other failure with this line has.
func (m *Matcher) errorLine(it Item, e *errorText) *Match {
	for _, line := range e.lines {
		leads, stands := len(m.summary.byKey[line.lead]) > 0, m.summary.plain.mayHold(line.what)
		if !leads && !stands {
			continue
		}
		if leads {
			if found := m.quotedLine(line.what); found != nil {
				return found
			}
		}
		if stands {
			if found := m.standing(it, line.what); found != nil {
				return found
			}
		}
	}
	return nil
}

// standing matches a line that stands in the summary as it is.
func (m *Matcher) standing(it Item, what string) *Match {
	var whole *Match
	var arguments []string
	p := m.summary.plain
	for from, to := range p.find(what) {
		if isNameByte(p.byteAt(from-1)) || isNameByte(p.byteAt(to)) {
			continue
		}
		if arguments == nil {
			whole, arguments = m.command(it.text), append([]string{}, m.arguments(it)...)
		}
		match := m.summary.match("command", p.from[from], p.to[to-1], 1)
		if nearby(match, whole) {
			return match
		}
		if weak(what) {
			continue
		}
		for _, arg := range arguments {
			for f, t := range p.find(arg) {
				if isNameByte(p.byteAt(f-1)) || isNameByte(p.byteAt(t)) || p.byteAt(t) == '/' {
					continue
				}
				if at := m.summary.match("command", p.from[f], p.to[t-1], 1); nearby(match, at) {
					return match
				}
			}
		}
	}
	return nil
}

// errorText is what is looked for of an error. It is the same for every summary.
type errorText struct {
	lines     []errorLine
	diagnoses []diagnosis
	conflicts []string // files, in lower case
	tests     []string // that failed, by its own lines
}

// errorLine is a line that tells something, and the key of its first word.
type errorLine struct{ what, lead string }

func errorTextOf(detail string) *errorText {
	e := &errorText{diagnoses: diagnoses(detail), conflicts: conflicts(detail), tests: testsIn(detail)}
	seen := map[string]bool{}
	for line := range strings.Lines(detail) {
		what := strings.TrimSpace(strings.ReplaceAll(plainOf(line).text, "\n", " "))
		if len(what) < 2 || seen[what] {
			continue
		}
		seen[what] = true
		one := errorLine{what: what}
		if words := tokens(beginning(strings.TrimPrefix(what, "E "))); len(words) > 0 {
			one.lead = words[0].key
		}
		e.lines = append(e.lines, one)
	}
	return e
}

// beginning cuts a long line behind a whole word.
func beginning(line string) string {
	const enough = 256
	if len(line) > enough {
		if i := strings.IndexByte(line[enough:], ' '); i >= 0 {
			return line[:enough+i]
		}
	}
	return line
}

// weak says whether a line of an error is one that any command can end with.
func weak(line string) bool {
	letters := strings.TrimFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) })
	return letters == "" || letters == "fail" || letters == "failed" || letters == "error" || strings.HasPrefix(letters, "exit status") || strings.HasPrefix(letters, "exit code")
}

func weighty(all []token) (some []token) {
	for _, t := range all {
		if !weightless(t) {
			some = append(some, t)
		}
	}
	return some
}

// quotable is the share of a line of an error that its beginning has to have.
const quotable = 0.6

// quotedLine matches the beginning of a line that has a name and says that something
// failed, wherever it stands.
func (m *Matcher) quotedLine(line string) *Match {
	words := m.keep.said(strings.TrimPrefix(line, "E ")).tokens
	if weak(line) || len(words) == 0 {
		return nil
	}
	for _, at := range m.summary.byKey[words[0].key] {
		n := 0
		for n < len(words) && at+n < len(m.summary.tokens) && m.summary.tokens[at+n].form == words[n].form {
			n++
		}
		if n < 3 {
			continue
		}
		found := weighty(words[:n])
		names := slices.ContainsFunc(found, func(t token) bool { return t.script == exact }) || strings.ContainsAny(line, "'\"`/")
		if len(found) < 3 || !names || float64(len(found)) < quotable*float64(len(weighty(words))) {
			continue
		}
		if first, last := m.summary.tokens[at], m.summary.tokens[at+n-1]; m.summary.tells(first.sentence, isFault) && (n == len(words) || m.summary.ends(last.to)) {
			return m.summary.match("exact", first.from, last.to, 1)
		}
	}
	return nil
}

// isFault says whether a word says that something is wrong; TypeError does.
func isFault(t token) bool { return faulty.has(t) || strings.HasSuffix(t.form, "error") }

// tells says whether a sentence, or what it stands under, has a word for something.
func (s *summary) tells(sentence int, is func(token) bool) bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool {
		return (t.sentence == sentence || slices.Contains(s.above[sentence], t.sentence)) && is(t)
	})
}

// reach is how far from the words of an error its command may be named, in
// bytes.
const reach = 300

func nearby(a, b *Match) bool {
	return a != nil && b != nil && a.From-b.To <= reach && b.From-a.To <= reach
}

// arguments lists the arguments of a failed command that say which one it was.
func (m *Matcher) arguments(it Item) []string {
	var out []string
	words := strings.Fields(plainOf(it.text).text)
	for i, w := range words[min(1, len(words)):] {
		w = strings.Trim(w, `'"`)
		if words[i] == "-run" || words[i] == "-k" {
			return []string{w} // what it ran on says less
		}
		if strings.HasPrefix(w, "-") || len(w) < 4 || m.shared(it, w) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// shared says whether another failed command has the argument too.
func (m *Matcher) shared(it Item, arg string) bool {
	for _, o := range m.items {
		if o.way == byFailure && o.text != it.text && strings.Contains(o.text, arg) {
			return true
		}
	}
	return false
}

// failedLines are lines that name tests that failed: of go test, also as an outcome lists them, pytest, jest and cargo.
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

// failed finds a name in a sentence that says that it failed, or in an entry of which another line says so of the tests.
func (s *summary) failed(name string) *Match {
	name = strings.ToLower(name)
	if !s.forms[name] {
		return nil
	}
	fails := func(t token) bool { // FAILING is no name
		return (failing.has(t) || strings.HasPrefix(t.form, "fail")) && !s.polarity[t.clause].negated
	}
	for _, at := range s.spans {
		here := s.tokens[at.from:at.to]
		if !slices.ContainsFunc(here, func(t token) bool { return t.form == name }) {
			continue
		}
		if slices.ContainsFunc(here, fails) || s.beside(here[0].sentence, fails) || len(here) == 1 && s.under(here[0].sentence, fails) {
			return s.whole(here[0].sentence)
		}
	}
	return nil
}

// under says whether the line that an entry stands under says something of tests.
func (s *summary) under(sentence int, says func(token) bool) bool {
	return slices.ContainsFunc(s.spans, func(at span) bool {
		there := s.tokens[at.from:at.to]
		return slices.Contains(s.above[sentence], there[0].sentence) && slices.ContainsFunc(there, says) && slices.ContainsFunc(there, func(t token) bool { return t.key == "test" })
	})
}

// beside says whether a line that names nothing itself, in the entry that a sentence stands in, says something of tests.
func (s *summary) beside(sentence int, says func(token) bool) bool {
	above := s.above[sentence]
	return len(above) > 0 && slices.ContainsFunc(s.spans, func(at span) bool {
		there := s.tokens[at.from:at.to]
		return slices.Equal(s.above[there[0].sentence], above) && slices.ContainsFunc(there, says) &&
			slices.ContainsFunc(there, func(t token) bool { return t.key == "test" }) &&
			!slices.ContainsFunc(there, func(t token) bool { return t.script == exact && !says(t) })
	})
}
