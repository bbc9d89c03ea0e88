// Package match finds the passage of a text that states an item: a decision, a task, a request or a file. It knows no
// language and no log.
//
// Texts are compared by grams: four characters of a word with a blank before and after it, or two characters of Chinese,
// Japanese and Korean. The fewer sentences and items have a gram, the greater is its weight. A passage of two sentences states
// an item if it has enough of the item's weight, every number, the heaviest word of a short item, and most of the found words in
// the item's order. The exact words of the item and a shortened quotation of them also state it. An end of its path states a file.
//
// Grams hardly show the roles of words: "from A to B" may be found for "from B to A".
package match

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"journal/events/text"
)

// Verdict reports whether a text states an item.
type Verdict int

// The verdicts.
const (
	NotFound Verdict = iota // the text has nothing similar
	Unclear                 // it has something similar, but not enough
	Found
)

// Match is the passage of a text that states an item, or the passage most similar to the item.
type Match struct {
	Quote string `json:"quote"` // the text's own words
	From  int    `json:"from"`  // byte offset of the quote in the text
	To    int    `json:"to"`    // byte offset behind the quote
	Share int    `json:"share"` // share of the item's weight that the passage has, in percent
}

// Item is something to find.
type Item struct {
	text, own string // as in Words
	task      bool   // made by Task
	path      bool   // made by Path
}

// Words returns an item that is found by its words. own is the text without parts that were pasted into it.
func Words(text, own string) Item { return Item{text: text, own: own} }

// Task returns the item for a task or a step of a plan, for which a smaller share is enough.
func Task(text string) Item { return Item{text: text, own: text, task: true} }

// Path returns the item for a file, which is found by an end of its path that no other item has.
func Path(path string) Item { return Item{text: path, path: true} }

// The thresholds, tuned on labelled items of real compactions.
const (
	minShare      = 0.62 // share of an item's weight in a passage that states it
	minTaskShare  = 0.5  // the same for a task
	minLongShare  = 0.5  // the same for a long item, in all its sentences that are found
	minSimilar    = 0.3  // share of an item's weight in a passage that is Unclear
	minOrdered    = 0.7  // share of the found words that are in the item's order
	minWordShare  = 0.5  // share of a word's grams in another word that counts as the same
	shortWords    = 8    // an item of at most so many words is found only with its heaviest word
	veryFewWords  = 3    // an item of at most so many words is found only with all of them
	longWords     = 60   // an item of more words is compared sentence by sentence
	maxCandidates = 6    // passages that are compared word by word
)

// Matcher finds items in one text. It is not safe for concurrent use.
type Matcher struct {
	text       string
	from       int    // offset of the searched part
	words      *words // of the searched part
	items      []Item
	vocabulary *Vocabulary
	paths      []string // folded paths of all items

	places  [][]int   // gram → the sentences that have it
	ends    []int     // sentence → index behind its last word
	inItems []int     // gram → the number of items that have it
	weights []float64 // gram → its weight; 0 if not computed yet
	texts   int       // number of sentences and items
	score   []float64 // weight of the compared text in each passage, by the passage's first sentence; reused
	marks   []int     // number of the gram that was last added to each score, from 1; reused
}

