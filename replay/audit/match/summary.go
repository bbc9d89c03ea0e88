package match

import (
	"path"
	"slices"
	"strings"
)

// summary is an index of the part of a compaction's summary that the model sees.
type summary struct {
	text       string // as recorded
	from, to   int    // the part that the model sees
	tokens     []token
	polarity   map[int]polarity   // by clause
	verbs      map[int][]action   // by clause
	byKey      map[string][]int   // key of a token → its places, ascending
	found      map[place][]int    // results of places
	purposes   map[*purpose][]int // results of telling
	endings    map[ending]*Match  // results of ended
	in         map[string]int     // key of a token → sentences that have it
	lines      []line
	above      map[int][]int // sentence → the sentences of the lines above it in the tree
	line       map[int]int   // sentence → its line
	entries    []int         // line → the first line of its entry
	within     map[int][]int // entry → its sentences of prose, and those above it
	headings   map[int]bool  // sentences that are section headings
	spans      []span        // the tokens of each sentence
	spanOf     map[int]span  // sentence → its tokens
	quotations []quotation
	quoting    map[string][]int // form of a quotation's first word → quotations
	plain      *plain
}

// reminder begins the text that a client appends to a summary.
const reminder = "\n\nIf you need specific details from before compaction"

// Seen returns the byte range of a summary that the model sees: the inside of <summary>, else what follows </analysis>,
// else all of it (ADR-0010 rule 6).
func Seen(s string) (from, to int) {
	if i := strings.Index(s, reminder); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, "<summary>"); i >= 0 {
		from = i + len("<summary>")
		if n := strings.LastIndex(s[from:], "</summary>"); n >= 0 {
			return from, from + n
		}
		return from, len(s)
	}
	if i := strings.LastIndex(s, "</analysis>"); i >= 0 {
		return i + len("</analysis>"), len(s)
	}
	return 0, len(s)
}

func newSummary(text string) *summary {
	s := &summary{text: text, polarity: map[int]polarity{}, verbs: map[int][]action{}, byKey: map[string][]int{}, found: map[place][]int{}, in: map[string]int{}, quoting: map[string][]int{}}
	s.from, s.to = Seen(text)
	s.tokens = tokens(text[s.from:s.to])
	s.lines = linesOf(text[s.from:s.to])
	s.build()
	for i, t := range s.tokens {
		s.polarity[t.clause] = s.polarity[t.clause].or(polarityAt(s.tokens, i))
		if t.act != "" {
			s.verbs[t.clause] = append(s.verbs[t.clause], t.act)
		}
		for _, key := range keysOf(t) {
			s.byKey[key] = append(s.byKey[key], i)
		}
	}
	for _, span := range s.spans {
		in := map[string]bool{}
		for _, t := range s.tokens[span.from:span.to] {
			if !in[t.key] {
				in[t.key] = true
				s.in[t.key]++
			}
		}
	}
	for i, q := range s.quotationsOf() {
		if s.quotations = append(s.quotations, q); len(q.parts) > 0 {
			first := s.tokens[q.parts[0].from].form
			s.quoting[first] = append(s.quoting[first], i)
		}
	}
	s.plain = plainOf(text[s.from:s.to]).indexed()
	return s
}

// wished reports whether a byte is in a section of requests or of pending work.
func (s *summary) wished(at int) bool {
	i, _ := slices.BinarySearchFunc(s.lines, at, func(l line, at int) int { return l.to - at })
	return i < len(s.lines) && s.lines[i].wish
}

// inCode is the number of the first sentence in code. Code has its own numbers, so that the prose before a code block
// stays next to the prose after it.
const inCode = 1 << 20

// build renumbers the sentences, those of code apart, and finds the lines above each.
func (s *summary) build() {
	s.above, s.headings, s.line, s.spanOf = map[int][]int{}, map[int]bool{}, map[int]int{}, map[int]span{}
	prose, code, at, last := -1, inCode-1, 0, -1
	of := make([][]int, len(s.lines)) // line → its sentences
	for i := range s.tokens {
		t := &s.tokens[i]
		for at < len(s.lines)-1 && s.lines[at].to <= t.from {
			at++
		}
		number := &prose
		if s.lines[at].code {
			number = &code
		}
		if t.sentence != last {
			last = t.sentence
			*number++
			of[at] = append(of[at], *number)
			s.spans = append(s.spans, span{i, i})
		}
		s.spans[len(s.spans)-1].to = i + 1
		t.sentence = *number
	}
	for _, at := range s.spans {
		s.spanOf[s.tokens[at.from].sentence] = at
	}
	s.entries, s.within = entries(s.lines), map[int][]int{}
	for i, l := range s.lines {
		var up []int
		for p := l.parent; p >= 0; p = s.lines[p].parent {
			up = append(up, of[p]...)
		}
		e := s.entries[i]
		if e == i {
			s.within[e] = append(s.within[e], up...)
		}
		if !l.code {
			s.within[e] = append(s.within[e], of[i]...)
		}
		for _, n := range of[i] {
			s.above[n], s.headings[n], s.line[n] = up, l.heading, i
		}
	}
}

