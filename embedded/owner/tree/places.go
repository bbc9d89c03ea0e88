package tree

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/journal/redact"
	"journal/projections"
)

const (
	// maxWritten bounds the files whose changes are recorded, maxPlaced all recorded files.
	maxWritten = 8
	maxPlaced  = 8
	// maxNames bounds the names of one file, maxAll those of all.
	maxNames = 8
	maxAll   = 36
	// maxRanges bounds the changes of one file, maxUses the names recorded of the newest change, usesIn the lines of it
	// that are examined.
	maxRanges = 4
	maxUses   = 4
	usesIn    = 200
	// maxTopics bounds the names whose uses in other files are recorded.
	maxTopics = 3
)

// found is what one file holds.
type found struct {
	file  projections.TrailFile
	path  string // below the project
	lines []string
	defs  []definition
	is    events.FilePlaces
	last  events.Range // what was changed last of all
	score int          // the highest score of its names
}

// placesIn finds where things are. read returns the lines of a file, and false for one that must not be read.
func placesIn(t projections.TrailState, read func(path string) ([]string, bool)) events.PlacesObserved {
	var all []*found
	written := 0
	for _, f := range slices.Backward(t.Files) {
		below, err := filepath.Rel(t.Root, f.Path)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		lines, ok := read(f.Path)
		if !ok {
			continue
		}
		one := &found{file: f, path: filepath.ToSlash(below), lines: lines, defs: definitionsIn(f.Path, lines)}
		one.is.Path = redact.Text(one.path)
		if f.Written && written < maxWritten {
			written++
			one.changes()
		}
		all = append(all, one)
	}
	pick(t, all)
	slices.SortStableFunc(all, func(a, b *found) int { return cmp.Compare(b.score, a.score) })
	var e events.PlacesObserved
	for _, one := range all {
		if len(one.is.Changed)+len(one.is.Names) > 0 && len(e.Files) < maxPlaced {
			slices.SortFunc(one.is.Names, func(a, b events.Place) int { return cmp.Compare(a.Line, b.Line) })
			e.Files = append(e.Files, one.is)
		}
	}
	return e
}

// placeOf makes the place of a name in a line, without secrets: a line may define anything.
func placeOf(name string, line int) events.Place {
	return events.Place{Name: redact.Text(name), Line: line}
}

// changes finds the last changed places. It skips text that is gone or occurs twice, and joins places that
// touch.
func (f *found) changes() {
	var all []events.Range
	for _, p := range f.file.At {
		if from, ok := f.find(p.Lines); ok {
			r := events.Range{From: from, To: min(from+max(p.Count, 1)-1, len(f.lines))}
			f.last = r
			if d, ok := f.holding(r); ok {
				r.In = redact.Text(d.name)
			} else if imported().MatchString(f.lines[from-1]) {
				continue
			}
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b events.Range) int { return cmp.Compare(a.From, b.From) })
	for _, r := range all {
		if n := len(f.is.Changed) - 1; n >= 0 && r.From <= f.is.Changed[n].To+1 && r.In == f.is.Changed[n].In {
			f.is.Changed[n].To = max(f.is.Changed[n].To, r.To)
			continue
		}
		f.is.Changed = append(f.is.Changed, r)
	}
	f.is.Changed = f.is.Changed[max(0, len(f.is.Changed)-maxRanges):]
}

// imported is a line that says what a file uses of others.
var imported = text.Pattern(`^\s*(?:import\b|from\b|use\b|using\b|#\s*include\b|require\b|(?:\w+ )?"[^"]*"$)`)

// holding returns the definition that contains a change, or that begins with it.
func (f *found) holding(r events.Range) (definition, bool) {
	if d, ok := around(f.lines, f.defs, r.From); ok {
		return d, true
	}
	for _, d := range f.defs {
		if d.line >= r.From && d.line <= r.To && d.body {
			return d, true
		}
	}
	return definition{}, false
}

// find returns the line where the given lines occur in sequence, if that is at one place only. It ignores empty lines
// between them.
func (f *found) find(want []string) (at int, ok bool) {
	for i := range f.lines {
		if f.matches(i, want) {
			if ok {
				return 0, false
			}
			at, ok = i+1, true
		}
	}
	return at, ok && len(want) > 0
}

func (f *found) matches(i int, want []string) bool {
	for n, w := range want {
		for n > 0 && i < len(f.lines) && strings.TrimSpace(f.lines[i]) == "" {
			i++
		}
		if i >= len(f.lines) || strings.TrimSpace(f.lines[i]) != w {
			return false
		}
		i++
	}
	return true
}

// candidate is a definition and its score.
type candidate struct {
	file  *found
	def   definition
	score int
	age   int // of the file: 0 is the newest
}

// pick chooses the definitions that matter: first those that the summary names, then those that were mentioned, searched
// for, or changed.
func pick(t projections.TrailState, all []*found) {
	m := mentions(t)
	var list []candidate
	for age, f := range all {
		seen := map[string]bool{}
		for _, d := range f.defs {
			score := m.score(f, d)
			if seen[d.name] || score == 0 || len(d.name) < 3 {
				continue
			}
			seen[d.name] = true
			list = append(list, candidate{f, d, score, age})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.age, b.age)) })
	n, told := 0, map[string]bool{}
	for _, c := range list {
		if n < maxAll && len(c.file.is.Names) < maxNames {
			c.file.score = max(c.file.score, c.score)
			c.file.is.Names = append(c.file.is.Names, placeOf(c.def.name, c.def.line))
			told[c.def.name] = true
			n++
		}
	}
	for _, f := range all {
		f.uses(m, told)
		f.meets(m.topics)
	}
}

