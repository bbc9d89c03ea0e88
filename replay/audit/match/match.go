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
)

// Answer says whether a text tells an item.
type Answer int

// The answers.
const (
	NotTold Answer = iota // nothing in the text is like it
	Unclear               // something is, but not enough
	Told
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
	alike    = 0.3  // least share that is not NotTold
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

	// The sentences that have gram g are places[starts[g]:starts[g+1]].
	starts, places []int32
	ends           []int32   // sentence → behind its last word
	weights        []float64 // of grams
	score          []float64 // of places, while an item is compared
	marks          []int32   // the last gram that was added to a score
}

// New returns a matcher of items in the part of a text from one byte up to another. The vocabulary caches the words of
// the items. background are other items of the session: they say which words are frequent, and which ends of paths are
// of several files.
func New(text string, from, to int, items, background []Item, v *Vocabulary) *Matcher {
	m := &Matcher{text: text, from: from, items: items, cache: v, words: v.cut(text[from:to])}
	all := make([]*words, 0, len(items)+len(background))
	for _, it := range slices.Concat(items, background) {
		if it.path {
			m.paths = append(m.paths, slashed(it.text))
			continue
		}
		all = append(all, v.words(it.text))
	}
	m.index()
	m.weigh(all)
	m.score, m.marks = make([]float64, len(m.ends)), make([]int32, len(m.ends))
	return m
}

// index lists the sentences of the text by gram.
func (m *Matcher) index() {
	for i, w := range m.words.all {
		for len(m.ends) <= int(w.sentence) {
			m.ends = append(m.ends, int32(i))
		}
		m.ends[w.sentence] = int32(i + 1)
	}
	count := make([]int32, m.cache.size()+1)
	last := make([]int32, m.cache.size())
	each := func(do func(gram, sentence int32)) {
		clear(last)
		for _, w := range m.words.all {
			for _, g := range m.words.grams[w.first:w.next] {
				if last[g] != w.sentence+1 {
					last[g] = w.sentence + 1
					do(g, w.sentence)
				}
			}
		}
	}
	each(func(g, _ int32) { count[g+1]++ })
	for g := range last {
		count[g+1] += count[g]
	}
	m.starts, m.places = count, make([]int32, count[len(count)-1])
	next := slices.Clone(count)
	each(func(g, sentence int32) {
		m.places[next[g]] = sentence
		next[g]++
	})
}

// weigh sets the weight of each gram: the fewer sentences and texts have it, the more.
func (m *Matcher) weigh(texts []*words) {
	having := make([]int32, len(m.starts)-1)
	for g := range having {
		having[g] = m.starts[g+1] - m.starts[g]
	}
	for _, t := range texts {
		for _, g := range t.distinct {
			having[g]++
		}
	}
	all := float64(len(m.ends) + len(texts))
	byCount := make([]float64, len(m.ends)+len(texts)+2)
	m.weights = make([]float64, len(having))
	for g, n := range having {
		n = max(n, 1)
		if byCount[n] == 0 {
			byCount[n] = math.Log(1 + all/float64(n))
		}
		m.weights[g] = byCount[n]
	}
}

// sentencesOf lists the sentences that have a gram.
func (m *Matcher) sentencesOf(gram int32) []int32 {
	if int(gram) >= len(m.weights) {
		return nil
	}
	return m.places[m.starts[gram]:m.starts[gram+1]]
}

func (m *Matcher) weight(gram int32) float64 {
	if int(gram) >= len(m.weights) {
		return math.Log(1 + float64(len(m.ends)+1))
	}
	return m.weights[gram]
}

// Find returns whether the text tells the i-th item, and where; nil if nothing in the text is like it.
func (m *Matcher) Find(i int) (Answer, *Match) {
	it := m.items[i]
	if it.path {
		return m.path(it.text)
	}
	answer, match := m.find(it.text, it.task)
	switch {
	case answer == Told, it.own == it.text:
		return answer, match
	case it.own == "":
		if at := m.failed(it.text); at != nil {
			return Told, at
		}
		return answer, match
	}
	if own, at := m.find(it.own, it.task); own > answer {
		return own, at
	}
	return answer, match
}

// Holds returns the place of the i-th item's exact words; nil if the text does not have them.
func (m *Matcher) Holds(i int) *Match { return m.exact(m.cache.words(m.items[i].text), false) }

