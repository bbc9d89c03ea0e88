package match

import (
	"math"
	"slices"
)

// says whether the words of a sentence say it where they were found.
func (m *Matcher) says(s *sentence, chosen []int, p passage) (from, to int, ok bool) {
	var found polarity
	ordered, before, sentence := true, -1, -1
	seen, share := map[int]bool{}, map[int]int{}
	from = math.MaxInt
	for i, at := range chosen {
		if at < 0 {
			continue
		}
		t := m.summary.tokens[at]
		if opposites[[2]action{s.tokens[i].done, t.done}] || s.placed[i] && !m.besides(chosen, i, false) || m.astray(chosen, i) && !m.besides(chosen, i, true) {
			return 0, 0, false
		}
		ordered = ordered && at > before
		before = at
		if !p.holds(t.sentence) {
			continue
		}
		stands := i > 0 && m.pronoun(at, chosen[i-1]) || i+1 < len(chosen) && m.pronoun(at, chosen[i+1])
		if t.sentence != sentence && !stands {
			if seen[t.sentence] || t.sentence < sentence && !m.summary.sameLine(t.sentence, sentence) {
				return 0, 0, false // what two entries say of two things
			}
			seen[t.sentence], sentence = true, t.sentence
		}
		if !s.loose[i] {
			found = found.or(m.summary.polarity[t.clause])
		}
		from, to = min(from, t.from), max(to, t.to)
		if !stands {
			share[t.sentence]++
		}
	}
	for _, n := range share {
		if len(share) > 1 && n < 2 {
			return 0, 0, false // a word out of another sentence
		}
	}
	if !found.agrees(s.polarity) || found.contrast && !ordered || m.swapped(s, chosen) || m.replaced(s, chosen) || !m.made(s, chosen) || !m.done(s, chosen, p) {
		return 0, 0, false
	}
	return from, to, true
}

// replaced says whether something else stands where a word is missing: "the unit job"
// is not said by "the integration job", but "the slow unit job" by "the unit job".
func (m *Matcher) replaced(s *sentence, chosen []int) bool {
	all := m.summary.tokens
	taken := map[int]bool{}
	for _, at := range chosen {
		taken[at] = true
	}
	foreign := func(i int, clause int) bool {
		return i >= 0 && i < len(all) && all[i].clause == clause && !taken[i] && !weightless(all[i]) && !standing.has(all[i])
	}
	for i, at := range chosen {
		if at >= 0 || s.loose[i] {
			continue
		}
		left, right := i-1, i+1
		for left >= 0 && chosen[left] < 0 {
			left--
		}
		for right < len(chosen) && chosen[right] < 0 {
			right++
		}
		switch {
		case left >= 0 && right < len(chosen):
			from, to := chosen[left], chosen[right]
			if to-from > 2*near {
				continue
			}
			for k := from + 1; k < to; k++ {
				if foreign(k, all[k].clause) {
					return true
				}
			}
		case left >= 0:
			if at := chosen[left]; foreign(m.next(at, 1), all[at].clause) {
				return true
			}
		case right < len(chosen):
			if at := chosen[right]; foreign(m.next(at, -1), all[at].clause) {
				return true
			}
		}
	}
	return false
}

// next gives the next word with weight in a direction.
func (m *Matcher) next(at, step int) int {
	at += step
	for at >= 0 && at < len(m.summary.tokens) && weightless(m.summary.tokens[at]) {
		at += step
	}
	return at
}

// done says whether a passage does to the words of a sentence what the sentence does. A passage
// need not say that something is made or changed.
func (m *Matcher) done(s *sentence, chosen []int, p passage) bool {
	for i, at := range chosen {
		a := s.tokens[i]
		if at < 0 || !s.telling[i] || a.act != "" || a.done == "" || a.done == making || a.done == changing {
			continue
		}
		x := m.summary.tokens[at]
		agrees := x.done == a.done || slices.ContainsFunc(m.summary.tokens, func(t token) bool { return t.act == a.done && m.over(p, t) })
		if !agrees {
			return false
		}
	}
	return true
}

// made says whether a passage without the verb of a sentence still says the sentence: it does
// nothing else to the same words.
func (m *Matcher) made(s *sentence, chosen []int) bool {
	first, last, missing := math.MaxInt, -1, -1
	for i, at := range chosen {
		if at < 0 && s.tokens[i].act != "" && s.loose[i] {
			missing = i
		}
		if at >= 0 && !s.loose[i] {
			first, last = min(first, at), max(last, at)
		}
	}
	if missing < 0 || last < 0 {
		return true
	}
	for i, at := range chosen {
		if at >= 0 && !s.loose[i] && s.tokens[i].script == latin && m.summary.tokens[at].script == exact {
			return false // a name alone says nothing of a task
		}
	}
	all := m.summary.tokens
	for i := first - 1; i >= 0 && all[i].sentence == all[first].sentence && all[i].clause == all[first].clause; i-- {
		if !weightless(all[i]) && !standing.has(all[i]) && all[i].script != exact {
			return false
		}
	}
	if s.tokens[missing].script == latin {
		return true
	}
	for i := last + 1; i < len(all) && all[i].clause == all[last].clause; i++ { // their verbs come last
		if !weightless(all[i]) {
			return false
		}
	}
	return true
}

// astray says whether a word stands outside of the words that it stands between in the
// item.
func (m *Matcher) astray(chosen []int, i int) bool {
	return i > 0 && !m.pronoun(chosen[i], chosen[i-1]) && i+1 < len(chosen) && chosen[i-1] >= 0 && chosen[i+1] >= 0 &&
		(chosen[i] > max(chosen[i-1], chosen[i+1]) || chosen[i] < min(chosen[i-1], chosen[i+1]))
}

// pronouns stand for what the sentence before names.
var pronouns = setOf("it they them this these")

// pronoun says whether the sentence of b speaks of the one of a before it on the same
// line: each sentence from there on has a word that stands for another.
func (m *Matcher) pronoun(a, b int) bool {
	if a < 0 || b < 0 {
		return false
	}
	from, in := m.summary.tokens[a].sentence, m.summary.tokens[b].sentence
	if in <= from || !m.summary.sameLine(from, in) {
		return false
	}
	linked := from
	for i := a; i < len(m.summary.tokens) && m.summary.tokens[i].sentence <= in; i++ {
		if t := m.summary.tokens[i]; t.sentence == linked+1 && pronouns[t.form] {
			linked++
		}
	}
	return linked == in
}

// besides says whether a telling word stands beside a word that it stands beside
// in the item: a number that belongs to something else says nothing.
func (m *Matcher) besides(chosen []int, i int, across bool) bool {
	for _, step := range []int{-1, 1} {
		j := i + step
		for j >= 0 && j < len(chosen) && chosen[j] < 0 {
			j += step
		}
		if j < 0 || j >= len(chosen) {
			continue
		}
		a, b := m.summary.tokens[chosen[i]], m.summary.tokens[chosen[j]]
		if d := chosen[i] - chosen[j]; max(d, -d) <= near && (across || a.clause == b.clause) {
			return true
		}
	}
	return len(chosen) == 1
}
