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
	// maxRanges bounds the changes of one file, maxUses the recorded names of the newest change, usesIn its examined lines.
	maxRanges = 4
	maxUses   = 4
	usesIn    = 200
	// maxTopics bounds the names whose uses in other files are recorded.
	maxTopics = 4
)

// found holds the places in one file.
type found struct {
	file   projections.TrailFile
	path   string // below the project
	lines  []string
	defs   []definition
	places events.FilePlaces
	last   events.Range // the newest change
	score  int          // the highest score of its names
}

// placesIn returns the changed and the mentioned places in the files under work, and a changed symbol. read returns the lines of a file, and false for
// one that must not be read.
func placesIn(t projections.TrailState, read func(path string) ([]string, bool)) (e events.PlacesObserved, changed symbol) {
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
		file := &found{file: f, path: filepath.ToSlash(below), lines: lines, defs: definitionsIn(f.Path, lines)}
		file.places.Path = redact.Text(file.path)
		if f.Written && written < maxWritten {
			written++
			file.changes()
		}
		all = append(all, file)
	}
	m := mentions(t)
	pick(m, all)
	changed = changedIn(m, all)
	slices.SortStableFunc(all, func(a, b *found) int { return cmp.Compare(b.score, a.score) })
	for _, f := range all {
		if len(f.places.Changed)+len(f.places.Names) > 0 && len(e.Files) < maxPlaced {
			slices.SortFunc(f.places.Names, func(a, b events.Place) int { return cmp.Compare(a.Line, b.Line) })
			e.Files = append(e.Files, f.places)
		}
	}
	return e, changed
}

// placeOf returns the place of a name in a line, without secrets: a line may define anything.
func placeOf(name string, line int) events.Place {
	return events.Place{Name: redact.Text(name), Line: line}
}

// changes finds the last changed places. It skips text that is gone or occurs twice, and joins adjacent places.
func (f *found) changes() {
	var all []events.Range
	for _, p := range f.file.At {
		if from, ok := f.find(p.Lines); ok {
			r := events.Range{From: from, To: min(from+max(p.Count, 1)-1, len(f.lines))}
			f.last = r
			if d, ok := f.enclosing(r); ok {
				r.In = redact.Text(d.name)
			} else if imported().MatchString(f.lines[from-1]) {
				continue
			}
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b events.Range) int { return cmp.Compare(a.From, b.From) })
	for _, r := range all {
		if n := len(f.places.Changed) - 1; n >= 0 && r.From <= f.places.Changed[n].To+1 && r.In == f.places.Changed[n].In {
			f.places.Changed[n].To = max(f.places.Changed[n].To, r.To)
			continue
		}
		f.places.Changed = append(f.places.Changed, r)
	}
	f.places.Changed = f.places.Changed[max(0, len(f.places.Changed)-maxRanges):]
}

// imported matches a line that imports other files.
var imported = text.Pattern(`^\s*(?:import\b|from\b|use\b|using\b|#\s*include\b|require\b|(?:\w+ )?"[^"]*"$)`)

// enclosing returns the definition that contains a change, or that begins with it.
func (f *found) enclosing(r events.Range) (definition, bool) {
	if d, ok := enclosing(f.lines, f.defs, r.From); ok {
		return d, true
	}
	for _, d := range f.defs {
		if d.line >= r.From && d.line <= r.To && d.body {
			return d, true
		}
	}
	return definition{}, false
}

