// Package match finds an item in a text: it tells whether the summary of a compaction still has a decision, a task, a
// command or a file. It reads English, Korean and Japanese, and knows nothing about logs. In doubt it finds nothing.
//
// A text is cut into words (tokens.go). Each word has a sentence, a clause, a verb (verbs.go) and a role (role.go). A
// summary is also a tree of lines (structure.go): an entry is about the entries that it stands under.
//
// Each kind of item has its own way of matching. The first place that says the item is its Match:
//
//   - words (words.go): the whole text; else a quotation of it, whole or shortened (quotes.go); else, for each sentence of
//     the item, at most three consecutive sentences of the summary that have 75 % of its weight. Rare words weigh more.
//     Numbers, names and words that tell the item from a similar one must be there. The place must also say the same
//     (says.go): same negation, no opposite verb, no swapped roles, no other word in place of a missing one, and not
//     words of unrelated entries.
//   - task: a finished or running task, or a plan's step, needs half of the weight, the same negation and no opposite
//     verb. A list of pending work does not tell that a task is done. One of nothing but checks is told by how they ended,
//     one in another script by its Latin words.
//   - path (path.go): the longest end of the path that the summary has and no other file of the session has.
//   - command (purpose.go, command.go): a table says what a program and its subcommand are for, and by which words summaries
//     tell that. Most of a command's parts must be told: as they were run, by the tests that they picked, by how all checks
//     ended, or by a sentence about the past with such a word and 60 % of the weight of what is named. What the agent says the
//     command is for is a deed of its own. A commit is matched by its subject or its hash, a look by what it printed (output.go). What only looks or prepares is not asked for
//     beside other parts. Requests and next steps do not tell that a command ran.
//   - failure (failure.go): the name of a failed test; a negated clause about what is not there; 60 % of the weight of a
//     message's first words in one entry, 30 % in an entry about faults of the same target; a linter's rule; a file with a
//     conflict; the host that was not reached; why tests failed, if all ran; and if the error says nothing, the task that failed.
package match

import (
	"math"
	"slices"
	"strings"
)

// Match is a place in a summary that says an item.
type Match struct {
	Rule  string  `json:"rule"`  // exact, quoted, title, path, command, words
	Quote string  `json:"quote"` // the summary's own words
	From  int     `json:"from"`  // byte offset of the quote in the summary as recorded
	To    int     `json:"to"`    // byte offset behind the quote
	Score float64 `json:"score"` // share of the item's weight that the quote covers, 0 to 1
}

// Item is a text to find, and how to find it.
type Item struct {
	way    way
	text   string
	detail string // what a command printed
	own    string // the text without what was pasted into it
	done   bool   // the task is finished
}

// way is how an item is matched.
type way int

const (
	byWords way = iota
	byTask
	byPath
	byCommand
	byFailure
)

// Words is a text that is matched by its words. own is the text without its pasted parts.
func Words(text, own string) Item { return Item{way: byWords, text: text, own: own} }

// Task is a task or a step of a plan, matched by most of its words. If it is done, lists of pending work do not count.
func Task(text string, done bool) Item { return Item{way: byTask, text: text, own: text, done: done} }

// Path is a file, matched by an end of its path that no other file has.
func Path(path string) Item { return Item{way: byPath, text: path} }

// Command is a shell command, matched by its purpose: not by its directory or the filters of its output. about says the
// purpose in the agent's words, if they are known.
func Command(command, about, output string) Item {
	return Item{way: byCommand, text: command, own: about, detail: output}
}

// Failure is a failed shell command, matched by what went wrong.
func Failure(command, output string) Item { return Item{way: byFailure, text: command, detail: output} }

// Matcher finds items in one text. It indexes all items, to tell similar ones apart. It is not safe for concurrent use.
type Matcher struct {
	summary *summary
	items   []Item
	said    []*said          // by item; nil if the item is not matched by words
	having  map[string][]int // key of a token → items that have it
	docs    int              // sentences of the summary, and items with words
	ends    map[string]int   // end of a path → files that have it; nil until needed
	valued  map[string]int   // value of an output → items that have it; nil until needed
	keep    *Vocabulary
}

