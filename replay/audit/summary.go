package audit

import "strings"

// summary is the part of a compaction's summary that the model sees, ready to be
// searched.
type summary struct {
	text      string // as recorded
	from, to  int    // the part that the model sees
	tokens    []token
	polarity  map[int]polarity // by clause
	byKey     map[string][]int // key of a token → its places, ascending
	sentences int
	plain     plain
}

// seen gives the part of a summary that the model sees: what stands inside
// <summary>, else what follows </analysis>, else all of it (ADR-0010 rule 6).
func seen(s string) (from, to int) {
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
	s := &summary{text: text, polarity: map[int]polarity{}, byKey: map[string][]int{}}
	s.from, s.to = seen(text)
	s.tokens = tokens(text[s.from:s.to])
	for i, t := range s.tokens {
		s.polarity[t.clause] = s.polarity[t.clause].or(polarityAt(s.tokens, i))
		s.sentences = t.sentence + 1
		for _, key := range keysOf(t) {
			s.byKey[key] = append(s.byKey[key], i)
		}
	}
	s.plain = plainOf(text[s.from:s.to])
	return s
}

// keysOf lists what a token of a summary is looked up by: a run of kanji by each
// character and a path by its last element, because an item's word may be a part
// of it.
func keysOf(t token) []string {
	if t.script != han {
		return []string{t.key}
	}
	var keys []string
	for _, r := range t.form {
		if key := string(r); !strings.Contains(strings.Join(keys, ""), key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// places lists where a token of an item stands in the summary.
func (s *summary) places(t token) []int {
	var at []int
	for _, i := range s.byKey[t.key] {
		if same(t, s.tokens[i]) {
			at = append(at, i)
		}
	}
	if t.script == exact && strings.Contains(t.form, "/") {
		for _, i := range s.byKey[t.form[strings.LastIndex(t.form, "/")+1:]] {
			if same(t, s.tokens[i]) {
				at = append(at, i)
			}
		}
	}
	return at
}

// match quotes the summary between two offsets of the part that is seen.
func (s *summary) match(rule string, from, to int, score float64) *Match {
	return &Match{Rule: rule, Quote: s.text[s.from+from : s.from+to], From: s.from + from, To: s.from + to, Score: score}
}
