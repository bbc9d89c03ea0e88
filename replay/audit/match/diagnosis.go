package match

import (
	"maps"
	"path"
	"regexp"
	"strings"
	"sync"
)

// diagnosis is what a compiler or linter says of a place in a file.
type diagnosis struct{ file, message, rule string }

// diagnostic is a line of it: path:line:column: message (rule), or path(line,column).
var diagnostic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([\w./@-]+\.\w+)(?::\d+(?::\d+)?:?|\(\d+,\d+\):) (?:error:? )?(.*?)(?: \(([\w-]+)\)| \[([\w-]+)\])?$`)
})

// code is the number that a compiler gives to what it says.
var code = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:error ?)?\[?([A-Z]{1,4}\d{3,5})\]?: `) })

// maxDiagnoses are how many of an error's lines are looked for.
const maxDiagnoses = 3

func diagnoses(detail string) (all []diagnosis) {
	for line := range strings.Lines(detail) {
		found := diagnostic().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if found == nil {
			continue
		}
		d := diagnosis{file: path.Base(found[1]), message: found[2], rule: found[3] + found[4]}
		if c := code().FindStringSubmatch(d.message); c != nil {
			d.rule, d.message = c[1], d.message[len(c[0]):]
		}
		if all = append(all, d); len(all) == maxDiagnoses {
			break
		}
	}
	return all
}

// The shares of what a diagnosis says that one sentence has to have.
const (
	ruled   = 0.4 // beside the rule's name
	unruled = 0.6
	headed  = 4 // words before a colon that say enough by themselves
)

// diagnosed matches a diagnosis by the rule and the file, or by what it says.
func (m *Matcher) diagnosed(d diagnosis) *Match {
	if head, _, more := strings.Cut(d.message, ": "); more && len(weighty(tokens(head))) >= headed {
		d.message = head // what comes behind it is about this place
	}
	words := weighty(tokens(d.message))
	shared := map[int]int{}   // sentence → how many of the words it has
	numbers := map[int]int{}  // of those that are numbers
	wanted := 0               // numbers in all
	named := map[int]bool{}   // it has the rule
	located := map[int]bool{} // it has the file
	in := func(t token) map[int]bool {
		where := map[int]bool{}
		for _, at := range m.summary.places(t) {
			if o := m.summary.tokens[at]; o.sentence < inCode && (t.script == exact || o.script != exact) {
				where[o.sentence] = true
			}
		}
		return where
	}
	for _, w := range words {
		number := isDigit(w.form[0])
		if number {
			wanted++
		}
		for sentence := range in(w) {
			shared[sentence]++
			if number {
				numbers[sentence]++
			}
		}
	}
	for i, t := range tokens(d.rule) {
		where := in(t)
		if i > 0 {
			maps.DeleteFunc(where, func(sentence int, _ bool) bool { return !named[sentence] })
		}
		named = where
	}
	for _, at := range m.summary.byKey[strings.ToLower(d.file)] {
		located[m.summary.tokens[at].sentence] = true
	}
	for _, s := range m.summary.spans {
		first, last := m.summary.tokens[s.from], m.summary.tokens[s.to-1]
		n := first.sentence
		share := float64(shared[n]) / float64(max(len(words), 1))
		byWords := numbers[n] == wanted && (shared[n] >= 3 && (named[n] && share >= ruled || share >= unruled) || shared[n] >= 2 && located[n] && share >= unruled)
		if named[n] && located[n] || byWords {
			return m.summary.match("words", first.from, last.to, 1)
		}
	}
	return nil
}

// conflictLines are lines in which git names a file with a conflict.
var conflictLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^CONFLICT \([^)]*\): Merge conflict in (\S+)$`) })

// conflicted finds one of the files that a merge could not join, in an entry that tells
// of conflicts or stands under one that does.
func (m *Matcher) conflicted(detail string) *Match {
	for _, found := range conflictLines().FindAllStringSubmatch(detail, maxDiagnoses) {
		file := strings.ToLower(found[1])
		for _, t := range m.summary.tokens {
			if !strings.Contains(t.form, "/") || t.form != file && !strings.HasSuffix(file, "/"+t.form) {
				continue
			}
			if m.tells(t.sentence, conflicting.has) {
				return m.summary.whole(t.sentence)
			}
		}
	}
	return nil
}
