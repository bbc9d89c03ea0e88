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

// Bounds of what is recorded.
const (
	maxWritten  = 8   // files with changes
	maxPlaced   = 8   // files
	maxNames    = 8   // names in one file
	maxAllNames = 36  // names in all files
	maxRanges   = 4   // changes in one file
	maxUses     = 4   // names in the newest change of a file
	usesIn      = 200 // lines of that change that are examined
	maxTopics   = 4   // names whose uses in other files are recorded
	minName     = 3   // length of the shortest name, as word matches them
)

// workFile is a file under work.
type workFile struct {
	file   projections.TrailFile
	path   string // below the project, with slashes
	lines  []string
	defs   []definition
	places events.FilePlaces // what is recorded of it
	last   events.Range      // the newest change, zero if it was not found
	score  int               // the highest score of the recorded names
	inTurn bool              // it was used since the newest request
	named  bool              // one of the recorded names was mentioned
}

// placesIn returns the changed and the mentioned places in the files under work, and the symbol of changedIn. read returns the lines of a
// file, and false for one that must not be read.
func placesIn(t projections.TrailState, read func(path string) ([]string, bool)) (e events.PlacesObserved, changed symbol) {
	var all []*workFile
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
		file := &workFile{file: f, path: filepath.ToSlash(below), lines: lines, defs: definitionsIn(f.Path, lines), inTurn: f.UsedSeq >= t.Request}
		file.places.Path = redact.Text(file.path)
		if f.Written && written < maxWritten {
			written++
			file.changes()
		}
		all = append(all, file)
	}
	m := mentionedIn(t)
	pickNames(m, all)
	changed = changedIn(m, all, t.Request)
	// Once a file was written for the newest request, unmentioned files of earlier requests are left out.
	begun := slices.ContainsFunc(all, func(f *workFile) bool { return f.file.WrittenSeq > t.Request })
	all = slices.DeleteFunc(all, func(f *workFile) bool { return begun && !f.inTurn && !f.named })
	slices.SortStableFunc(all, func(a, b *workFile) int { return cmp.Compare(b.score, a.score) })
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