// New returns a matcher of items in text[from:to]. The vocabulary caches the words of texts. background has other items of the
// session: from them the matcher knows which words are frequent, and which ends of paths are ambiguous.
func New(text string, from, to int, items, background []Item, v *Vocabulary) *Matcher {
	m := &Matcher{text: text, from: from, items: items, vocabulary: v, words: v.words(text[from:to])}
	all := slices.Concat(items, background)
	for _, it := range all {
		if it.path {
			m.paths = append(m.paths, foldedPath(it.text))
		} else {
			v.words(it.text) // numbers its grams, before the slices by gram are made
		}
	}
	m.places, m.inItems, m.weights = make([][]int, len(v.grams)), make([]int, len(v.grams)), make([]float64, len(v.grams))
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
			m.inItems[g]++
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

// weight returns the weight of a gram. The fewer sentences and items have it, the greater it is.
func (m *Matcher) weight(gram int32) float64 {
	if int(gram) >= len(m.weights) { // the vocabulary got it after New: nothing here has it
		return math.Log(1 + float64(m.texts))
	}
	if m.weights[gram] == 0 {
		m.weights[gram] = math.Log(1 + float64(m.texts)/float64(max(m.inItems[gram]+len(m.places[gram]), 1)))
	}
	return m.weights[gram]
}

// weigh returns the sum of the weights of grams.
func (m *Matcher) weigh(grams []int32) (sum float64) {
	for _, g := range grams {
		sum += m.weight(g)
	}
	return sum
}

// Find returns the verdict about the i-th item, and the passage; nil if the text has nothing similar. If the whole item is not
// found, its own words are enough, or without own words the name of a failed test in it.
func (m *Matcher) Find(i int) (Verdict, *Match) {
	it := m.items[i]
	if it.path {
		return m.path(it.text)
	}
	verdict, match := m.find(it.text, it.task)
	if verdict == Found || it.own == it.text {
		return verdict, match
	}
	var ownVerdict Verdict
	var ownMatch *Match
	if it.own != "" {
		ownVerdict, ownMatch = m.find(it.own, it.task)
	} else {
		ownVerdict, ownMatch = m.failed(it.text)
	}
	if ownVerdict > verdict {
		return ownVerdict, ownMatch
	}
	return verdict, match
}

// Holds reports whether the text has the exact words of the i-th item, which are at least two.
func (m *Matcher) Holds(i int) bool {
	_, match := m.exact(m.vocabulary.words(m.items[i].text))
	return match != nil && match.Share == 100
}

// parentheses matches a text in parentheses.
var parentheses = text.Pattern(`\([^)]*\)`)

// find finds the words of an item, without those in parentheses if more than one other word remains. If the words are only a path,
// it finds the file.
func (m *Matcher) find(words string, task bool) (Verdict, *Match) {
	bare := parentheses().ReplaceAllString(words, "")
	if file := strings.Trim(bare, " `*"); strings.Contains(file, "/") && strings.Contains(file, ".") && len(strings.Fields(file)) == 1 {
		return m.path(file)
	}
	t := m.vocabulary.words(words)
	if len(t.all) == 0 {
		return Unclear, nil
	}
	exact, at := m.exact(t)
	if exact == Found {
		return Found, at
	}
	if without := m.vocabulary.words(bare); len(without.all) > 1 {
		t = without
	}
	compare := m.place
	if len(t.all) > longWords {
		compare = m.parts
	}
	verdict, match := compare(t, task)
	if exact > verdict {
		return exact, at
	}
	return verdict, match
}

// parts compares a long text sentence by sentence. It returns the passage of the sentence that is found best, with the share of the
// text's weight that the found sentences have.
func (m *Matcher) parts(t *words, task bool) (verdict Verdict, match *Match) {
	found, total := 0.0, 0.0
	for _, part := range t.sentences() {
		weight := m.weigh(part.distinct)
		total += weight
		ofPart, at := m.place(part, task)
		if ofPart == Found {
			found += weight
		}
		if at != nil && (match == nil || ofPart > verdict || ofPart == verdict && at.Share > match.Share) {
			match = at
		}
		verdict = max(verdict, ofPart)
	}
	switch {
	case match == nil && total > 0: // only sentences without a gram are unclear
		return NotFound, nil
	case match == nil:
		return verdict, nil
	}
	match.Share = percent(found, total)
	if found >= minLongShare*total {
		return Found, match
	}
	return Unclear, match
}

// place compares a text with the passages of two sentences that have most of its weight.
func (m *Matcher) place(t *words, task bool) (Verdict, *Match) {
	total := m.weigh(t.distinct)
	if total == 0 {
		return Unclear, nil
	}
	clear(m.score)
	clear(m.marks)
	for n, g := range t.distinct {
		for _, s := range m.sentencesOf(g) {
			for p := max(s-1, 0); p <= s; p++ { // both passages with the sentence
				if m.marks[p] != n+1 {
					m.marks[p] = n + 1
					m.score[p] += m.weight(g)
				}
			}
		}
	}
	var candidates []int // the first sentences of passages
	for p, score := range m.score {
		if score >= minSimilar*total {
			candidates = append(candidates, p)
		}
	}
	if len(candidates) == 0 {
		return NotFound, nil
	}
	slices.SortStableFunc(candidates, func(a, b int) int { return cmp.Compare(m.score[b], m.score[a]) })
	least := minShare
	if task {
		least = minTaskShare
	}
	var closest *Match
	for _, p := range candidates[:min(len(candidates), maxCandidates)] {
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
	if closest == nil { // it has parts of words only
		tokens := m.passage(candidates[0])
		closest = m.match(tokens[0].from, tokens[len(tokens)-1].to)
		closest.Share = percent(m.score[candidates[0]], total)
	}
	return Unclear, closest
}

// passage returns the words of the two sentences that begin with a sentence.
func (m *Matcher) passage(sentence int) []word {
	return m.words.all[m.begin(sentence):m.ends[min(sentence+1, len(m.ends)-1)]]
}

// begin returns the index of the first word of a sentence.
func (m *Matcher) begin(sentence int) int {
	if sentence == 0 {
		return 0
	}
	return m.ends[sentence-1]
}

// compare compares a text word by word with the passage that begins with a sentence. It returns nil if they have no word in
// common. same reports whether the passage has the words that it must have, and most of the words that it has in the same order.
func (m *Matcher) compare(t *words, sentence int) (match *Match, same bool) {
	tokens := m.passage(sentence)
	first, last, found, counted := len(tokens), -1, 0, 0
	heaviest, lacksHeaviest := 0.0, false
	lacks := false  // a word is missing that the passage must have
	var order []int // order[n] is the least end of a rising sequence of n+1 tokens; its length is that of the longest sequence
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
			lacks = lacks || w.number || len(t.all) <= veryFewWords
			continue
		}
		found++
		first, last = min(first, at[0]), max(last, at[len(at)-1])
		for _, i := range slices.Backward(at) { // backward, so that no sequence has two tokens for one word
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
	lacks = lacks || lacksHeaviest && counted <= shortWords
	return m.match(tokens[first].from, tokens[last].to), !lacks && found > 1 && float64(len(order)) >= minOrdered*float64(found)
}

// in lists the indexes of the tokens that are the same word as w, or a form of it. Numbers must be equal.
func (w word) in(tokens []word) (at []int) {
	for i, t := range tokens {
		if t.number != w.number {
			continue
		}
		common := 0
		for _, g := range w.grams {
			if slices.Contains(t.grams, g) {
				common++
			}
		}
		same := common > 0 && float64(common) >= minWordShare*float64(len(w.grams))
		if w.number {
			same = slices.Equal(w.grams, t.grams)
		}
		if same {
			at = append(at, i)
		}
	}
	return at
}

// match returns the match of a byte range of the searched part, with a share of 100.
func (m *Matcher) match(from, to int32) *Match {
	match := &Match{From: m.from + int(from), To: m.from + int(to), Share: 100}
	match.Quote = m.text[match.From:match.To]
	return match
}

func percent(part, whole float64) int { return int(100*part/whole + 0.5) }
