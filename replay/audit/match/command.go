package match

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// command matches a command by its purpose: the summary must tell most of what it did.
func (m *Matcher) command(i int) *Match {
	it := m.items[i]
	is := m.keep.command(it.text)
	var first *Match
	told := 0
	for _, d := range is.deeds {
		var found *Match
		if is.subject != "" && d.task == "commit" {
			found = m.text(m.keep.said(is.subject), -1, Item{way: byCommand, done: true})
		} else {
			found = m.deed(d)
		}
		if found != nil {
			told++
			if first == nil || found.From < first.From {
				first = found
			}
		}
	}
	if 2*told > len(is.deeds) || 2*told == len(is.deeds) && told > 0 && is.deeds[0].kind == looks {
		return first
	}
	if found := m.showed(i, is); found != nil || it.own == "" || len(is.deeds) == 0 {
		return found
	}
	if words := m.keep.said(it.own).tokens; len(words) > 1 && words[0].script == latin && (looking.has(words[0]) || onlyLooks[words[0].form]) {
		return m.shown(weighty(words[1:]), func(t token) bool {
			as := it.own[t.from:t.to]
			return t.script == exact && as != strings.ToUpper(as) // PR is no name
		})
	}
	if is.deeds[0].kind == looks {
		return nil
	}
	if d, ok := m.keep.inWords(it.own); ok && (is.subject == "" || len(d.names) > 1) {
		d.whole = is.subject != ""
		return m.did(d)
	}
	return nil
}

// deed matches a simple command: as it was written, by an id that it names, by the tests that it picks, by how its task ended,
// or by a sentence that it was done.
func (m *Matcher) deed(d deed) *Match {
	for _, span := range d.spans {
		if found := m.summary.ran(span); found != nil {
			return found
		}
	}
	if len(d.tests) > 0 {
		if found := m.summary.named(d.tests); found != nil {
			return found
		}
	}
	if d.sweeping() {
		if found := m.summary.ended(d, false); found != nil {
			return found
		}
	}
	if len(d.names) == 0 && d.kind != looks && d.runner != "git" && d.runner != "gh" && d.purpose != installs {
		return nil // any sentence with such a verb would tell it
	}
	return m.did(d)
}

// sweeping reports whether a sentence about all of a project tells the deed: its tests and linters, the tasks of a runner,
// and a build of nothing in particular.
func (d deed) sweeping() bool {
	return d.kind == checks && (d.key != "build" || len(d.names) == 0) || runners[d.runner] && (len(d.names) == 0 || d.purpose == anyRun)
}

// mostNames is the share of the weight of what a command names that a summary must name with it.
const mostNames = 0.6

// did finds a sentence that says that something was done to most of what a deed names, to all if it names the program, and
// to each number.
func (m *Matcher) did(d deed) *Match {
	s := m.summary
	total, there := 0.0, 0.0
	weights := make([]float64, len(d.names))
	for i, name := range d.names {
		weights[i] = m.weight(name.key)
		if total += weights[i]; s.mayName(name) {
			there += weights[i]
		}
	}
	if there < mostNames*total && d.kind != looks && !d.pushes() {
		return nil
	}
	for _, at := range s.telling(d.purpose) {
		n, named := s.tokens[at].sentence, 0.0
		for i, name := range d.names {
			switch {
			case s.about(n, false, func(t token) bool { return means(name, t) && (d.kind != looks || t.script == exact) }),
				d.inWords && s.inEntry(s.entry(n), func(t token) bool { return means(name, t) }):
				named += weights[i]
			case d.pushes() && (len(weighty(s.sentence(n))) == 1 || slices.ContainsFunc(s.sentence(n), isBranch)):
				named = -total
			case !isDigit(name.form[0]) && !d.pushes():
			case isDigit(name.form[0]) && s.numbers(n, len(name.form)):
				named = -total
			case d.runner == "gh", d.pushes(): // of what, the summary need not repeat
				named += weights[i]
			}
		}
		has := func(noun string) bool {
			return s.about(n, true, func(t token) bool { return t.key == noun })
		}
		switch {
		case d.kind == looks && d.task != "show" && s.names(n, ending{key: d.key, runner: d.runner}):
		case (total == 0 || d.runner == "gh") && (d.kind == looks || len(d.nouns) > 0) && !slices.ContainsFunc(d.nouns, has):
			continue
		case named < mostNames*total, named < total && (d.whole || s.plainly(n, d.runner)):
			continue
		}
		return s.whole(n)
	}
	return nil
}

// pushes reports whether a deed publishes commits. Summaries seldom say to where.
func (d deed) pushes() bool { return d.runner == "git" && d.purpose == purposeOf["push"] }

// isBranch reports whether a name may be a branch's.
func isBranch(t token) bool {
	return t.script == exact && strings.ContainsAny(t.form, "/-") && !strings.Contains(t.form, ".")
}

// mayName reports whether the summary has a name, or its last element.
func (s *summary) mayName(name token) bool {
	base := path.Base(name.form)
	return len(s.byKey[name.key])+len(s.byKey[base])+len(s.byKey[lemma(base)]) > 0
}

// numbers reports whether a sentence has a number of so many digits.
func (s *summary) numbers(n, digits int) bool {
	return slices.ContainsFunc(s.sentence(n), func(t token) bool { return len(t.form) == digits && isDigit(t.form[0]) })
}

// plainly reports whether a sentence has the name of a program.
func (s *summary) plainly(n int, program string) bool {
	return s.plain.mayHold(program) && s.plain.named(program, 0, len(s.plain.text)) >= 0 && strings.Contains(s.whole(n).Quote, program)
}

