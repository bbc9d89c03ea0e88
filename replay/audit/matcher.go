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
	error     *errorText // of a command that failed
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
		case knowledge.ByFailure:
			p.error = keep.errorOf(it.Detail)
			continue
		case knowledge.ByCommand:
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
	for _, p := range m.items {
		p.measure()
	}
	return m
}

// sentencesOf parts tokens into sentences with those that have weight.
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

// loosen marks what need not be said of a sentence, as long as enough of it is left:
// that something is made or changed, what kind of thing a name is, what is explained.
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

// loosenAll marks what is in, and says whether enough is left.
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
func (m *matcher) weigh(p *candidate) {
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
			if _, has := other.keys[t.key]; !has && !s.loose[n] {
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
		if found := m.quoted(p); found != nil {
			return found
		}
		if found := m.words(p); found != nil {
			return found
		}
		if file := p.file(); file != "" {
			return m.path(file)
		}
		if own := knowledge.Own(p.text); own != p.text { // what was pasted is not what was asked
			if found := m.text(own); found != nil {
				return found
			}
		}
		return m.titled(p)
	}
}

// vocabulary keeps what texts are made of, since most items are known to several
// compactions. The zero value is empty.
type vocabulary struct {
	known  map[string][]token
	errors map[string]*errorText
}

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

// errorOf gives what an error says.
func (v *vocabulary) errorOf(detail string) *errorText {
	if v.errors == nil {
		v.errors = map[string]*errorText{}
	}
	e := v.errors[detail]
	if e == nil {
		e = errorTextOf(detail)
		v.errors[detail] = e
	}
	return e
}
