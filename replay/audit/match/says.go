package match

import (
	"maps"
	"math"
	"slices"
)

// placement maps the words of an item's sentence to words of a summary's passage.
type placement struct {
	summary  *summary
	sentence *sentence
	chosen   []int // by word of the sentence: the token of the summary, -1 for none
	in       passage
}

// says reports whether the passage says the sentence. For a task only negation and opposite verbs count, for a commit also
// other words.
func (p *placement) says() (from, to int, ok bool) {
	var found polarity
	from = math.MaxInt
	for i, at := range p.chosen {
		if at < 0 {
			continue
		}
		t := p.summary.tokens[at]
		if p.sentence.placed[i] && !p.besides(i) {
			return 0, 0, false
		}
		if p.in.holds(t.sentence) {
			clause := p.sentence.tokens[i].clause
			if slices.ContainsFunc(p.sentence.tokens, func(w token) bool {
				return w.clause == clause && w.act != "" && undoes(p.summary.verbs[t.clause], w.act)
			}) {
				return 0, 0, false
			}
			found = found.or(p.summary.polarity[t.clause])
			from, to = min(from, t.from), max(to, t.to)
		}
	}
	if !found.agrees(p.sentence.polarity) || p.sentence.way == byWords && (p.scattered() || p.swapped()) || p.sentence.way != byTask && p.replaced() {
		return 0, 0, false
	}
	return from, to, true
}

// scattered reports whether one of the words stands alone in another sentence.
func (p *placement) scattered() bool {
	share := map[int]int{}
	for _, at := range p.chosen {
		if at >= 0 && p.in.holds(p.summary.tokens[at].sentence) {
			share[p.summary.tokens[at].sentence]++
		}
	}
	return len(share) > 1 && slices.Contains(slices.Collect(maps.Values(share)), 1)
}

// replaced reports whether another word stands in place of a missing one: "the integration job" does not say "the unit
// job", but "the unit job" says "the slow unit job".
func (p *placement) replaced() bool {
	all, before := p.summary.tokens, -1 // the place of the previous word
	for _, at := range p.chosen {
		if at >= 0 {
			before = at
			continue
		}
		if before < 0 {
			continue
		}
		next := before + 1
		for next < len(all) && weightless(all[next]) {
			next++
		}
		if next < len(all) && all[next].clause == all[before].clause && !slices.Contains(p.chosen, next) {
			return true
		}
	}
	return false
}

// besides reports whether a word has a neighbour that it also has in the item. A number that belongs to something else
// says nothing.
func (p *placement) besides(i int) bool {
	for _, step := range []int{-1, 1} {
		j := i + step
		for j >= 0 && j < len(p.chosen) && p.chosen[j] < 0 {
			j += step
		}
		if j < 0 || j >= len(p.chosen) {
			continue
		}
		if p.summary.tokens[p.chosen[i]].clause == p.summary.tokens[p.chosen[j]].clause {
			return true
		}
	}
	return len(p.chosen) == 1
}