// find finds a text, or else what stands outside its parentheses.
func (m *Matcher) find(text string, task bool) (Answer, *Match) {
	bare := withoutAsides(text)
	if file := strings.Trim(strings.TrimSpace(bare), "`*"); strings.Contains(file, "/") && strings.Contains(file, ".") && len(strings.Fields(file)) == 1 {
		return m.path(file)
	}
	answer, match := m.said(m.cache.words(text), task)
	if answer == Told || bare == text {
		return answer, match
	}
	if less := m.cache.words(bare); len(less.all) > 1 {
		if of, at := m.said(less, task); of == Told {
			return of, at
		}
	}
	return answer, match
}

func (m *Matcher) said(t *words, task bool) (Answer, *Match) {
	if len(t.all) == 0 {
		return Unclear, nil
	}
	if match := m.exact(t, true); match != nil {
		return Told, match
	}
	if len(t.all) > long {
		return m.parts(t, task)
	}
	return m.place(t, task)
}

// parts compares a long text sentence by sentence.
func (m *Matcher) parts(t *words, task bool) (Answer, *Match) {
	answer, match := NotTold, (*Match)(nil)
	told, total := 0.0, 0.0
	for _, part := range t.sentences() {
		weight := 0.0
		for _, g := range part.distinct {
			weight += m.weight(g)
		}
		total += weight
		is, at := m.place(part, task)
		if is == Told {
			told += weight
		}
		if at != nil && (match == nil || is > answer || is == answer && at.Share > match.Share) {
			match = at
		}
		answer = max(answer, is)
	}
	if answer == NotTold {
		return NotTold, nil
	}
	match.Share = percent(told, total)
	if told >= ofLong*total {
		return Told, match
	}
	return Unclear, match
}

// place finds the two sentences that have most of a text.
func (m *Matcher) place(t *words, task bool) (Answer, *Match) {
	total, there := 0.0, 0.0
	for _, g := range t.distinct {
		w := m.weight(g)
		total += w
		if len(m.sentencesOf(g)) > 0 {
			there += w
		}
	}
	if total == 0 {
		return Unclear, nil
	}
	if there < alike*total {
		return NotTold, nil
	}
	clear(m.score)
	clear(m.marks)
	for n, g := range t.distinct {
		mark, w := int32(n+1), m.weight(g)
		for _, s := range m.sentencesOf(g) {
			for p := max(s-1, 0); p <= s; p++ {
				if m.marks[p] != mark {
					m.marks[p] = mark
					m.score[p] += w
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
		return NotTold, nil
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
			return Told, match
		}
		if closest == nil {
			closest = match
		}
	}
	return Unclear, closest
}

// begin returns the first word of a sentence.
func (m *Matcher) begin(sentence int32) int32 {
	if sentence == 0 {
		return 0
	}
	return m.ends[sentence-1]
}

// compare compares a text word by word with a place. It returns nil if they have no word in common, and whether the
// words that both have are enough, and in the same order.
func (m *Matcher) compare(t *words, place int) (*Match, bool) {
	here := m.words.all[m.begin(int32(place)):m.ends[min(place+1, len(m.ends)-1)]]
	first, last, found, counted := len(here), -1, 0, 0
	heaviest, lacks, lacksHeaviest := 0.0, false, false
	var order []int // the least ends of sequences in order, by their length
	for _, w := range t.all {
		grams := t.grams[w.first:w.next]
		if len(grams) == 0 {
			continue
		}
		counted++
		at := m.alike(w, grams, here)
		weight := 0.0
		for _, g := range grams {
			weight += m.weight(g)
		}
		if weight > heaviest {
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
	return m.match(here[first].from, here[last].to), !lacks && found > 1 && float64(len(order)) >= ordered*float64(found)
}

// alike lists the words of a place that are the same as a word of an item, or a form of it. Numbers must be equal.
func (m *Matcher) alike(w word, grams []int32, here []word) (at []int) {
	for i, h := range here {
		if h.number != w.number {
			continue
		}
		other := m.words.grams[h.first:h.next]
		if w.number {
			if slices.Equal(grams, other) {
				at = append(at, i)
			}
			continue
		}
		common := 0
		for _, g := range grams {
			if slices.Contains(other, g) {
				common++
			}
		}
		if common > 0 && float64(common) >= resemble*float64(len(grams)) {
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

func percent(part, of float64) int { return int(100*part/of + 0.5) }

// withoutAsides removes what stands in parentheses.
func withoutAsides(s string) string {
	for {
		from := strings.IndexByte(s, '(')
		if from < 0 {
			return s
		}
		n := strings.IndexByte(s[from:], ')')
		if n < 0 {
			return s
		}
		s = s[:from] + s[from+n+1:]
	}
}