// changes adds the newest changes of a file, and joins adjacent ones. It skips changes of imports, and text that is gone or occurs twice.
func (f *workFile) changes() {
	var all []events.Range
	for _, p := range f.file.Passages {
		if from, ok := f.find(p.Lines); ok {
			r := events.Range{From: from, To: min(from+max(p.Count, 1)-1, len(f.lines))}
			f.last = r
			if d, ok := f.enclosing(r); ok {
				r.In = redact.Text(d.name)
			} else if text.IsImport(f.lines[from-1]) {
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

// enclosing returns the definition that contains a change, or that begins with it.
func (f *workFile) enclosing(r events.Range) (definition, bool) {
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

// find returns the line, from 1, at which some lines occur one after another. ok is false if they occur nowhere or twice. It ignores
// indentation, and empty lines between them.
func (f *workFile) find(want []string) (line int, ok bool) {
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

// matches reports whether some lines occur at the index i. See find.
func (f *workFile) matches(i int, want []string) bool {
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
	file  *workFile
	def   definition
	score int
	age   int // of the file: 0 is the newest
}

// pickNames adds to the files the definitions with the highest scores, then uses and topics.
func pickNames(m mentioned, all []*workFile) {
	var list []candidate
	for age, f := range all {
		seen := map[string]bool{}
		for _, d := range f.defs {
			score := m.score(f, d)
			if seen[d.name] || score == 0 || len(d.name) < minName {
				continue
			}
			seen[d.name] = true
			list = append(list, candidate{f, d, score, age})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.age, b.age)) })
	n, picked := 0, map[string]bool{}
	for _, c := range list {
		if n < maxAllNames && len(c.file.places.Names) < maxNames {
			c.file.score, c.file.named = max(c.file.score, c.score), c.file.named || m.isMentioned(c.def.name)
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
func (f *workFile) addTopics(m mentioned) {
	for _, name := range m.topics {
		if slices.ContainsFunc(f.defs, func(d definition) bool { return d.name == name }) {
			continue
		}
		first := slices.IndexFunc(f.lines, func(line string) bool {
			return strings.Contains(line, name) && !text.IsImport(line) &&
				slices.Contains(word().FindAllString(stringsAndComments().ReplaceAllString(line, ""), -1), name)
		})
		if first >= 0 && len(f.places.Names) < maxNames {
			f.places.Names = append(f.places.Names, placeOf(name, first+1))
			f.score, f.named = max(f.score, m.topicScore(name)), true
		}
	}
}

// addUses adds mentioned names in the last change of a file: fields and variables, which have no defining line. It skips calls, which
// are defined elsewhere, and single plain words, which mean nothing alone.
func (f *workFile) addUses(m mentioned, picked map[string]bool) {
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

// compound matches a name of several words, its first group. Its second group is ( if the name is called.
var compound = text.Pattern(`\b([A-Za-z]\w*[a-z0-9](?:[A-Z]|_\w)\w*)(\(?)`)

// stringsAndComments matches the strings and comments of a line.
var stringsAndComments = text.Pattern(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|//.*|^\s*(?:#|\*).*`)

// mentioned holds the names in the texts and searches of a session.
type mentioned struct {
	summary  map[string]bool // of the compaction
	failed   map[string]bool // in failed commands
	asked    map[string]bool // in the newest requests
	tasks    map[string]bool // in the open todos
	answer   map[string]bool // in the agent's last words
	work     map[string]bool // in the item in work and the step in progress
	searched map[string]int  // age of the search: 1 is the newest
	topics   []string        // names of several words in the item in work, or in both the newest requests and the summary
}

// mentionedIn returns the names that a trail mentions.
func mentionedIn(t projections.TrailState) mentioned {
	words := strings.TrimSpace(t.Words[2])
	step := words[strings.LastIndex(words, "\n\n")+1:] // the last paragraph has the step in progress
	item := cmp.Or(t.Item, step)
	open := ""
	for _, todo := range t.Todos.Open() {
		open += todo.Text + "\n"
	}
	named := func(s string) map[string]bool { return set(text.Identifiers(s, maxMentioned)) }
	requests := t.Words[0] + "\n" + t.Words[1]
	m := mentioned{
		summary: set(t.Summary), failed: set(t.Failed), asked: named(requests), tasks: named(open), answer: named(t.Words[2]), work: named(item + "\n" + step),
		searched: map[string]int{},
	}
	for _, n := range text.Identifiers(item+"\n"+t.Words[1]+"\n"+t.Words[0], maxMentioned) {
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

// word matches a name of at least three characters.
var word = text.Pattern(`[A-Za-z_]\w{2,}`)

// maxMentioned bounds the names of one text.
const maxMentioned = 200

// set returns a set of names.
func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, n := range names {
		all[n] = true
	}
	return all
}

// The parts of the score of a name.
const (
	inWork      = 40
	inSummary   = 12
	hasFailed   = 9
	inRequest   = 8
	inTasks     = 16
	inAnswer    = 10
	wasChanged  = 6
	wasSought   = 5  // in the newest searches
	soughtOlder = 3  // in older searches
	newSearches = 10 // number of the newest searches
	wasRead     = 2
)

// isMentioned reports whether a name is in the item in work, the summary, the newest requests, the open todos or the agent's last words.
func (m mentioned) isMentioned(name string) bool {
	return m.work[name] || m.summary[name] || m.asked[name] || m.tasks[name] || m.answer[name]
}

// topicScore returns the score of a use of a topic: less than that of the topic's definition.
func (m mentioned) topicScore(name string) int {
	if m.work[name] {
		return inWork - 1
	}
	return inSummary + inRequest - 1
}

// score returns the score of a definition; 0 leaves it out. A definition in a test counts only if it was mentioned, has failed or was
// changed.
func (m mentioned) score(f *workFile, d definition) (n int) {
	for score, names := range map[int]map[string]bool{inWork: m.work, inSummary: m.summary, hasFailed: m.failed, inRequest: m.asked, inTasks: m.tasks, inAnswer: m.answer} {
		if names[d.name] {
			n += score
		}
	}
	touches := func(r events.Range) bool { return r.In == d.name || d.body && r.From <= d.line && d.line <= r.To }
	if slices.ContainsFunc(f.places.Changed, touches) {
		n += wasChanged
	}
	if n == 0 && text.IsTest(f.path) {
		return 0
	}
	if ago := m.searched[d.name]; ago > 0 && ago <= newSearches {
		n += wasSought
	} else if ago > 0 {
		n += soughtOlder
	}
	if f.file.From > 0 && f.file.From <= d.line && d.line <= f.file.To {
		n += wasRead
	}
	return n
}
