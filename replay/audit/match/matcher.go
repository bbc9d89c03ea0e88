// Package match says whether a text says another one: whether the summary of a compaction
// still has a decision, a task, a command, a file. It knows texts in English, Korean and
// Japanese, and nothing of a log. Where it cannot be sure it finds nothing.
package match

import (
	"maps"
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
}

// way is how an item is looked for.
type way int

const (
	byWords way = iota
	byPath
	byCommand
	byFailure
)

// Words is a text that is looked for by its words. Own is what is left of it without what
// was pasted into it, the text itself when nothing was.
func Words(text, own string) Item { return Item{way: byWords, text: text, own: own} }

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
	paths   []string
	items   []*candidate
	df      map[string]int // key of a token → items and sentences of the summary that have it
	docs    int
	keep    *Vocabulary
}

// candidate is an item whose text was cut into words.
type candidate struct {
	Item
	error     *errorText // of a command that failed
	tokens    []token
	sentences []sentence
	keys      map[string]float64 // of the tokens with weight
}

// New prepares to find items in a text. The vocabulary keeps what items are made of, so
// that one which is looked for in several texts is cut into words once.
func New(text string, items []Item, keep *Vocabulary) *Matcher {
	sum := newSummary(text)
	m := &Matcher{summary: sum, df: map[string]int{}, keep: keep}
	in := map[int]map[string]bool{}
	for _, t := range sum.tokens {
		if in[t.sentence] == nil {
			in[t.sentence] = map[string]bool{}
			m.docs++
		}
		if !in[t.sentence][t.key] {
			in[t.sentence][t.key] = true
			m.df[t.key]++
		}
	}
	for _, it := range items {
		p := &candidate{Item: it, keys: map[string]float64{}}
		m.items = append(m.items, p)
		switch p.way {
		case byPath:
			m.paths = append(m.paths, p.text)
			continue
		case byFailure:
			p.error = keep.errorOf(p.detail)
			continue
		case byCommand:
			continue
		}
		m.docs++
		p.tokens = keep.tokens(p.text)
		p.sentences = sentencesOf(p.tokens)
		for _, s := range p.sentences {
			for _, t := range s.tokens {
				if _, has := p.keys[t.key]; !has {
					p.keys[t.key] = 0
					m.df[t.key]++
				}
			}
		}
	}
	for _, p := range m.items {
		m.weigh(p)
	}
	m.tell()
	for _, p := range m.items {
		p.measure()
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
	kin := -1 // clause of what is only related to what is named
	for _, t := range all {
		if t.key == "relat" {
			kin = t.clause
		}
		t.aside = t.aside || t.clause == kin
		if t.form == "and" && len(s.tokens) > 0 {
			s.joints = append(s.joints, len(s.tokens))
		}
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

// loosen marks the words of a sentence that a summary need not say: verbs of making and changing,
// what kind of thing a name is, explanations. Enough other words have to be left.
func (s *sentence) loosen() {
	s.loose = make([]bool, len(s.tokens))
	verb := func(i int, t token) bool {
		return (t.act == making || t.act == changing) && (i == 0 || i == len(s.tokens)-1)
	}
	aside := func(i int, t token) bool { return t.aside && !s.negated[i] && !isDigit(t.form[0]) }
	s.loosenAll(verb)
	s.loosenAll(func(i int, t token) bool { return kindNouns.has(t) })
	if !s.loosenAll(aside) {
		kept := slices.Clone(s.loose)
		for i, t := range s.tokens {
			s.loose[i] = s.loose[i] && !verb(i, t)
		}
		if !s.loosenAll(aside) {
			s.loose = kept
		}
	}
	for i, t := range s.tokens {
		head := t.act != "" && (i == 0 || i == len(s.tokens)-1) // what is to be done
		s.telling[i] = !s.loose[i] && (s.telling[i] || head)
		s.placed[i] = s.placed[i] && !s.loose[i]
	}
}

// loosenAll marks the words for which in holds, unless too few others are left, and says whether
// it did.
func (s *sentence) loosenAll(in func(i int, t token) bool) bool {
	marks, left := slices.Clone(s.loose), 0
	for i, t := range s.tokens {
		if marks[i] = marks[i] || in(i, t); !marks[i] {
			left++
		}
	}
	if left >= minCore {
		s.loose = marks
	}
	return left >= minCore
}

// minCore is how many words of a sentence have to be said at least.
const minCore = 2

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// weigh gives each token its weight: the rarer, the heavier.
func (m *Matcher) weigh(p *candidate) {
	for i := range p.sentences {
		s := &p.sentences[i]
		for _, t := range s.tokens {
			w := math.Log(1 + float64(m.docs)/float64(max(m.df[t.key], 1)))
			s.weights = append(s.weights, w)
			p.keys[t.key] = w
		}
	}
}

// measure sums the weights of each sentence.
func (p *candidate) measure() {
	for i := range p.sentences {
		p.sentences[i].total = p.sentences[i].needed()
	}
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
func (m *Matcher) tell() {
	byKey := map[string][]int{}
	for i, p := range m.items {
		for key := range p.keys {
			byKey[key] = append(byKey[key], i)
		}
	}
	for i, p := range m.items {
		total := 0.0
		common := map[int]float64{}
		for _, key := range slices.Sorted(maps.Keys(p.keys)) { // a sum depends on its order by a rounding
			w := p.keys[key]
			total += w
			if len(byKey[key]) > 64 { // a word of everything tells nothing
				continue
			}
			for _, j := range byKey[key] {
				if j != i {
					common[j] += w
				}
			}
		}
		for j, w := range common {
			if w >= alike*total && m.items[j].text != p.text {
				p.tellFrom(m.items[j])
			}
		}
	}
}

func (p *candidate) tellFrom(other *candidate) {
	for i := range p.sentences {
		s := &p.sentences[i]
		for n, t := range s.tokens {
			if _, has := other.keys[t.key]; !has && !s.loose[n] {
				s.telling[n], s.placed[n] = true, true
			}
		}
	}
}

// Find gives the place of the i-th item in the text, nil when the text does not say it.
func (m *Matcher) Find(i int) *Match {
	p := m.items[i]
	switch p.way {
	case byPath:
		return m.path(p.text)
	case byCommand:
		return m.command(p.text)
	case byFailure:
		return m.failure(p)
	default:
		if found := m.verbatim(p); found != nil {
			return found
		}
		if found := m.quoted(p); found != nil {
			return found
		}
		if found := m.words(p); found != nil {
			return found
		}
		if file := p.file(); file != "" {
			return m.path(file)
		}
		if p.own != p.text { // what was pasted is not what was asked
			if found := m.text(p.own); found != nil {
				return found
			}
		}
		return m.titled(p)
	}
}

// Vocabulary keeps what texts are made of, since most items are looked for in several
// texts. The zero value is empty. It is not safe for concurrent use.
type Vocabulary struct {
	texts    map[string][]token
	errors   map[string]*errorText
	commands map[string]*commandText
	paths    map[string][]string
}

func (v *Vocabulary) tokens(s string) []token { return kept(&v.texts, s, tokens) }

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
	all := v.tokens(s)
	var b strings.Builder
	b.WriteByte(' ')
	for _, t := range all {
		b.WriteString(t.form)
		b.WriteByte(' ')
	}
	return b.String(), len(all)
}
