package match

import (
	"slices"
	"strings"

	"journal/events/text"
)

// showed matches a command by what it printed: a commit by its hash, and a look at data by values that nothing else of the
// session has. Names of files and branches are no values: much else tells them.
func (m *Matcher) showed(i int, is *commandText) *Match {
	it, s := m.items[i], m.summary
	if is.subject != "" && strings.Contains(it.detail, "] ") { // else the pattern, which is slow, cannot match
		if committed := commitHash().FindStringSubmatch(it.detail); committed != nil {
			return s.first(s.done(committed[1], func(token) bool { return true }))
		}
	}
	if slices.ContainsFunc(is.deeds, func(d deed) bool {
		return d.kind != looks && d.purpose != anyRun || d.runner == "git" || listing[d.runner]
	}) {
		return nil
	}
	own, shared := map[int]int{}, map[int]int{} // sentence → values that only this item has, and that few have
	values := slices.DeleteFunc(slices.Clone(m.keep.values(it.detail)), func(v string) bool { return m.holders(v) > few })
	alone := len(values) <= few
	for _, v := range values {
		for _, at := range s.byKey[v] {
			n := s.tokens[at].sentence
			if n >= inCode || s.wished(s.tokens[at].from) {
				continue
			}
			if shared[n]++; m.holders(v) == 1 {
				own[n]++
			}
			if shared[n] > 2 || own[n] > 1 || own[n] > 0 && alone {
				return s.whole(n)
			}
		}
	}
	return nil
}

// few is how many items may have a value that tells one of them together with others, and how many values an output has if
// a single one tells it.
const few = 4

// listing are programs whose output names files, or shows lines of them.
var listing = setOf("ls dir find fd tree du grep egrep rg cat head tail less sed awk wc diff")

// commitHash matches what git says of a new commit: [branch hash] subject.
var commitHash = text.Pattern(`(?m)^\[[^\]\n]* ([0-9a-f]{7,})\] `)

// holders returns how many items have a value in what they say or printed, and twice the item that has it in both.
func (m *Matcher) holders(value string) int {
	if m.valued == nil {
		m.valued = map[string]int{}
		for _, it := range m.items {
			for _, v := range slices.Concat(m.keep.values(it.text), m.keep.values(it.detail)) {
				if len(m.summary.byKey[v]) > 0 {
					m.valued[v]++
				}
			}
		}
	}
	return m.valued[value]
}

const (
	maxOutput = 4000 // bytes of a text that are searched for values
	minValue  = 4    // bytes of a value
)

// values lists the numbers, times, addresses and fields in a text, in lower case, each once.
func (v *Vocabulary) values(text string) []string { return kept(&v.printed, text, valuesIn) }

func valuesIn(text string) (all []string) {
	text = text[:min(len(text), maxOutput)]
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r >= 0x80 || !isNameByte(byte(r)) && !strings.ContainsRune("./:@", r)
	}) {
		word = strings.Trim(word, "./:-")
		if len(word) < minValue || !strings.ContainsAny(word, "0123456789_@") || word[0] == '_' || strings.Contains(word, "/") ||
			!strings.Contains(word, "@") && isFile(token{script: exact, form: word}) {
			continue
		}
		if word = strings.ToLower(word); !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}
