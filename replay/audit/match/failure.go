package match

import (
	"path"
	"slices"
	"strings"
	"sync"

	"journal/events/text"
)

// failure matches a failed command: by the name of a failed test, by what is not there, by a line of what it printed, or, if it
// printed nothing that tells, by what it was run for.
func (m *Matcher) failure(it Item) *Match {
	e, command := kept(&m.keep.errors, it.detail, errorTextOf), m.keep.command(it.text)
	names, picked := e.tests, command.picked()
	if len(e.lines)+len(names) == 0 {
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
	for _, line := range e.lines {
		if found := m.message(line, command.deeds); found != nil {
			return found
		}
	}
	for _, d := range command.deeds {
		whole := d.purpose == purposeOf["test"] && len(d.names)+len(picked) == 0 // which test failed is its cause
		silent := len(names)+len(picked) == 0 && (len(e.lines) == 0 || e.vague && d.kind != checks)
		if !whole && !silent { // the error says something else
			continue
		}
		if found := m.summary.ended(d, true); found != nil && (!whole || len(weighty(tokens(found.Quote))) > 2) {
			return found
		}
	}
	return nil
}

// errorText is what is matched of an error. It does not depend on a summary.
type errorText struct {
	lines  []message
	tests  []string // names of failed tests
	absent []string // keys of programs, files and directories that are not there
	vague  bool     // no line says what is wrong
}

// message is a line of an error that says something.
type message struct {
	words    []token // with weight, each once
	must     []bool  // by word: a number, or quoted
	rule     []token // of a linter
	file     string  // base name, in lower case
	coded    bool    // a message of a compiler or linter about a line of the file
	conflict bool    // of a merge
}

const (
	maxMessages = 12 // most lines of an error that are matched
	maxWords    = 5  // most words of a message that are matched
	headed      = 4  // words before a colon that say enough: those after it are about this place only
)

// diagnostic matches path:line:column: message (rule), and path(line,column).
var diagnostic = text.Pattern(`^\s*(?:\[[\w:-]+\] |(?:error|warning|info) - )?([\w./@-]+\.\w+)(?::\d+(?::\d+)?:?|\(\d+,\d+\):) (?:- )?(?:error:? )?(.*?)(?: \(([\w-]+)\)| \[([\w-]+)\])?$`)

// empty matches a line that says only that something failed, or repeats a command.
var empty = text.Pattern(`^(?i:FAIL(\s[\w./-]+)?|\W*(?:(?:error|fail(?:ed)?|exit (?:status|code) [12]|background command .* exit code \d+|[\d.]+s)[^\pL]*)?|\[[\w:]+\] ERROR task failed|error: script \S+ exited with code \d+|ERR_PNPM_\w*FAIL\b.*|(?:Found )?\d+ (?:errors?|issues?)\.?|\$ .*)$`)

// wrong matches a line that says that something is wrong.
var wrong = text.Pattern(`(?i)error|exception|panic|fail|fatal|can(?:no|')t|could ?n[o']t|unable|\bno[t ]|denied|refused|reject|invalid|un(?:defined|known|expected|recognized|supported|used)|miss(?:ing|es)|time?d? ?out|expect|exceed|abort|already|must|want|exit code`)

func errorTextOf(detail string) *errorText {
	e := &errorText{tests: testsIn(detail), absent: absentIn(detail)}
	var says []bool // by line: it says that something is wrong
	for line := range strings.Lines(detail) {
		line = strings.TrimSpace(line)
		if len(e.lines) == maxMessages {
			break
		}
		if empty().MatchString(line) || strings.HasPrefix(line, "FAIL") && len(testsIn(line)) > 0 {
			continue
		}
		if one := messageOf(line); len(one.words)+len(one.rule) > 0 {
			e.lines = append(e.lines, one)
			says = append(says, one.coded || one.conflict || wrong().MatchString(line))
		}
	}
	if e.vague = !slices.Contains(says, true); !e.vague {
		n := -1
		e.lines = slices.DeleteFunc(e.lines, func(message) bool { n++; return !says[n] })
	}
	return e
}

func messageOf(line string) message {
	d := message{conflict: strings.HasPrefix(line, "CONFLICT ")}
	text := line
	if found := diagnostic().FindStringSubmatch(line); found != nil {
		text, d.rule, d.file, d.coded = found[2], tokens(found[3]+found[4]), strings.ToLower(path.Base(found[1])), true
		switch head, _, more := strings.Cut(text, ": "); {
		case more && len(weighty(tokens(head))) >= headed:
			text = head
		case more && !strings.Contains(head, " "):
			d.rule = tokens(head) // the name of a check
		}
		text, _, _ = strings.Cut(text, ". ") // advice follows
	}
	for _, t := range weighty(tokens(text)) {
		switch {
		case faulty.has(t):
		case slices.ContainsFunc(d.words, func(o token) bool { return o.key == t.key }):
		case d.file == "" && isFile(t):
			d.file = path.Base(t.form)
		case len(d.words) == maxWords:
		case strings.Count(t.form, "/") > 2, strings.HasPrefix(t.form, "0x"):
		default:
			d.words = append(d.words, t)
			d.must = append(d.must, isDigit(t.form[0]) || !d.coded && t.script == exact || t.from > 0 && strings.ContainsRune("'\"`‘", rune(text[t.from-1])))
		}
	}
	return d
}

// isFile reports whether a word is a file's path.
func isFile(t token) bool { return t.script == exact && path.Ext(t.form) != "" && !isDigit(t.form[0]) }

func weighty(all []token) []token { return slices.DeleteFunc(slices.Clone(all), weightless) }

// told is the share of the weight of a message's words that an entry must have; less is the same for an entry about
// faults that names the file, or what the command was to do.
const (
	told = 0.6
	less = 0.3
)

// message finds an entry that says most of what a message says, or some of it about the same target.
func (m *Matcher) message(is message, deeds []deed) *Match {
	s := m.summary
	total, weights := 0.0, make([]float64, len(is.words))
	in := map[int][]bool{} // entry → its words of the message
	for i, w := range is.words {
		weights[i] = m.weight(w.key)
		total += weights[i]
		for _, at := range s.places(w) {
			t := s.tokens[at]
			if t.sentence >= inCode || w.script == exact && t.form != w.form && !isEndOf(w.form, t.form) || s.wished(t.from) {
				continue
			}
			e := s.entry(t.sentence)
			if in[e] == nil {
				in[e] = make([]bool, len(is.words))
			}
			in[e][i] = true
		}
	}
	candidates := s.byKey[is.file]
	for _, w := range is.rule {
		candidates = slices.Concat(candidates, s.places(w))
	}
	for _, at := range candidates {
		if e := s.entry(s.tokens[at].sentence); in[e] == nil {
			in[e] = make([]bool, len(is.words))
		}
	}
	best := -1
	for e, has := range in {
		if (best < 0 || e < best) && m.saysMessage(is, deeds, e, has, weights, total) {
			best = e
		}
	}
	if best < 0 {
		return nil
	}
	return s.whole(s.telltale(best, append(slices.Clone(is.words), token{form: is.file, key: is.file, script: exact})))
}

// saysMessage reports whether an entry that has some words of a message says it. What costs most is asked last.
func (m *Matcher) saysMessage(is message, deeds []deed, e int, has []bool, weights []float64, total float64) bool {
	s := m.summary
	share, n, name := 0.0, 0, false
	for i, w := range is.words {
		if has[i] {
			share += weights[i] / total
			n++
			name = name || w.script == exact || is.must[i]
		}
	}
	isFile := func(t token) bool {
		return is.file != "" && (t.form == is.file || strings.HasSuffix(t.form, "/"+is.file))
	}
	located := len(s.byKey[is.file]) > 0 && s.inEntry(e, isFile)
	fault := sync.OnceValue(func() bool { return s.inEntry(e, isFault) })
	if is.conflict || located && s.tasked(e, deeds, isFile) {
		return located && (!is.conflict || s.inEntry(e, conflicting.has))
	}
	elsewhere := func() bool {
		return is.coded && !located && s.inEntry(e, func(t token) bool { return strings.HasSuffix(t.form, path.Ext(is.file)) })
	}
	if len(is.rule) > 0 && !slices.ContainsFunc(is.rule, func(w token) bool { return !s.inEntry(e, func(t token) bool { return same(w, t) }) }) &&
		(located || is.coded && fault() && !elsewhere()) {
		return true
	}
	if share < less || elsewhere() {
		return false
	}
	for i := range is.words {
		if is.must[i] && !(has[i] && s.stands(e, i, is.words)) {
			return false
		}
	}
	about := func() bool {
		return located || slices.ContainsFunc(deeds, func(d deed) bool { return m.entryAbout(e, d) })
	}
	if share < told || !is.coded && share <= 0.9 && !fault() {
		return n > 1 && fault() && about()
	}
	return n > 4 || n > 2 && is.coded || n > 1 && name || about()
}

// tasked reports whether a sentence of an entry names what a command was to do, and with the lines above it a file and a fault.
func (s *summary) tasked(e int, deeds []deed, isFile func(token) bool) bool {
	ofTask := func(t token) bool {
		return slices.ContainsFunc(deeds, func(d deed) bool { return t.key == d.key && d.task != d.runner })
	}
	return slices.ContainsFunc(s.within[e], func(n int) bool {
		return s.about(n, false, isFile) && s.about(n, false, ofTask) && s.about(n, true, isFault)
	})
}

// stands reports whether a sentence of an entry has a word of a message with another one.
func (s *summary) stands(e, i int, words []token) bool {
	return slices.ContainsFunc(s.within[e], func(n int) bool {
		has := func(w token) bool {
			return slices.ContainsFunc(s.sentence(n), func(t token) bool { return same(w, t) })
		}
		return has(words[i]) && (len(words) == 1 || slices.ContainsFunc(slices.Concat(words[:i], words[i+1:]), has))
	})
}

// entryAbout reports whether an entry names most of what a deed names, or its task if it names nothing.
func (m *Matcher) entryAbout(e int, d deed) bool {
	if len(d.names) == 0 {
		return m.summary.inEntry(e, func(t token) bool { return t.key == d.key })
	}
	there, total := 0.0, 0.0
	for _, name := range d.names {
		w := m.weight(name.key)
		if total += w; m.summary.inEntry(e, func(t token) bool { return means(name, t) }) {
			there += w
		}
	}
	return there >= mostNames*total
}

// missing matches a line that says that a program, a file or a directory is not there.
var missing = text.Pattern(`(?m)(?:command not found|no matches found): (\S+)$|(\S+): (?:(?:command )?not found|No such file or directory)$`)

// absentIn lists the keys of what an error says is not there, and of the directories above it. Of a pattern that is the
// directory and the name.
func absentIn(detail string) (keys []string) {
	if !strings.Contains(detail, "found") && !strings.Contains(detail, "No such") {
		return nil // most errors: the pattern is slow
	}
	for _, found := range missing().FindAllStringSubmatch(detail, maxMessages) {
		name := strings.Trim(found[1]+found[2], "'\"`‘’")
		all := []string{path.Base(name)}
		if above, below, ok := strings.Cut(name, "*"); ok {
			all = []string{path.Base(above), path.Base(below)}
		}
		for dir := path.Dir(name); strings.Count(dir, "/") > 1; dir = path.Dir(dir) {
			all = append(all, dir)
		}
		for _, one := range all {
			if words := tokens(one); len(words) == 1 {
				keys = append(keys, words[0].key)
			}
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

// isFault reports whether a word says that something is wrong, as TypeError does.
func isFault(t token) bool {
	return faulty.has(t) || faults[t.form] || strings.HasSuffix(t.form, "error")
}

// faults are forms of other words that say so.
var faults = setOf("timeout timeouts timed denied refused rejected unreachable unavailable")

// failedLines matches lines that name failed tests: of go test (also as an outcome), pytest, jest and cargo.
var failedLines = text.Pattern(`(?m)(?:^\s*|, )(?:(?:--- )?FAIL: ([\w/]+)|FAILED \S*?::([\w:]+)|test ([\w:]+) \.\.\. FAILED)`)

// testsIn lists the tests that an error names.
func testsIn(detail string) (names []string) {
	for _, found := range failedLines().FindAllStringSubmatch(detail, maxMessages) {
		name := found[1] + found[2] + found[3]
		if name, _, _ = strings.Cut(name, "/"); len(name) >= minName {
			names = append(names, name[strings.LastIndex(name, ":")+1:])
		}
	}
	return names
}

// failed finds one of some tests in an entry with a sentence that says that it failed, or that names no test and says so. Without
// Test before it, a name is a function's, unless its sentence is about tests.
func (s *summary) failed(names []string) *Match {
	for _, name := range names {
		name = strings.ToLower(name)
		bare := strings.TrimPrefix(name, "test")
		for _, at := range slices.Concat(s.byKey[name], s.byKey[bare]) {
			n := s.tokens[at].sentence
			if s.tokens[at].form == bare && bare != name && !slices.ContainsFunc(s.sentence(n), isTest) {
				continue
			}
			if slices.ContainsFunc(s.within[s.entry(n)], func(f int) bool {
				here := s.sentence(f)
				return slices.ContainsFunc(here, s.fails) && (f == n || slices.ContainsFunc(here, isTest) && !slices.ContainsFunc(here, namesTest))
			}) {
				return s.whole(n)
			}
		}
	}
	return nil
}

func isTest(t token) bool { return t.key == "test" }

// namesTest reports whether a word is the name of a test.
func namesTest(t token) bool {
	return t.script == exact && (strings.HasPrefix(t.form, "test") || isFile(t) && (strings.Contains(t.form, "test.") || strings.Contains(t.form, ".spec.")))
}

// fails reports whether a word says that something failed, in any case: FAILING looks like a name.
func (s *summary) fails(t token) bool {
	return (failing.has(t) || strings.HasPrefix(t.form, "fail")) && !s.polarity[t.clause].negated
}
