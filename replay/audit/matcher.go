package audit

import (
	"maps"
	"math"
	"slices"

	"journal/replay/knowledge"
)

// matcher finds items in one summary. It keeps what it has to know of all items
// to tell one from the other.
type matcher struct {
	summary *summary
	paths   []string
	items   []*candidate
	df      map[string]int // key of a token → items and sentences of the summary that have it
	docs    int
}

// candidate is an item whose text was cut into words.
type candidate struct {
	match     knowledge.Match
	text      string
	detail    string
	tokens    []token
	sentences []sentence
	keys      map[string]float64 // of the tokens with weight
}

// newMatcher prepares items for a summary; keep gives each item's tokens, so
// that an item of several compactions is cut into words once.
func newMatcher(sum *summary, items []Item, keep *vocabulary) *matcher {
	m := &matcher{summary: sum, df: map[string]int{}}
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
		p := &candidate{match: it.known.Kind.Def().Audit.Match, text: it.Text, detail: it.Detail, keys: map[string]float64{}}
		m.items = append(m.items, p)
		switch p.match {
		case knowledge.ByPath:
			m.paths = append(m.paths, it.Text)
			continue
		case knowledge.ByCommand, knowledge.ByFailure:
			continue
		}
		m.docs++
		p.tokens = keep.tokens(it.Text)
		p.sentences = sentencesOf(p.tokens)
		for _, s := range p.sentences {
			for _, t := range s.tokens {
				if _, known := p.keys[t.key]; !known {
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
	return m
}

// sentencesOf parts tokens into sentences with those that have weight.
func sentencesOf(all []token) []sentence {
	all = all[:min(len(all), maxTokens)]
	var out []sentence
	for i, t := range all {
		if i == 0 || t.sentence != all[i-1].sentence {
			out = append(out, sentence{})
		}
		s := &out[len(out)-1]
		s.polarity = s.polarity.or(polarityAt(all, i))
		if !weightless(t) {
			s.tokens = append(s.tokens, t)
			s.telling = append(s.telling, t.script == exact)
			s.placed = append(s.placed, t.form[0] >= '0' && t.form[0] <= '9')
		}
	}
	return out
}

// weigh gives each token its weight: the rarer, the heavier.
func (m *matcher) weigh(p *candidate) {
	for i := range p.sentences {
		s := &p.sentences[i]
		for _, t := range s.tokens {
			w := math.Log(1 + float64(m.docs)/float64(m.df[t.key]))
			s.weights = append(s.weights, w)
			s.total += w
			p.keys[t.key] = w
		}
	}
}

// tell marks the tokens that tell an item from its near-duplicates: those must
// be in the summary.
func (m *matcher) tell() {
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
			if _, has := other.keys[t.key]; !has {
				s.telling[n], s.placed[n] = true, true
			}
		}
	}
}

// find gives the place of the i-th item in the summary, nil when it is not
// there.
func (m *matcher) find(i int) *Match {
	p := m.items[i]
	switch p.match {
	case knowledge.ByPath:
		return m.path(p.text)
	case knowledge.ByCommand:
		return m.command(p.text)
	case knowledge.ByFailure:
		return m.failure(p)
	default:
		if found := m.verbatim(p); found != nil {
			return found
		}
		return m.words(p)
	}
}

// vocabulary keeps the tokens of texts. The zero value is empty.
type vocabulary struct{ known map[string][]token }

func (v *vocabulary) tokens(s string) []token {
	if v.known == nil {
		v.known = map[string][]token{}
	}
	t, ok := v.known[s]
	if !ok {
		t = tokens(s)
		v.known[s] = t
	}
	return t
}