// said is a text cut into words. It does not depend on a summary.
type said struct {
	text      string
	tokens    []token
	sentences []sentence // without weights
	keys      []string   // of the tokens with weight, sorted, without duplicates
	title     int        // tokens before the first blank line, 0 without one
}

func saidOf(text string) *said {
	t := (&said{text: text, tokens: tokens(text)}).indexed()
	if title, _, ok := strings.Cut(text, "\n\n"); ok {
		t.title, _ = slices.BinarySearchFunc(t.tokens, len(title), func(t token, n int) int { return t.from - n })
	}
	return t
}

// indexed cuts the tokens into sentences.
func (t *said) indexed() *said {
	t.sentences = sentencesOf(t.tokens)
	for _, s := range t.sentences {
		for _, w := range s.tokens {
			t.keys = append(t.keys, w.key)
		}
	}
	slices.Sort(t.keys)
	t.keys = slices.Compact(t.keys)
	return t
}

func (t *said) has(key string) bool {
	_, found := slices.BinarySearch(t.keys, key)
	return found
}

// New returns a matcher of items in a text. The vocabulary caches the words of items that are matched in several texts.
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

// sentencesOf groups tokens by sentence, without those that have no weight.
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
	return s
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// weight returns the weight of a word. Rare words weigh more.
func (m *Matcher) weight(key string) float64 {
	return math.Log(1 + float64(m.docs)/float64(max(m.summary.in[key]+len(m.having[key]), 1)))
}

// weighed returns the sentences of a text with the weights of their words. i is its item, -1 for none.
func (m *Matcher) weighed(t *said, i int, as Item) []sentence {
	all := slices.Clone(t.sentences)
	for i := range all {
		s := &all[i]
		s.way, s.done, s.telling, s.placed = as.way, as.done, slices.Clone(s.telling), slices.Clone(s.placed)
		if as.way != byWords {
			clear(s.telling)
			clear(s.placed)
		}
		for _, w := range s.tokens {
			weight := m.weight(w.key)
			s.weights, s.total = append(s.weights, weight), s.total+weight
		}
	}
	if i >= 0 && as.way == byWords {
		m.tell(i, all)
	}
	return all
}

// tell marks the tokens that tell an item from its near-duplicates. The summary must have them.
func (m *Matcher) tell(i int, sentences []sentence) {
	total, most := 0.0, 0.0
	var rare []string
	for _, key := range m.said[i].keys { // in a fixed order: rounding depends on it
		w := m.weight(key)
		total += w
		if len(m.having[key]) <= 64 { // else too common to tell items apart
			rare, most = append(rare, key), most+w
		}
	}
	if most < alike*total {
		return
	}
	common := map[int]float64{}
	for _, key := range rare {
		for _, j := range m.having[key] {
			common[j] += m.weight(key)
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
			if !other.has(t.key) {
				s.telling[n], s.placed[n] = true, true
			}
		}
	}
}

// Find returns the place that says the i-th item, nil if the text does not say it.
func (m *Matcher) Find(i int) *Match {
	it := m.items[i]
	switch it.way {
	case byPath:
		return m.path(it.text)
	case byCommand:
		return m.command(i)
	case byFailure:
		return m.failure(it)
	}
	t := m.said[i]
	if file := t.file(); file != "" {
		return m.path(file)
	}
	if found := m.text(t, i, it); found != nil {
		return found
	}
	if it.way == byTask && t.checks() {
		return m.passed(t)
	}
	if it.own == "" { // a pasted failure
		if found := m.summary.failed(testsIn(it.text)); found != nil {
			return found
		}
	} else if it.own != it.text { // the person's words alone
		if found := m.text(m.keep.said(it.own), -1, Item{}); found != nil {
			return found
		}
	}
	if less := t.bare(); less != nil {
		switch named := slices.ContainsFunc(less.tokens, func(w token) bool { return w.script == exact }); {
		case it.way == byTask && less.checks():
			return m.passed(less)
		case it.way == byTask && (runners[less.tokens[0].form] || len(less.keys) < 3 && !named):
			return nil // it is about what stands in the aside
		}
		if found := m.text(less, -1, it); found != nil {
			return found
		}
	}
	if found := m.titled(t); found != nil || it.way != byTask {
		return found
	}
	return m.abroad(t)
}

