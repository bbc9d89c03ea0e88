// Package match says whether a text says another one: whether the summary of a compaction still has a decision, a task,
// a command, a file. It knows texts in English, Korean and Japanese, and nothing of a log. Where it cannot be sure it
// finds nothing.
//
// A text becomes words (tokens.go), each with its sentence, its clause, its verb (verbs.go) and its role (role.go). A
// summary is also a tree of lines (structure.go): an entry is said about those that it stands under.
//
// An item is looked for in the way of its kind, and the first place that says it is its Match:
//
//   - words (words.go): the whole text; else a quotation of it, whole or shortened (quotes.go); else, for each of its
//     sentences, at most three sentences of the summary that follow each other and have 75 % of its weight. The rarer a
//     word, the heavier. Numbers, names and what tells the item from one like it have to be there. What is found has to say
//     it (says.go): as much negated, nothing opposite done, no roles swapped, nothing else in the place of a missing word,
//     not words of several entries.
//   - task: one that is done or being worked on is looked for by its words, of which 60 % have to be there, as much
//     negated and nothing opposite done. What is done is not told among what is still to be done.
//   - path (path.go): the longest end of the path that stands in the summary and that no other file has.
//   - command (command.go, git.go): every simple command that it was run for, as it was run; else by the tests that it
//     picked, what git did, or the task of the project that passed. A commit by its subject. What stands among requests and
//     next steps did not run.
//   - failure (failure.go, diagnosis.go): a test that failed by its name; what is wrong with a line of a file, by the rule
//     or most words; a file with a conflict; a line of the output near the command.
package match

import (
	"math"
	"slices"
	"strings"
)

// Match is a place in a summary that carries an item.
type Match struct {
	Rule  string  `json:"rule"`  // exact, quoted, title, path, command, words
	Quote string  `json:"quote"` // the summary's own words
	From  int     `json:"from"`  // byte offset of the quote in the summary as recorded
	To    int     `json:"to"`    // byte offset behind the quote
	Score float64 `json:"score"` // share of the item's weight that the quote covers, 0 to 1
}

// Item is a text that is looked for, and how it is.
type Item struct {
	way    way
	text   string
	detail string // what a command that failed printed
	own    string // the text without what was pasted into it
	done   bool   // the task
}

// way is how an item is looked for.
type way int

const (
	byWords way = iota
	byTask
	byPath
	byCommand
	byFailure
)

// Words is a text that is looked for by its words. Own is what is left of it without what
// was pasted into it, the text itself when nothing was.
func Words(text, own string) Item { return Item{way: byWords, text: text, own: own} }

// Task is a task that is done or being worked on, looked for by most of its words: it is told in many. What is done is
// not told among what is still to be done.
func Task(text string, done bool) Item {
	return Item{way: byTask, text: text, own: text, done: done}
}

// Path is a file, looked for by the end of its path that no other file has.
func Path(path string) Item { return Item{way: byPath, text: path} }

// Command is a shell command, looked for by what it was run for.
func Command(command string) Item { return Item{way: byCommand, text: command} }

// Failure is a shell command that failed, looked for by what went wrong.
func Failure(command, output string) Item {
	return Item{way: byFailure, text: command, detail: output}
}

// Matcher finds items in one text. It keeps what it has to know of all of them to tell
// one from the other. It is not safe for concurrent use.
type Matcher struct {
	summary *summary
	items   []Item
	said    []*said          // of each item that is looked for by its words, else nil
	having  map[string][]int // key of a token → items that have it
	docs    int              // sentences of the summary, and items with words
	ends    map[string]int   // end of a path → files that have it; nil before it is asked for
	keep    *Vocabulary
}

// said is what a text says, in words. It is the same for every summary.
type said struct {
	text      string
	tokens    []token
	sentences []sentence // without weights
	keys      []string   // of the tokens with weight, each once, in order
	title     int        // tokens before the first blank line, 0 without one
}

func saidOf(text string) *said {
	t := &said{text: text, tokens: tokens(text)}
	t.sentences = sentencesOf(t.tokens)
	for _, s := range t.sentences {
		for _, w := range s.tokens {
			t.keys = append(t.keys, w.key)
		}
	}
	slices.Sort(t.keys)
	t.keys = slices.Compact(t.keys)
	if title, _, ok := strings.Cut(text, "\n\n"); ok {
		t.title, _ = slices.BinarySearchFunc(t.tokens, len(title), func(t token, n int) int { return t.from - n })
	}
	return t
}

func (t *said) has(key string) bool {
	_, found := slices.BinarySearch(t.keys, key)
	return found
}

// New prepares to find items in a text. The vocabulary keeps what items are made of, so
// that one which is looked for in several texts is cut into words once.
func New(text string, items []Item, keep *Vocabulary) *Matcher {
	m := &Matcher{summary: newSummary(text), items: items, said: make([]*said, len(items)), having: map[string][]int{}, keep: keep}
	m.docs = len(m.summary.spans)
	for i, it := range items {
		if it.way != byWords && it.way != byTask {
			continue
		}
		m.docs++
		m.said[i] = keep.said(it.text)
		for _, key := range m.said[i].keys {
			m.having[key] = append(m.having[key], i)
		}
	}
	return m
}

// sentencesOf cuts tokens into sentences. Tokens without weight are left out.
func sentencesOf(all []token) []sentence {
	all = all[:min(len(all), maxTokens)]
	var out []sentence
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].sentence == all[from].sentence {
			to++
		}
		out = append(out, sentenceOf(all[from:to]))
		from = to
	}
	return out
}

