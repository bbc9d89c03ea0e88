package match

import (
	"regexp"
	"slices"
	"strings"

	"journal/events/text"
)

const (
	minQuoted = 4 // words of a quotation of a longer text
	// minUnmarked is the least share of a text's words in a quotation that ends within a sentence, and has no mark of omission after it.
	minUnmarked = 0.75
)

// Text after a quotation: a mark that words were left out, or the end of the quotation or the line.
var (
	omitted = text.Pattern("^[ ,.:*`]*(?:…|\\[)|^[ ,:*`]*\\.\\.")
	ended   = text.Pattern(`^[.,!?]*(?:["”」』»\n]|$)`)
)

// exact finds the words of a text of at least two words, one after the other. The verdict is also Found for a quotation: a beginning
// of at least four words that a mark of omission follows. The end of a quotation or of a line may follow instead, if the beginning
// ends where a sentence of the text ends, or has three quarters of the text's words. Any other beginning of four words is Unclear.
func (m *Matcher) exact(t *words) (verdict Verdict, match *Match) {
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
			if n < minQuoted && n < len(t.all) || n <= longest {
				continue
			}
			longest, match = n, m.match(all[i].from, all[i+n-1].to)
			match.Share = 100 * n / len(t.all)
			if n == len(t.all) {
				return Found, match
			}
			complete := t.all[n].sentence != t.all[n-1].sentence || float64(n) >= minUnmarked*float64(len(t.all))
			if rest := m.text[match.To:]; omitted().MatchString(rest) || complete && ended().MatchString(rest) {
				return Found, match
			}
			verdict = Unclear
		}
	}
	return verdict, match
}

// path finds the longest end of a path that is in the text and that no other path of the session has. It does not look for an end
// without a dot or a slash, which may be an ordinary word.
func (m *Matcher) path(path string) (Verdict, *Match) {
	whole := foldedPath(path)
	end, more := whole, true
	for more {
		if strings.ContainsAny(end, "/.") && m.isUnique(end) {
			if match := m.name(end, end == whole); match != nil {
				return Found, match
			}
		}
		_, end, more = strings.Cut(end, "/")
	}
	return NotFound, nil
}

// isUnique reports whether at most one path of the session ends with the names in end.
func (m *Matcher) isUnique(end string) bool {
	hasEnd := func(p string) bool { return p == end || strings.HasSuffix(p, "/"+end) }
	i := slices.IndexFunc(m.paths, hasEnd)
	return !slices.ContainsFunc(m.paths[i+1:], hasEnd)
}

// foldedPath returns a path in the form in which it is compared with texts.
func foldedPath(path string) string {
	lower, _ := folded(path)
	return strings.Trim(lower, "/")
}

// name finds a name that is not a part of a longer name. Unless whole is set, it must not be the end of a longer path either, but may
// stand behind a slash that begins a path.
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

// failedTest matches the line in which go test, pytest or cargo names a failed test.
var failedTest = text.Pattern(`(?m)^\s*(?:--- FAIL: (\w+)|FAILED \S*::(\w+)|test (?:\w+::)*(\w+) \.\.\. FAILED)`)

// failed finds the name of a test that failed according to pasted output.
func (m *Matcher) failed(output string) (Verdict, *Match) {
	for _, found := range failedTest().FindAllStringSubmatch(output, -1) {
		if match := m.name(strings.ToLower(found[1]+found[2]+found[3]), true); match != nil {
			return Found, match
		}
	}
	return NotFound, nil
}