// abroad matches a task in another script than the summary's by all its names and Latin words, in one sentence.
func (m *Matcher) abroad(t *said) *Match {
	var names []token
	foreign := 0
	for _, w := range t.tokens {
		switch {
		case w.script != latin && w.script != exact:
			foreign++
		case !weightless(w):
			names = append(names, w)
		}
	}
	if foreign == 0 || len(m.summary.places(t.tokens[0])) > 0 || len(names) == 0 || len(names) == 1 && len(names[0].form) < 4 {
		return nil
	}
	return m.shown(names, func(w token) bool { return w.script == exact || len(names) > 1 })
}

// bare returns a text without its asides, nil if it has none or nothing else.
func (t *said) bare() *said {
	aside := func(w token) bool { return w.aside }
	if !slices.ContainsFunc(t.tokens, aside) {
		return nil
	}
	words := slices.DeleteFunc(slices.Clone(t.tokens), aside)
	if len(words) == 0 {
		return nil
	}
	return (&said{text: t.text, tokens: words}).indexed()
}

// checks reports whether a task is nothing but to run tests, linters or a build.
func (t *said) checks() bool {
	other := func(w token) bool { return !checking[w.key] && !passing.has(w) }
	return !slices.ContainsFunc(t.sentences, func(s sentence) bool { return slices.ContainsFunc(s.tokens, other) })
}

// checking are the words of such tasks.
var checking = setOf("run verify check ensure test lint fmt format build ci suite unit integration make mise npm go fix pass work final everything")

// passed matches a task of checks by sentences that say that its tests, linters and build passed.
func (m *Matcher) passed(t *said) (found *Match) {
	for _, what := range []string{"build", "lint", "test"} {
		if t.has(what) {
			if found = m.summary.ended(deed{purpose: purposeOf[what], key: lemma(what)}, false); found == nil {
				return nil
			}
		}
	}
	return found
}

// text matches a text by its words, as an item of its kind. i is its item, -1 for none.
func (m *Matcher) text(t *said, i int, as Item) *Match {
	if found := m.summary.verbatim(t); found != nil {
		return found
	}
	if found := m.quoted(t); found != nil {
		return found
	}
	if as.way == byTask && t.checks() || !m.mayHave(t, as) {
		return nil
	}
	return m.words(m.weighed(t, i, as))
}

// mayHave reports whether the summary has enough of a text's words, wherever they stand. Most items end here.
func (m *Matcher) mayHave(t *said, as Item) bool {
	there, total := 0.0, 0.0
	for _, s := range t.sentences {
		for _, w := range s.tokens {
			weight := m.weight(w.key)
			if total += weight; len(m.summary.places(w)) > 0 {
				there += weight
			}
		}
	}
	const rounding = 1e-6
	return there >= (as.way.least()-rounding)*total
}

// Vocabulary caches the words of texts, because most items are matched in several summaries. The zero value is empty. It
// is not safe for concurrent use.
type Vocabulary struct {
	texts    map[string]*said
	errors   map[string]*errorText
	commands map[string]*commandText
	verbs    map[string]*purpose
	paths    map[string][]string
	printed  map[string][]string
}

func (v *Vocabulary) said(s string) *said { return kept(&v.texts, s, saidOf) }

// command returns what is matched of a command.
func (v *Vocabulary) command(s string) *commandText { return kept(&v.commands, s, commandTextOf) }

// kept returns the cached value of a text or another key, or makes it.
func kept[K comparable, T any](all *map[K]T, s K, made func(K) T) T {
	if *all == nil {
		*all = map[K]T{}
	}
	v, ok := (*all)[s]
	if !ok {
		v = made(s)
		(*all)[s] = v
	}
	return v
}

// Forms returns the normalised words of a text, each between spaces, and their number.
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