// meets finds, for the topics of the work, the first use in a file that does not define them.
func (f *found) meets(topics []string) {
	for _, name := range topics {
		if slices.ContainsFunc(f.defs, func(d definition) bool { return d.name == name }) {
			continue
		}
		at := slices.IndexFunc(f.lines, func(line string) bool {
			return strings.Contains(line, name) && !imported().MatchString(line) &&
				slices.Contains(word().FindAllString(unsaid().ReplaceAllString(line, ""), -1), name)
		})
		if at >= 0 && len(f.is.Names) < maxNames {
			f.is.Names = append(f.is.Names, placeOf(name, at+1))
		}
	}
}

// uses finds names in the last change of a file that were mentioned: fields and variables, which have no defining line. It
// skips calls, which are defined elsewhere, and single plain words, which say nothing.
func (f *found) uses(m mentioned, told map[string]bool) {
	at := slices.IndexFunc(f.is.Changed, func(r events.Range) bool { return r.From <= f.last.From && f.last.From <= r.To })
	if at < 0 {
		return
	}
	seen := map[string]bool{}
	for i, line := range f.lines[f.last.From-1 : min(f.last.To, f.last.From+usesIn)] {
		for _, found := range compound().FindAllStringSubmatch(unsaid().ReplaceAllString(line, ""), -1) {
			name, names := found[1], &f.is.Changed[at].Names
			if found[2] == "" && len(*names) < maxUses && !seen[name] && !told[name] && m.spoken(name) {
				seen[name] = true
				*names = append(*names, placeOf(name, f.last.From+i))
			}
		}
	}
}

// compound matches a name of several words, and a call of it.
var compound = text.Pattern(`\b([A-Za-z]\w*[a-z0-9](?:[A-Z]|_\w)\w*)(\(?)`)

// unsaid matches the strings and comments of a line.
var unsaid = text.Pattern(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|//.*|^\s*(?:#|\*).*`)

// mentioned are the words of texts and searches.
type mentioned struct {
	summary, failed, asked, said map[string]bool
	searched                     map[string]int // how long ago: 1 is the newest
	topics                       []string       // names in both the newest request and the summary
}

func mentions(t projections.TrailState) mentioned {
	named := func(words string) map[string]bool { return set(text.Names(words, maxMentioned)) }
	m := mentioned{
		summary: set(t.Summary), failed: set(t.Failed), asked: named(t.Words[0] + "\n" + t.Words[1]), said: named(t.Words[2]),
		searched: map[string]int{},
	}
	for _, n := range text.Names(t.Words[1]+"\n"+t.Words[0], maxMentioned) {
		if m.summary[n] && compound().MatchString(n) && len(m.topics) < maxTopics {
			m.topics = append(m.topics, n)
		}
	}
	for i, q := range t.Queries {
		for _, w := range word().FindAllString(q, -1) {
			m.searched[w] = len(t.Queries) - i
		}
	}
	return m
}

var word = text.Pattern(`[A-Za-z_]\w{2,}`)

// maxMentioned bounds the names that are taken from texts.
const maxMentioned = 200

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, n := range names {
		all[n] = true
	}
	return all
}

// The scores of a name.
const (
	inSummary  = 12
	hasFailed  = 9
	inRequest  = 8
	inAnswer   = 6
	wasChanged = 6
	wasSought  = 5 // among the newest searches; less before
	wasRead    = 2
	recently   = 10 // searches
)

// spoken reports whether a name is in the summary, the newest requests or the agent's last words.
func (m mentioned) spoken(name string) bool { return m.summary[name] || m.asked[name] || m.said[name] }

// score returns the score of a definition; 0 leaves it out. A test counts only if it was mentioned or
// changed.
func (m mentioned) score(f *found, d definition) (n int) {
	if m.summary[d.name] {
		n += inSummary
	}
	if m.failed[d.name] {
		n += hasFailed
	}
	if m.asked[d.name] {
		n += inRequest
	}
	if m.said[d.name] {
		n += inAnswer
	}
	touches := func(r events.Range) bool { return r.In == d.name || d.body && r.From <= d.line && d.line <= r.To }
	if slices.ContainsFunc(f.is.Changed, touches) {
		n += wasChanged
	}
	if n == 0 && testFile().MatchString(f.path) {
		return 0
	}
	if ago := m.searched[d.name]; ago > 0 && ago <= recently {
		n += wasSought
	} else if ago > 0 {
		n += wasSought - 2
	}
	if f.file.From > 0 && f.file.From <= d.line && d.line <= f.file.To {
		n += wasRead
	}
	return n
}

var testFile = text.Pattern(`(?i)(?:^|/)(?:tests?|specs?|__tests__)/|[._-](?:test|spec)s?\.\w+$|(?:^|/)test_[^/]*$|Tests?\.\w+$`)