func sentenceOf(all []token) (s sentence) {
	clauses := map[int]polarity{}
	for i, t := range all {
		clauses[t.clause] = clauses[t.clause].or(polarityAt(all, i))
	}
	for _, p := range clauses {
		s.polarity = s.polarity.or(p)
	}
	for _, t := range all {
		if weightless(t) {
			continue
		}
		s.tokens = append(s.tokens, t)
		s.telling = append(s.telling, t.script == exact)
		s.placed = append(s.placed, isDigit(t.form[0]))
		s.negated = append(s.negated, clauses[t.clause].negated)
	}
	s.loosen()
	return s
}

// loosen marks the words of explanations, which a summary need not say, unless too few others are left.
func (s *sentence) loosen() {
	s.loose = make([]bool, len(s.tokens))
	left := 0
	for i, t := range s.tokens {
		if s.loose[i] = t.aside && !s.negated[i]; !s.loose[i] {
			left++
		}
	}
	if left < minCore {
		clear(s.loose)
	}
	for i, loose := range s.loose {
		s.telling[i], s.placed[i] = s.telling[i] && !loose, s.placed[i] && !loose
	}
}

// minCore is how many words of a sentence have to be said at least.
const minCore = 2

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// weight is that of a word: the rarer, the heavier.
func (m *Matcher) weight(key string) float64 {
	return math.Log(1 + float64(m.docs)/float64(max(m.summary.in[key]+len(m.having[key]), 1)))
}

// weighed gives the sentences of a text, the i-th item or no item, with the weights of their words.
func (m *Matcher) weighed(t *said, i int) []sentence {
	all := slices.Clone(t.sentences)
	task := i >= 0 && m.items[i].way == byTask
	for i := range all {
		s := &all[i]
		s.task, s.done, s.telling, s.placed = task, task && m.items[i].done, slices.Clone(s.telling), slices.Clone(s.placed)
		if task {
			clear(s.telling)
			clear(s.placed)
		}
		for _, w := range s.tokens {
			s.weights = append(s.weights, m.weight(w.key))
		}
		s.total = s.needed()
	}
	if i >= 0 && !task {
		m.tell(i, all)
	}
	return all
}

// needed is the weight of what has to be there.
func (s *sentence) needed() (total float64) {
	for i, w := range s.weights {
		if !s.loose[i] {
			total += w
		}
	}
	return total
}

// tell marks the tokens that tell an item from its near-duplicates: those must
// be in the summary.
func (m *Matcher) tell(i int, sentences []sentence) {
	total := 0.0
	common := map[int]float64{}
	for _, key := range m.said[i].keys { // a sum depends on its order by a rounding
		w := m.weight(key)
		total += w
		if len(m.having[key]) > 64 { // a word of everything tells nothing
			continue
		}
		for _, j := range m.having[key] {
			common[j] += w
		}
	}
	for j, w := range common {
		if w >= alike*total && m.items[j].text != m.items[i].text {
			tellFrom(sentences, m.said[j])
		}
	}
}

func tellFrom(sentences []sentence, other *said) {
	for i := range sentences {
		s := &sentences[i]
		for n, t := range s.tokens {
			if !s.loose[n] && !other.has(t.key) {
				s.telling[n], s.placed[n] = true, true
			}
		}
	}
}

// Find gives the place of the i-th item in the text, nil when the text does not say it.
func (m *Matcher) Find(i int) *Match {
	it := m.items[i]
	switch it.way {
	case byPath:
		return m.path(it.text)
	case byCommand:
		return m.command(it.text)
	case byFailure:
		return m.failure(it)
	}
	t := m.said[i]
	if found := m.text(t, i); found != nil {
		return found
	}
	if file := t.file(); file != "" {
		return m.path(file)
	}
	if it.own != it.text { // what was pasted is not what was asked
		if found := m.text(m.keep.said(it.own), -1); found != nil {
			return found
		}
		for _, name := range m.keep.errorOf(it.text).tests {
			if found := m.summary.failed(name); found != nil {
				return found
			}
		}
	}
	return m.titled(t)
}

// text matches a text by its words, the i-th item or, below 0, one that is no item.
func (m *Matcher) text(t *said, i int) *Match {
	if found := m.summary.verbatim(t); found != nil {
		return found
	}
	if found := m.quoted(t); found != nil {
		return found
	}
	return m.words(m.weighed(t, i))
}

// Vocabulary keeps what texts are made of, since most items are looked for in several
// texts. The zero value is empty. It is not safe for concurrent use.
type Vocabulary struct {
	texts    map[string]*said
	errors   map[string]*errorText
	commands map[string]*commandText
	paths    map[string][]string
}

func (v *Vocabulary) said(s string) *said { return kept(&v.texts, s, saidOf) }

// errorOf gives what an error says.
func (v *Vocabulary) errorOf(output string) *errorText { return kept(&v.errors, output, errorTextOf) }

// command gives what is looked for of a command.
func (v *Vocabulary) command(s string) *commandText { return kept(&v.commands, s, commandTextOf) }

// path gives the ends of a path, the longest first.
func (v *Vocabulary) path(s string) []string { return kept(&v.paths, s, endsOf) }

// kept gives what was made of a text before, or makes it.
func kept[T any](all *map[string]T, s string, made func(string) T) T {
	if *all == nil {
		*all = map[string]T{}
	}
	v, ok := (*all)[s]
	if !ok {
		v = made(s)
		(*all)[s] = v
	}
	return v
}

// Forms gives the words of a text in the forms in which they are compared, each between
// spaces, and how many they are.
func (v *Vocabulary) Forms(s string) (forms string, n int) {
	all := v.said(s).tokens
	var b strings.Builder
	b.WriteByte(' ')
	for _, t := range all {
		b.WriteString(t.form)
		b.WriteByte(' ')
	}
	return b.String(), len(all)
}
