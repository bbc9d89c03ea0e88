package match

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"journal/events/text"
)

const (
	leastQuoted = 4    // words of a quotation that stands for a longer text
	mostly      = 0.75 // least share of the words that a quotation without a mark of omission must have
)

// exact finds the words of a text, at least two and one after the other. If shortened is set, its beginning is enough
// where the text marks that the rest was left out, or where a quotation or a line ends with a sentence of it.
func (m *Matcher) exact(t *words, shortened bool) *Match {
	if len(t.all) < 2 || !m.mayHave(t, 0, min(leastQuoted, len(t.all))) {
		return nil
	}
	all := m.words.all
	for i := range m.beginnings(t) {
		n := 0
		for n < len(t.all) && i+n < len(all) && slices.Equal(m.words.of(i+n), t.of(n)) {
			n++
		}
		if n == 0 || n < len(t.all) && (!shortened || n < leastQuoted) {
			continue
		}
		match := m.match(all[i].from, all[i+n-1].to)
		if n == len(t.all) {
			return match
		}
		omitted, ended := closing(m.text[match.To:])
		border := t.all[n].sentence != t.all[n-1].sentence
		if omitted || ended && (border || float64(n) >= mostly*float64(len(t.all))) {
			return match
		}
	}
	return nil
}

// mayHave reports whether the searched text has each gram of some words; false is certain of the words.
func (m *Matcher) mayHave(t *words, from, to int) bool {
	for i := from; i < to; i++ {
		if slices.ContainsFunc(t.of(i), func(g int32) bool { return len(m.sentencesOf(g)) == 0 }) {
			return false
		}
	}
	return true
}

// beginnings yields the words of the searched text that have the first gram of another text's first word.
func (m *Matcher) beginnings(t *words) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := t.of(0)
		if len(first) == 0 {
			return
		}
		for _, s := range m.sentencesOf(first[0]) {
			for i := m.begin(s); i < m.ends[s]; i++ {
				if w := m.words.all[i]; w.first < w.next && m.words.grams[w.first] == first[0] && !yield(int(i)) {
					return
				}
			}
		}
	}
}

// closing reports whether a text begins with a mark that words were left out, or with the end of a quotation or line.
func closing(rest string) (omitted, ended bool) {
	trimmed := strings.TrimLeft(rest, " ,.")
	omitted = strings.HasPrefix(rest, "..") || strings.HasPrefix(trimmed, "…") || strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "...")
	rest = strings.TrimLeft(rest, ".,!?")
	for _, mark := range []string{"\"", "”", "」", "』", "»", "\n"} {
		ended = ended || strings.HasPrefix(rest, mark)
	}
	return omitted, ended || rest == ""
}

// path finds the longest end of a path that the text has and no other file of the session. A name without a dot is an
// ordinary word.
func (m *Matcher) path(path string) (Answer, *Match) {
	text, whole := m.words.lower, slashed(path)
	end := whole
	if t := m.cache.words(path); !m.mayHave(t, max(0, len(t.all)-2), len(t.all)) { // the name and its extension
		return NotTold, nil
	}
	for more := true; more; _, end, more = strings.Cut(end, "/") {
		if !strings.ContainsAny(end, "/.") {
			continue
		}
		for at := 0; ; at++ {
			i := strings.Index(text[at:], end)
			if i < 0 {
				break
			}
			at += i
			if isPath(text, at, at+len(end), end == whole) && m.only(end) {
				return Told, m.match(m.words.offset(at), m.words.offset(at+len(end)))
			}
		}
	}
	return NotTold, nil
}

// only reports whether at most one file of the session has an end.
func (m *Matcher) only(end string) bool {
	n := 0
	for _, p := range m.paths {
		if p == end || strings.HasSuffix(p, "/"+end) {
			n++
		}
	}
	return n <= 1
}

// slashed returns a path as texts are searched for it.
func slashed(path string) string {
	t := words{}
	t.fold(path)
	return strings.Trim(t.lower, "/")
}

// isPath reports whether a path there is not part of a longer name, nor, unless it is whole, the end of a longer path.
func isPath(s string, from, to int, whole bool) bool {
	if from > 1 && s[from-1] == '/' && !whole {
		if from--; s[from-1] >= utf8.RuneSelf {
			return false
		}
	}
	if from > 0 && (isName(s[from-1]) || strings.IndexByte(".~*}", s[from-1]) >= 0) {
		return false
	}
	after := strings.TrimLeft(s[to:], ".")
	return after == "" || after[0] != '/' && !isName(after[0])
}

// failedTest matches a line of output that names a failed test, of go test, pytest or cargo.
var failedTest = text.Pattern(`(?m)^\s*(?:--- FAIL: (\w+)|FAILED \S*::(\w+)|test (?:\w+::)*(\w+) \.\.\. FAILED)`)

// failed finds the name of a test that pasted output says failed.
func (m *Matcher) failed(output string) *Match {
	for _, found := range failedTest().FindAllStringSubmatch(output, -1) {
		name := strings.ToLower(found[1] + found[2] + found[3])
		at := strings.Index(m.words.lower, name)
		if at >= 0 && isPath(m.words.lower, at, at+len(name), true) {
			return m.match(m.words.offset(at), m.words.offset(at+len(name)))
		}
	}
	return nil
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