// keysOf lists the index keys of a summary's token. A run of kanji has a key for each character and a path has one for
// its last element, because an item's word may be a part of them.
func keysOf(t token) []string {
	keys := []string{t.key}
	if t.act != "" {
		keys = append(keys, "\x00"+string(t.act))
	}
	if t.script == exact {
		if at := strings.LastIndexByte(t.form, '/'); at >= 0 {
			keys = append(keys, t.form[at+1:])
		}
	}
	if t.script != han {
		return keys
	}
	for _, r := range t.form {
		if key := string(r); !strings.Contains(strings.Join(keys, ""), key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// place is the cache key of places.
type place struct {
	form   string
	script script
}

// places lists the tokens of the summary that match a token of an item.
func (s *summary) places(t token) []int {
	key := place{t.form, t.script}
	at, known := s.found[key]
	if !known {
		at = s.look(t)
		s.found[key] = at
	}
	return at
}

func (s *summary) look(t token) (at []int) {
	places := s.byKey[t.key]
	if base := path.Base(t.form); base != t.form && isFile(t) {
		places = slices.Sorted(slices.Values(slices.Concat(places, s.byKey[base]))) // by its name alone
	}
	for _, i := range places {
		if same(t, s.tokens[i]) {
			at = append(at, i)
		}
	}
	if t.act != "" {
		at = append(at, s.byKey["\x00"+string(t.act)]...)
		slices.Sort(at)
		at = slices.Compact(at)
	}
	return at
}

// whole quotes a sentence.
func (s *summary) whole(sentence int) *Match {
	here := s.sentence(sentence)
	return s.match("words", here[0].from, here[len(here)-1].to, 1)
}

// sentence returns the tokens of a sentence.
func (s *summary) sentence(n int) []token {
	at := s.spanOf[n]
	return s.tokens[at.from:at.to]
}

// first quotes the first sentence with a token at one of the places and a token for each condition.
func (s *summary) first(places []int, conditions ...func(token) bool) *Match {
	for _, at := range places {
		n := s.tokens[at].sentence
		if !slices.ContainsFunc(conditions, func(has func(token) bool) bool { return !slices.ContainsFunc(s.sentence(n), has) }) {
			return s.whole(n)
		}
	}
	return nil
}

// done lists the places of a key that ok accepts and that are not in a section of requests or of pending work.
func (s *summary) done(key string, ok func(token) bool) []int {
	return slices.DeleteFunc(slices.Clone(s.byKey[key]), func(at int) bool {
		return !ok(s.tokens[at]) || s.wished(s.tokens[at].from)
	})
}

// about reports whether a sentence or a line above it has such a token. Section headings count only if asked for.
func (s *summary) about(n int, headings bool, has func(token) bool) bool {
	return slices.ContainsFunc(s.sentence(n), has) || slices.ContainsFunc(s.above[n], func(up int) bool {
		return (headings || !s.headings[up]) && slices.ContainsFunc(s.sentence(up), has)
	})
}

// entry returns the entry of a sentence, as the first line of it.
func (s *summary) entry(sentence int) int { return s.entries[s.line[sentence]] }

// inEntry reports whether an entry, or a line above it, has such a token.
func (s *summary) inEntry(e int, has func(token) bool) bool {
	return slices.ContainsFunc(s.within[e], func(n int) bool { return slices.ContainsFunc(s.sentence(n), has) })
}

// telltale returns the sentence of an entry that has most of some words.
func (s *summary) telltale(e int, words []token) (best int) {
	most := -1
	for _, n := range s.within[e] {
		has := 0
		for _, w := range words {
			if slices.ContainsFunc(s.sentence(n), func(t token) bool { return same(w, t) }) {
				has++
			}
		}
		if has > most {
			best, most = n, has
		}
	}
	return best
}

// match returns the match of a byte range of the part that the model sees.
func (s *summary) match(rule string, from, to int, score float64) *Match {
	return &Match{Rule: rule, Quote: s.text[s.from+from : s.from+to], From: s.from + from, To: s.from + to, Score: score}
}
