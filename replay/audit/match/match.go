// Package match finds the place of a text that tells an item: a decision, a task, a request or a file. It knows no
// language and no log.
//
// Texts are compared by grams: four letters of a word with its borders, or two characters of Chinese, Japanese and
// Korean. A gram that few sentences and items have weighs more. A place is two sentences; it tells an item if it has
// enough of the item's weight, every number, the heaviest word of a short item, and most of the words in their order.
// Beside that an item is told by its exact words, by a shortened quotation of it, and a file by an end of its path.
//
// Which of two things was done to which is not told apart: "from A to B" tells "from B to A".
package match

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"journal/events/text"
)

// Answer says whether a text tells an item.
type Answer int

// The answers.
const (
	NotFound Answer = iota // nothing in the text is like it
	Unclear                // something is, but not enough
	Found
)

// Match is the place of a text that tells an item, or that is most like it.
type Match struct {
	Quote string `json:"quote"` // the text's own words
	From  int    `json:"from"`  // byte offset of the quote in the text
	To    int    `json:"to"`    // byte offset behind the quote
	Share int    `json:"share"` // of the item's weight that the place has, in percent
}

// Item is something to find.
type Item struct {
	text, own string
	task      bool
	path      bool
}

// Words is an item that is found by its words. own is the text without what was pasted into it.
func Words(text, own string) Item { return Item{text: text, own: own} }

// Task is a task or a step of a plan: fewer of its words are enough.
func Task(text string) Item { return Item{text: text, own: text, task: true} }

// Path is a file. It is found by an end of its path that no other item has.
func Path(path string) Item { return Item{text: path, path: true} }

// The measures of a place, tuned on the labels of real compactions without those held out.
const (
	enough   = 0.62 // least share of the weight that tells
	ofTask   = 0.5  // the same for a task
	alike    = 0.3  // least share that is not NotFound
	ordered  = 0.7  // least share of the words found that stand in the item's order
	resemble = 0.5  // least share of a word's grams that another word must have to count as the same
	brief    = 8    // most words of an item whose heaviest word must be there
	terse    = 3    // most words of an item whose words must all be there
	long     = 60   // words from which an item is compared sentence by sentence
	ofLong   = 0.5  // least share of the weight of its sentences that tells a long item
	tries    = 6    // most places that are compared word by word
)

// Matcher finds items in one text. It is not safe for concurrent use.
type Matcher struct {
	text  string
	from  int // where the part begins that is searched
	words *words
	items []Item
	cache *Vocabulary
	paths []string // of the items

	places  [][]int   // gram → the sentences that have it
	ends    []int     // sentence → behind its last word
	having  []int     // gram → the number of items that have it
	weights []float64 // gram → its weight; 0 before it is asked for
	texts   int       // sentences and items
	score   []float64 // of places, while an item is compared
	marks   []int     // the last gram that was added to a score
}

// New returns a matcher of items in the part of a text from one byte up to another. The vocabulary caches the words of
// texts. background are other items of the session: they say which words are frequent, and which ends of paths are
// of several files.
func New(text string, from, to int, items, background []Item, v *Vocabulary) *Matcher {
	m := &Matcher{text: text, from: from, items: items, cache: v, words: v.words(text[from:to])}
	all := slices.Concat(items, background)
	for _, it := range all {
		if it.path {
			m.paths = append(m.paths, slashed(it.text))
		} else {
			v.words(it.text)
		}
	}
	m.places, m.having, m.weights = make([][]int, len(v.grams)), make([]int, len(v.grams)), make([]float64, len(v.grams))
	for i, w := range m.words.all {
		for len(m.ends) <= w.sentence {
			m.ends = append(m.ends, i)
		}
		m.ends[w.sentence] = i + 1
		for _, g := range w.grams {
			if p := m.places[g]; len(p) == 0 || p[len(p)-1] != w.sentence {
				m.places[g] = append(p, w.sentence)
			}
		}
	}
	m.texts, m.score, m.marks = len(m.ends), make([]float64, len(m.ends)), make([]int, len(m.ends))
	for _, it := range all {
		if it.path {
			continue
		}
		m.texts++
		for _, g := range v.words(it.text).distinct {
			m.having[g]++
		}
	}
	return m
}

// sentencesOf lists the sentences that have a gram.
func (m *Matcher) sentencesOf(gram int32) []int {
	if int(gram) >= len(m.places) {
		return nil
	}
	return m.places[gram]
}

// weight returns the weight of a gram: the fewer sentences and items have it, the more.
func (m *Matcher) weight(gram int32) float64 {
	if int(gram) >= len(m.weights) {
		return math.Log(1 + float64(m.texts))
	}
	if m.weights[gram] == 0 {
		m.weights[gram] = math.Log(1 + float64(m.texts)/float64(max(m.having[gram]+len(m.places[gram]), 1)))
	}
	return m.weights[gram]
}

// weigh returns the weight of some grams.
func (m *Matcher) weigh(grams []int32) (sum float64) {
	for _, g := range grams {
		sum += m.weight(g)
	}
	return sum
}

// Find returns whether the text tells the i-th item, and where; nil if nothing in the text is like it.
func (m *Matcher) Find(i int) (Answer, *Match) {
	it := m.items[i]
	if it.path {
		return m.path(it.text)
	}
	answer, match := m.find(it.text, it.task)
	if answer == Found || it.own == it.text {
		return answer, match
	}
	own, at := m.failed(it.text)
	if it.own != "" {
		own, at = m.find(it.own, it.task)
	}
	if own > answer {
		return own, at
	}
	return answer, match
}

