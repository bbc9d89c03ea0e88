package match

import (
	"regexp"
	"slices"
	"strings"

	"journal/events/text"
)

const (
	leastQuoted = 4    // words of a quotation that stands for a longer text
	mostly      = 0.75 // least share of the words that a quotation without a mark of omission must have
)

// omitted and ended match what follows a quotation: a mark that words were left out, or the end of quoted words or a line.
var (
	omitted = text.Pattern("^[ ,.:*`]*(?:…|\\[)|^[ ,:*`]*\\.\\.")
	ended   = text.Pattern(`^[.,!?]*(?:["”」』»\n]|$)`)
)

// exact finds the words of a text, at least two and one after the other. Its beginning tells it where the summary marks
// that it left out the rest, or where a quotation or a line ends with a sentence of it. Any other beginning of four words
// is Unclear.
func (m *Matcher) exact(t *words) (answer Answer, match *Match) {
	if len(t.all) < 2 || len(t.all[0].grams) == 0 {
		return NotFound, nil
	}
	all, longest := m.words.all, 0
	for _, s := range m.sentencesOf(t.all[0].grams[0]) {
		for i := m.begin(s); i < m.ends[s]; i++ {
			n := 0
			for n < len(t.all) && i+n < len(all) && slices.Equal(all[i+n].grams, t.all[n].grams) {
				n++
			}
			if n < leastQuoted && n < len(t.all) || n <= longest {
				continue
			}
			longest, match = n, m.match(all[i].from, all[i+n-1].to)
			match.Share = 100 * n / len(t.all)
			if n == len(t.all) {
				return Found, match
			}
			border := t.all[n].sentence != t.all[n-1].sentence || float64(n) >= mostly*float64(len(t.all))
			if rest := m.text[match.To:]; omitted().MatchString(rest) || border && ended().MatchString(rest) {
				return Found, match
			}
			answer = Unclear
		}
	}
	return answer, match
}

// path finds the longest end of a path that the text has and no other file of the session. A name without a dot is an
// ordinary word.
func (m *Matcher) path(path string) (Answer, *Match) {
	whole := slashed(path)
	for end, more := whole, true; more; _, end, more = strings.Cut(end, "/") {
		if !strings.ContainsAny(end, "/.") || !m.only(end) {
			continue
		}
		if match := m.name(end, end == whole); match != nil {
			return Found, match
		}
	}
	return NotFound, nil
}

// only reports whether at most one file of the session has an end.
func (m *Matcher) only(end string) bool {
	having := func(p string) bool { return p == end || strings.HasSuffix(p, "/"+end) }
	i := slices.IndexFunc(m.paths, having)
	return !slices.ContainsFunc(m.paths[i+1:], having)
}

// slashed returns a path as texts are searched for it.
func slashed(path string) string {
	lower, _ := folded(path)
	return strings.Trim(lower, "/")
}

// name finds a name that is not part of a longer one, nor, unless it is whole, the end of a longer path.
func (m *Matcher) name(name string, whole bool) *Match {
	if !strings.Contains(m.words.lower, name) {
		return nil
	}
	before := `(?:^|[^\w.~*}/-]|(?:^|[^\w.~*}/\x{80}-\x{10ffff}-])/)`
	if whole {
		before = `(?:^|[^\w.~*}-])`
	}
	at := regexp.MustCompile(before + "(" + regexp.QuoteMeta(name) + `)\.*(?:$|[^./\w-])`).FindStringSubmatchIndex(m.words.lower)
	if at == nil {
		return nil
	}
	return m.match(m.words.origin[at[2]], m.words.origin[at[3]])
}

// failedTest matches a line of output that names a failed test, of go test, pytest or cargo.
var failedTest = text.Pattern(`(?m)^\s*(?:--- FAIL: (\w+)|FAILED \S*::(\w+)|test (?:\w+::)*(\w+) \.\.\. FAILED)`)

// failed finds the name of a test that pasted output says failed.
func (m *Matcher) failed(output string) (Answer, *Match) {
	for _, found := range failedTest().FindAllStringSubmatch(output, -1) {
		if match := m.name(strings.ToLower(found[1]+found[2]+found[3]), true); match != nil {
			return Found, match
		}
	}
	return NotFound, nil
}
