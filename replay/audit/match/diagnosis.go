package match

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// diagnosis is a message of a compiler or linter about a line of a file.
type diagnosis struct {
	file    string  // base name, in lower case
	words   []token // of the message, with weight
	numbers []token // those of words
	rule    []token
}

// diagnostic matches path:line:column: message (rule), and path(line,column).
var diagnostic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[[\w:-]+\] |(?:error|warning|info) - )?([\w./@-]+\.\w+)(?::\d+(?::\d+)?:?|\(\d+,\d+\):) (?:- )?(?:error:? )?(.*?)(?: \(([\w-]+)\)| \[([\w-]+)\])?$`)
})

// maxDiagnoses is how many messages of an error are matched.
const maxDiagnoses = 12

// headed is how many words before a colon say enough. The words after it are about this place only.
const headed = 4

func diagnoses(detail string) (all []diagnosis) {
	for line := range strings.Lines(detail) {
		found := diagnostic().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if found == nil {
			continue
		}
		message, rule := found[2], found[3]+found[4]
		if head, _, more := strings.Cut(message, ": "); more && len(weighty(tokens(head))) >= headed {
			message = head
		}
		message, _, _ = strings.Cut(message, ". ") // advice follows
		d := diagnosis{file: strings.ToLower(path.Base(found[1])), words: distinct(weighty(tokens(message))), rule: tokens(rule)}
		for _, w := range d.words {
			if isDigit(w.form[0]) {
				d.numbers = append(d.numbers, w)
			}
		}
		if all = append(all, d); len(all) == maxDiagnoses {
			break
		}
	}
	return all
}

// distinct removes the tokens whose key an earlier one has.
func distinct(all []token) (some []token) {
	for _, t := range all {
		if !slices.ContainsFunc(some, func(o token) bool { return o.key == t.key }) {
			some = append(some, t)
		}
	}
	return some
}

// told is the share of a message's words that a sentence must have.
const told = 0.6

// diagnosed matches a diagnosis by the rule and the file, by two measured numbers, or by most of what it says.
func (s *summary) diagnosed(d diagnosis) *Match {
	there := 0
	for _, w := range d.words {
		if len(s.places(w)) > 0 {
			there++
		}
	}
	named := s.having(d.rule)
	if len(named) == 0 && (there < 2 || float64(there) < told*float64(len(d.words)) && len(d.numbers) < 2) {
		return nil
	}
	shared, numbers := s.having(d.words), s.having(d.numbers)
	located := func(n int) bool {
		return slices.ContainsFunc(s.byKey[d.file], func(at int) bool {
			in := s.tokens[at].sentence
			return in == n || slices.Contains(s.above[n], in)
		})
	}
	measured := len(slices.DeleteFunc(slices.Clone(d.numbers), func(t token) bool { return !strings.Contains(t.form, ".") }))
	told := func(n int) bool {
		byRule := len(d.rule) > 0 && named[n] == len(d.rule) && (located(n) || s.faults(n, path.Ext(d.file)))
		most := float64(shared[n]) >= told*float64(len(d.words)) && (shared[n] >= 3 || shared[n] == 2 && located(n))
		return byRule || numbers[n] == len(d.numbers) && (measured >= 2 || most)
	}
	first := inCode
	for _, of := range []map[int]int{shared, named} {
		for n := range of {
			if n < first && told(n) {
				first = n
			}
		}
	}
	if first == inCode {
		return nil
	}
	return s.whole(first)
}

// faults reports whether a sentence or a line above it says that something is wrong, and the sentence names no file with
// the extension.
func (s *summary) faults(n int, kind string) bool {
	file := func(t token) bool { return strings.HasSuffix(t.form, kind) }
	return !slices.ContainsFunc(s.sentence(n), file) && s.about(n, true, isFault)
}

// having counts, for each sentence of prose, how many of the words it has. Names must be equal.
func (s *summary) having(words []token) map[int]int {
	count := map[int]int{}
	for _, w := range words {
		last := -1
		for _, at := range s.places(w) {
			if in := s.tokens[at].sentence; in < inCode && in != last && (w.script != exact || s.tokens[at].form == w.form) {
				count[in]++
				last = in
			}
		}
	}
	return count
}

// conflictLines matches git's lines about files with conflicts.
var conflictLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^CONFLICT \([^)]*\): Merge conflict in (\S+)$`) })

// conflicts lists the files with conflicts.
func conflicts(detail string) (files []string) {
	for _, found := range conflictLines().FindAllStringSubmatch(detail, maxDiagnoses) {
		files = append(files, strings.ToLower(found[1]))
	}
	return files
}

// conflicted finds one of the files in a sentence about conflicts, or below a line about conflicts.
func (s *summary) conflicted(files []string) *Match {
	for _, file := range files {
		for _, at := range s.byKey[path.Base(file)] {
			t := s.tokens[at]
			if (t.form == file || strings.HasSuffix(file, "/"+t.form)) && s.about(t.sentence, true, conflicting.has) {
				return s.whole(t.sentence)
			}
		}
	}
	return nil
}