// find returns the line at which the given lines occur in sequence. ok is false if they occur nowhere or twice. find ignores empty
// lines between them.
func (f *found) find(want []string) (line int, ok bool) {
	for i := range f.lines {
		if f.matches(i, want) {
			if ok {
				return 0, false
			}
			line, ok = i+1, true
		}
	}
	return line, ok && len(want) > 0
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

// pick chooses the relevant definitions: first those that the item in work names, then those that the summary names, then those that were mentioned, searched for, or
// changed.
func pick(m mentioned, all []*found) {
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
	n, picked := 0, map[string]bool{}
	for _, c := range list {
		if n < maxAll && len(c.file.places.Names) < maxNames {
			c.file.score = max(c.file.score, c.score)
			c.file.places.Names = append(c.file.places.Names, placeOf(c.def.name, c.def.line))
			picked[c.def.name] = true
			n++
		}
	}
	for _, f := range all {
		f.addUses(m, picked)
		f.addTopics(m)
	}
}

// addTopics adds, for each topic of the work, the first use in a file that does not define it.
func (f *found) addTopics(m mentioned) {
	for _, name := range m.topics {
		if slices.ContainsFunc(f.defs, func(d definition) bool { return d.name == name }) {
			continue
		}
		first := slices.IndexFunc(f.lines, func(line string) bool {
			return strings.Contains(line, name) && !imported().MatchString(line) &&
				slices.Contains(word().FindAllString(stringsAndComments().ReplaceAllString(line, ""), -1), name)
		})
		if first >= 0 && len(f.places.Names) < maxNames {
			f.places.Names = append(f.places.Names, placeOf(name, first+1))
			f.score = max(f.score, m.topicScore(name))
		}
	}
}

// addUses adds mentioned names in the last change of a file: fields and variables, which have no defining line. It skips calls, which
// are defined elsewhere, and single plain words, which mean nothing alone.
func (f *found) addUses(m mentioned, picked map[string]bool) {
	last := slices.IndexFunc(f.places.Changed, func(r events.Range) bool { return r.From <= f.last.From && f.last.From <= r.To })
	if last < 0 {
		return
	}
	seen := map[string]bool{}
	for i, line := range f.lines[f.last.From-1 : min(f.last.To, f.last.From+usesIn)] {
		for _, found := range compound().FindAllStringSubmatch(stringsAndComments().ReplaceAllString(line, ""), -1) {
			name, names := found[1], &f.places.Changed[last].Names
			if found[2] == "" && len(*names) < maxUses && !seen[name] && !picked[name] && m.isMentioned(name) {
				seen[name] = true
				*names = append(*names, placeOf(name, f.last.From+i))
			}
		}
	}
}

// compound matches a name of several words, and a call of it.
var compound = text.Pattern(`\b([A-Za-z]\w*[a-z0-9](?:[A-Z]|_\w)\w*)(\(?)`)

// stringsAndComments matches the strings and comments of a line.
var stringsAndComments = text.Pattern(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|//.*|^\s*(?:#|\*).*`)

// mentioned holds the words of texts and searches.
type mentioned struct {
	summary, failed, asked, answer map[string]bool
	work                           map[string]bool // names in the item in work
	searched                       map[string]int  // age of the search: 1 is the newest
	topics                         []string        // names in the item in work, or in both the newest request and the summary
}

func mentions(t projections.TrailState) mentioned {
	words := strings.TrimSpace(t.Words[2])
	item := cmp.Or(t.Item, words[strings.LastIndex(words, "\n\n")+1:]) // the end of the last words has the step in progress
	named := func(s string) map[string]bool { return set(text.Names(s, maxMentioned)) }
	m := mentioned{
		summary: set(t.Summary), failed: set(t.Failed), asked: named(t.Words[0] + "\n" + t.Words[1]), answer: named(t.Words[2]), work: named(item),
		searched: map[string]int{},
	}
	for _, n := range text.Names(item+"\n"+t.Words[1]+"\n"+t.Words[0], maxMentioned) {
		if (m.work[n] || m.summary[n]) && compound().MatchString(n) && len(m.topics) < maxTopics {
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
	inWork     = 40 // more than all others together
	inSummary  = 12
	hasFailed  = 9
	inRequest  = 8
	inAnswer   = 6
	wasChanged = 6
	wasSought  = 5 // among the newest searches; less before
	wasRead    = 2
	recently   = 10 // searches
)

// isMentioned reports whether a name is in the item in work, the summary, the newest requests or the agent's last words.
func (m mentioned) isMentioned(name string) bool {
	return m.work[name] || m.summary[name] || m.asked[name] || m.answer[name]
}

// topicScore returns the score of a use of a topic: one less than that of its definition.
func (m mentioned) topicScore(name string) int {
	if m.work[name] {
		return inWork - 1
	}
	return inSummary + inRequest - 1
}

// score returns the score of a definition; 0 leaves it out. A test counts only if it was mentioned or changed.
func (m mentioned) score(f *found, d definition) (n int) {
	if m.work[d.name] {
		n += inWork
	}
	if m.summary[d.name] {
		n += inSummary
	}
	if m.failed[d.name] {
		n += hasFailed
	}
	if m.asked[d.name] {
		n += inRequest
	}
	if m.answer[d.name] {
		n += inAnswer
	}
	touches := func(r events.Range) bool { return r.In == d.name || d.body && r.From <= d.line && d.line <= r.To }
	if slices.ContainsFunc(f.places.Changed, touches) {
		n += wasChanged
	}
	if n == 0 && text.IsTest(f.path) {
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
