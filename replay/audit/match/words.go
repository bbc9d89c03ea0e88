package match

import (
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

// The thresholds of matching by words, tuned on the labels of testdata/eval without the held-out ones.
const (
	enough    = 0.75 // share of a sentence's weight that a passage must have
	most      = 0.5  // the same for a task, and for a commit
	window    = 3    // most sentences of a passage
	alike     = 0.5  // shared weight from which another item is a near-duplicate
	maxTokens = 4000 // most tokens of an item that are compared
)

// sentence is one sentence of an item.
type sentence struct {
	tokens []token // those with weight

	weights  []float64
	telling  []bool // required: a number, a name, or a word that a near-duplicate lacks
	placed   []bool // must keep a neighbour: a number, or a word that a near-duplicate lacks
	negated  []bool // its clause is negated
	polarity polarity
	total    float64 // weight of the words
	way      way     // of its item
	done     bool    // of a finished task
}

// least returns the share of a sentence's weight that a passage must have.
func (w way) least() float64 {
	if w == byWords {
		return enough
	}
	return most
}

// words matches a text by its words. A passage must say each sentence; the sentences that none says must be light.
func (m *Matcher) words(sentences []sentence) *Match {
	kept, total, from, to := 0.0, 0.0, math.MaxInt, 0
	for i := range sentences {
		s := &sentences[i]
		total += s.total
		f, t, score, ok := m.sentence(s)
		if !ok {
			continue
		}
		kept += score * s.total
		from, to = min(from, f), max(to, t)
	}
	if total == 0 || kept/total < sentences[0].way.least() {
		return nil
	}
	return m.summary.match("words", from, to, math.Round(kept/total*100)/100)
}

// verbatim matches a text that the summary has word for word, with the same negation.
func (s *summary) verbatim(it *said) *Match {
	if len(it.tokens) == 0 || !slices.ContainsFunc(it.sentences, substantial) {
		return nil
	}
	want := polarity{}
	for _, said := range it.sentences {
		want = want.or(said.polarity)
	}
	for _, at := range s.byKey[it.tokens[0].key] {
		end := at + len(it.tokens)
		if end > len(s.tokens) {
			break
		}
		found := s.tokens[at:end]
		if !sameForms(found, it.tokens, false) {
			continue
		}
		p := polarity{}
		for _, t := range found {
			p = p.or(s.polarity[t.clause])
		}
		if p.agrees(want) {
			return s.match("exact", found[0].from, found[len(found)-1].to, 1)
		}
	}
	return nil
}

// sentence finds the shortest passage that says a sentence.
func (m *Matcher) sentence(s *sentence) (from, to int, score float64, ok bool) {
	if !substantial(*s) {
		return 0, 0, 0, false
	}
	places, there := make([][]int, len(s.tokens)), 0.0
	for i, t := range s.tokens {
		if places[i] = m.summary.places(t); len(places[i]) > 0 {
			there += s.weights[i]
		} else if s.telling[i] {
			return 0, 0, 0, false
		}
	}
	if there < s.way.least()*s.total {
		return 0, 0, 0, false
	}
	starts := map[int]bool{}
	for i := range s.tokens {
		for _, at := range places[i] {
			for back := range window {
				starts[m.summary.tokens[at].sentence-back] = true
			}
		}
	}
	order := slices.Sorted(maps.Keys(starts))
	for size := range window {
		for _, start := range order {
			if from, to, score, ok = m.within(s, places, passage{start, start + size, m.summary.above[start]}); ok {
				return from, to, score, true
			}
		}
	}
	return 0, 0, 0, false
}

// passage is a range of consecutive sentences of a summary, and the sentences that the first one stands under.
type passage struct {
	first, last int
	above       []int
}

func (p passage) holds(sentence int) bool { return p.first <= sentence && sentence <= p.last }

// substantial reports whether a sentence has enough words to be recognised. "go on" has not.
func substantial(s sentence) bool {
	runes := 0
	for _, t := range s.tokens {
		runes += utf8.RuneCountInString(t.form)
	}
	return len(s.tokens) >= 2 || runes >= 8
}

// within matches a sentence with the words of a passage.
func (m *Matcher) within(s *sentence, places [][]int, p passage) (from, to int, score float64, ok bool) {
	chosen := make([]int, len(places))
	before, inside, carried := -1, false, 0.0
	for i := range places {
		chosen[i] = m.summary.choose(places[i], p, before)
		if chosen[i] < 0 {
			if s.telling[i] {
				return 0, 0, 0, false
			}
			continue
		}
		before = chosen[i]
		inside = inside || p.holds(m.summary.tokens[before].sentence)
		carried += s.weights[i]
	}
	if !inside || carried < s.way.least()*s.total {
		return 0, 0, 0, false
	}
	from, to, ok = (&placement{m.summary, s, chosen, p}).says()
	return from, to, carried / s.total, ok && !(s.done && m.summary.wished(from))
}

// choose returns the first place in a passage after another place, else the first place in it, -1 for none.
func (s *summary) choose(places []int, p passage, before int) int {
	best := -1
	for _, at := range places {
		if in := s.tokens[at].sentence; !p.holds(in) && !slices.Contains(p.above, in) {
			continue
		}
		if at > before {
			return at
		}
		if best < 0 {
			best = at
		}
	}
	return best
}