// Holds returns the place of the i-th item's exact words; nil if the text does not have them.
func (m *Matcher) Holds(i int) *Match {
	_, match := m.exact(m.cache.words(m.items[i].text))
	if match == nil || match.Share < 100 {
		return nil
	}
	return match
}

// asides matches what stands in parentheses.
var asides = text.Pattern(`\([^)]*\)`)

// find finds a text, with or without its asides, or the file that it names and nothing else.
func (m *Matcher) find(words string, task bool) (Answer, *Match) {
	bare := asides().ReplaceAllString(words, "")
	if file := strings.Trim(bare, " `*"); strings.Contains(file, "/") && strings.Contains(file, ".") && len(strings.Fields(file)) == 1 {
		return m.path(file)
	}
	t := m.cache.words(words)
	if len(t.all) == 0 {
		return Unclear, nil
	}
	exact, at := m.exact(t)
	if exact == Found {
		return Found, at
	}
	if without := m.cache.words(bare); len(without.all) > 1 {
		t = without
	}
	compare := m.place
	if len(t.all) > long {
		compare = m.parts
	}
	answer, match := compare(t, task)
	if exact > answer {
		return exact, at
	}
	return answer, match
}

// parts compares a long text sentence by sentence.
func (m *Matcher) parts(t *words, task bool) (answer Answer, match *Match) {
	found, total := 0.0, 0.0
	for _, part := range t.sentences() {
		weight := m.weigh(part.distinct)
		total += weight
		one, at := m.place(part, task)
		if one == Found {
			found += weight
		}
		if at != nil && (match == nil || one > answer || one == answer && at.Share > match.Share) {
			match = at
		}
		answer = max(answer, one)
	}
	if answer == NotFound {
		return NotFound, nil
	}
	match.Share = percent(found, total)
	if found >= ofLong*total {
		return Found, match
	}
	return Unclear, match
}

// place finds the two sentences that have most of a text.
func (m *Matcher) place(t *words, task bool) (Answer, *Match) {
	total := m.weigh(t.distinct)
	if total == 0 {
		return Unclear, nil
	}
	clear(m.score)
	clear(m.marks)
	for n, g := range t.distinct {
		for _, s := range m.sentencesOf(g) {
			for p := max(s-1, 0); p <= s; p++ {
				if m.marks[p] != n+1 {
					m.marks[p] = n + 1
					m.score[p] += m.weight(g)
				}
			}
		}
	}
	var near []int // places, the best first
	for p, score := range m.score {
		if score >= alike*total {
			near = append(near, p)
		}
	}
	if len(near) == 0 {
		return NotFound, nil
	}
	slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(m.score[b], m.score[a]) })
	least := enough
	if task {
		least = ofTask
	}
	var closest *Match
	for _, p := range near[:min(len(near), tries)] {
		match, same := m.compare(t, p)
		if match == nil {
			continue
		}
		match.Share = percent(m.score[p], total)
		if same && m.score[p] >= least*total {
			return Found, match
		}
		closest = cmp.Or(closest, match)
	}
	return Unclear, closest
}

// begin returns the first word of a sentence.
func (m *Matcher) begin(sentence int) int {
	if sentence == 0 {
		return 0
	}
	return m.ends[sentence-1]
}

// compare compares a text word by word with a place. It returns nil if they have no word in common, and whether the
// words that both have are enough, and in the same order.
func (m *Matcher) compare(t *words, place int) (*Match, bool) {
	tokens := m.words.all[m.begin(place):m.ends[min(place+1, len(m.ends)-1)]]
	first, last, found, counted := len(tokens), -1, 0, 0
	heaviest, lacks, lacksHeaviest := 0.0, false, false
	var order []int // the least ends of sequences in order, by their length
	for _, w := range t.all {
		if len(w.grams) == 0 {
			continue
		}
		counted++
		at := w.in(tokens)
		if weight := m.weigh(w.grams); weight > heaviest {
			heaviest, lacksHeaviest = weight, len(at) == 0
		}
		if len(at) == 0 {
			lacks = lacks || w.number || len(t.all) <= terse
			continue
		}
		found++
		first, last = min(first, at[0]), max(last, at[len(at)-1])
		for _, i := range slices.Backward(at) {
			n, _ := slices.BinarySearch(order, i)
			if n == len(order) {
				order = append(order, i)
			}
			order[n] = i
		}
	}
	if found == 0 {
		return nil, false
	}
	lacks = lacks || lacksHeaviest && counted <= brief
	return m.match(tokens[first].from, tokens[last].to), !lacks && found > 1 && float64(len(order)) >= ordered*float64(found)
}

// in lists the words of a place that are the same as a word of an item, or a form of it. Numbers must be equal.
func (w word) in(here []word) (at []int) {
	for i, h := range here {
		if h.number != w.number {
			continue
		}
		common := 0
		for _, g := range w.grams {
			if slices.Contains(h.grams, g) {
				common++
			}
		}
		if w.number && slices.Equal(w.grams, h.grams) || !w.number && common > 0 && float64(common) >= resemble*float64(len(w.grams)) {
			at = append(at, i)
		}
	}
	return at
}

func (m *Matcher) match(from, to int32) *Match {
	match := &Match{From: m.from + int(from), To: m.from + int(to), Share: 100}
	match.Quote = m.text[match.From:match.To]
	return match
}

func percent(part, whole float64) int { return int(100*part/whole + 0.5) }
