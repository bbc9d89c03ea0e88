package audit

import (
	"math"
	"slices"
)

// The measures of matching by words. They were set on the labels of
// testdata/eval, the held-out ones apart.
const (
	enough    = 0.85 // share of a sentence's weight that a window has to carry
	window    = 3    // sentences within which its words have to stand
	near      = 4    // words between a telling word and one beside it in the item
	alike     = 0.5  // share of weight from which another item is a near-duplicate
	maxTokens = 4000 // of one item that are compared; a longer one is matched by its beginning
)

// sentence is one sentence of an item.
type sentence struct {
	tokens []token // those with weight

	weights  []float64
	telling  []bool // has to be there: a number, a name, or what tells it from a near-duplicate
	placed   []bool // has to stand beside what it stands beside in the item: a number, such a telling word
	polarity polarity
	total    float64
}

// words matches a text by its words: each of its sentences has to be carried by
// a window of the summary, and those that are not must be light.
func (m *matcher) words(it *candidate) *Match {
	kept, total, from, to := 0.0, 0.0, math.MaxInt, 0
	for i := range it.sentences {
		s := &it.sentences[i]
		total += s.total
		f, t, score, ok := m.sentence(s)
		if !ok {
			if s.polarity.negated || slices.Contains(s.telling, true) {
				return nil
			}
			continue
		}
		kept += score * s.total
		from, to = min(from, f), max(to, t)
	}
	if total == 0 || kept/total < enough {
		return nil
	}
	return m.summary.match("words", from, to, math.Round(kept/total*100)/100)
}

// verbatim matches a text that stands in the summary word for word, in clauses
// that do not turn it around.
func (m *matcher) verbatim(it *candidate) *Match {
	if len(it.tokens) == 0 || !slices.ContainsFunc(it.sentences, m.substantial) {
		return nil
	}
	want := polarity{}
	for _, s := range it.sentences {
		want = want.or(s.polarity)
	}
	for _, at := range m.summary.byKey[it.tokens[0].key] {
		end := at + len(it.tokens)
		if end > len(m.summary.tokens) {
			break
		}
		found := m.summary.tokens[at:end]
		if !slices.EqualFunc(found, it.tokens, func(a, b token) bool { return a.form == b.form }) {
			continue
		}
		p := polarity{}
		for _, t := range found {
			p = p.or(m.summary.polarity[t.clause])
		}
		if p == want {
			return m.summary.match("exact", found[0].from, found[len(found)-1].to, 1)
		}
	}
	return nil
}

// sentence looks for the narrowest window that carries a sentence.
func (m *matcher) sentence(s *sentence) (from, to int, score float64, ok bool) {
	if !m.substantial(*s) {
		return 0, 0, 0, false
	}
	places := make([][]int, len(s.tokens))
	starts := map[int]bool{}
	for i, t := range s.tokens {
		places[i] = m.summary.places(t)
		if s.telling[i] && len(places[i]) == 0 {
			return 0, 0, 0, false
		}
		for _, at := range places[i] {
			for back := range window {
				starts[m.summary.tokens[at].sentence-back] = true
			}
		}
	}
	order := make([]int, 0, len(starts))
	for start := range starts {
		order = append(order, start)
	}
	slices.Sort(order)
	for size := range window {
		for _, start := range order {
			if from, to, score, ok = m.within(s, places, start, start+size); ok {
				return from, to, score, true
			}
		}
	}
	return 0, 0, 0, false
}

// substantial says whether a sentence says enough to be recognised: "go on" does
// not, wherever it stands.
func (m *matcher) substantial(s sentence) bool {
	runes := 0
	for _, t := range s.tokens {
		runes += len([]rune(t.form))
	}
	return len(s.tokens) >= 2 || runes >= 8
}

// within matches a sentence with the words between two sentences of the summary.
func (m *matcher) within(s *sentence, places [][]int, first, last int) (from, to int, score float64, ok bool) {
	chosen := make([]int, len(places))
	carried, before, ordered := 0.0, -1, true
	for i := range places {
		chosen[i] = m.choose(places[i], first, last, before)
		if chosen[i] < 0 {
			if s.telling[i] {
				return 0, 0, 0, false
			}
			continue
		}
		ordered = ordered && chosen[i] > before
		before = chosen[i]
		carried += s.weights[i]
	}
	if before < 0 || carried < enough*s.total {
		return 0, 0, 0, false
	}
	p := polarity{}
	from = math.MaxInt
	for i, at := range chosen {
		if at < 0 {
			continue
		}
		t := m.summary.tokens[at]
		p = p.or(m.summary.polarity[t.clause])
		from, to = min(from, t.from), max(to, t.to)
		if s.placed[i] && !m.besides(chosen, i) {
			return 0, 0, 0, false
		}
	}
	if p != s.polarity || p.contrast && !ordered {
		return 0, 0, 0, false
	}
	return from, to, carried / s.total, true
}

// choose gives the place within the window that follows the one before most
// closely, else the first one, -1 for none.
func (m *matcher) choose(places []int, first, last, before int) int {
	best := -1
	for _, at := range places {
		if n := m.summary.tokens[at].sentence; n < first || n > last {
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

// besides says whether a telling word stands beside a word that it stands beside
// in the item: a number that belongs to something else says nothing.
func (m *matcher) besides(chosen []int, i int) bool {
	lone := true
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(chosen) || chosen[j] < 0 {
			continue
		}
		lone = false
		a, b := m.summary.tokens[chosen[i]], m.summary.tokens[chosen[j]]
		if d := chosen[i] - chosen[j]; max(d, -d) <= near && a.clause == b.clause {
			return true
		}
	}
	return lone && len(chosen) == 1
}