// means reports whether a word of a summary is a name, or one is the end of the other, or both are files of one name.
func means(name, t token) bool {
	if file := path.Base(name.form); strings.Contains(file, ".") && !isDigit(file[0]) && file == path.Base(t.form) {
		return true
	}
	return same(name, t) || name.form == t.form || strings.HasSuffix(t.form, "/"+name.form) || strings.HasSuffix(name.form, "/"+t.form)
}

// telling lists the tokens that tell that something was done for a purpose.
func (s *summary) telling(p *purpose) []int {
	return kept(&s.purposes, p, func(p *purpose) (places []int) {
		for i, t := range s.tokens {
			if p.said.has(t) && s.past(i) && t.sentence < inCode && (p.kind == looks || !s.polarity[t.clause].negated) && !s.wished(t.from) {
				places = append(places, i)
			}
		}
		return places
	})
}

// past reports whether a word is about the past. English ones must be inflected.
func (s *summary) past(i int) bool {
	t := s.tokens[i]
	switch {
	case faulty.has(t):
		return true
	case t.script == hangul:
		return strings.ContainsAny(t.form, "했됐함었았음됨한된") || strings.Contains(t.form, "완료")
	case t.script == han || t.script == katakana:
		next := i + 1
		return next < len(s.tokens) && s.tokens[next].from == t.to && strings.ContainsAny(s.tokens[next].form, "たし済")
	}
	if strings.HasSuffix(t.form, "ed") || pasts[t.form] || passing.has(t) {
		return true
	}
	return t.form == "read" && (i == 0 || s.tokens[i-1].sentence != t.sentence || s.tokens[i-1].form == "i")
}

// pasts are English past forms without -ed.
var pasts = setOf("ran found built made wrote set sent undid shown")

// ran returns the first place of a command as such, or of a whole code span. A short command counts only where the text
// says that it ran.
func (s *summary) ran(what string) *Match {
	p, alone, mark := s.plain, what[0] == '`', 0
	if alone {
		mark = 1
	}
	for from, to := range p.find(what) {
		if from, to := from+mark, to-mark; (alone || commandBorder(p, from, to)) && !s.wished(p.from[from]) && (strings.Count(what, " ") > 1 || s.saysRun(p.from[from])) {
			return s.match("command", p.from[from], p.to[to-1], 1)
		}
	}
	return nil
}

// saysRun reports whether the sentence at a byte, or a line above it, says that something ran.
func (s *summary) saysRun(at int) bool {
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
	of            *purpose
	key, runner   string
	host          string // that the sentence must name
	picks, faulty bool
}

// ended finds a sentence that names a command's task, and no command of that task, and says that it failed if asked for, else
// that it ended well.
func (s *summary) ended(d deed, failed bool) *Match {
	return kept(&s.endings, ending{d.purpose, d.key, d.runner, d.host, len(d.tests) > 0 || slices.ContainsFunc(d.names, namesTest), failed}, s.endOf)
}

func (s *summary) endOf(c ending) *Match {
	how := s.checked
	if c.faulty {
		how = isFault
	}
	for i, t := range s.tokens {
		if t.script == exact && t.key != c.runner || t.key != c.key && !(c.of.kind == checks && c.of.said.has(t)) || s.wished(t.from) {
			continue
		}
		if c.picks && slices.ContainsFunc(s.wholeLine(i), namesTest) || c.runner != "" && (s.names(t.sentence, c) || s.launched(i, c.runner)) {
			continue // it is about those tests, or that command
		}
		if c.host != "" && !slices.ContainsFunc(s.sentence(t.sentence), func(t token) bool { return strings.HasSuffix(t.form, c.host) }) {
			continue
		}
		if slices.ContainsFunc(s.sentence(t.sentence), func(t token) bool {
			return how(t) && !s.polarity[t.clause].negated || c.faulty && t.key == "work" && s.polarity[t.clause].negated
		}) {
			return s.whole(t.sentence)
		}
	}
	return nil
}

// names reports whether a sentence names a command of a task.
func (s *summary) names(sentence int, c ending) bool {
	here := s.spanOf[sentence]
	for i := here.from + 1; i < here.to; i++ {
		if s.tokens[i].key == c.key && s.launched(i, c.runner) {
			return true
		}
	}
	return c.key == lemma(c.runner) && s.plainly(sentence, c.runner)
}

// launched reports whether a word stands behind a program that runs tasks, or behind another one.
func (s *summary) launched(i int, program string) bool {
	before := s.tokens[max(0, i-2):i]
	return slices.ContainsFunc(before, func(t token) bool {
		return t.sentence == s.tokens[i].sentence && (runners[t.form] || t.form == program && t.to+2 > s.tokens[i].from)
	})
}

// wholeLine returns the tokens of the line of a token.
func (s *summary) wholeLine(at int) []token {
	l := s.lines[s.line[s.tokens[at].sentence]]
	return s.tokens[s.tokenAt(l.from):s.tokenAt(l.to)]
}

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

// shown finds a sentence with all of some names, at least one of them of a thing.
func (m *Matcher) shown(names []token, ofThing func(token) bool) *Match {
	s := m.summary
	at := slices.IndexFunc(names, ofThing)
	if at < 0 {
		return nil
	}
	for _, place := range s.byKey[names[at].key] {
		n := s.tokens[place].sentence
		if n < inCode && !s.wished(s.tokens[place].from) && !slices.ContainsFunc(names, func(name token) bool {
			return !s.about(n, false, func(t token) bool { return means(name, t) })
		}) {
			return s.whole(n)
		}
	}
	return nil
}
