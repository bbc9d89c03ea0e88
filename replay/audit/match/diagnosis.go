package match

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// diagnosis is what a compiler or linter says of a place in a file.
type diagnosis struct {
	file     string  // its name, in lower case
	words    []token // of the message, with weight
	numbers  int     // of the words
	measured int     // of them those with a fraction: few others are like them
	rule     []token
}

// diagnostic is a line of it: path:line:column: message (rule), or path(line,column).
var diagnostic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([\w./@-]+\.\w+)(?::\d+(?::\d+)?:?|\(\d+,\d+\):) (?:error:? )?(.*?)(?: \(([\w-]+)\)| \[([\w-]+)\])?$`)
})

// maxDiagnoses are how many of an error's lines are looked for.
const maxDiagnoses = 12

func diagnoses(detail string) (all []diagnosis) {
	for line := range strings.Lines(detail) {
		found := diagnostic().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if found == nil {
			continue
		}
		message, rule := found[2], found[3]+found[4]
		if head, _, more := strings.Cut(message, ": "); more && len(weighty(tokens(head))) >= headed {
			message = head // what comes behind it is about this place
		}
		d := diagnosis{file: strings.ToLower(path.Base(found[1])), words: weighty(tokens(message)), rule: tokens(rule)}
		for _, w := range d.words {
			if isDigit(w.form[0]) {
				d.numbers++
				if strings.Contains(w.form, ".") {
					d.measured++
				}
			}
		}
		if all = append(all, d); len(all) == maxDiagnoses {
			break
		}
	}
	return all
}

// The shares of what a diagnosis says that one sentence has to have.
const (
	unruled = 0.6
	headed  = 4 // words before a colon that say enough by themselves
)

// likelyDiagnosed says whether the summary has enough of a diagnosis, wherever it stands; false is certain.
func (s *summary) likelyDiagnosed(d diagnosis) bool {
	stands := func(t token) bool { return len(s.places(t)) > 0 }
	words, numbers := 0, 0
	for _, w := range d.words {
		if stands(w) {
			words++
			if isDigit(w.form[0]) {
				numbers++
			}
		}
	}
	named := len(d.rule) > 0 && !slices.ContainsFunc(d.rule, func(t token) bool { return !stands(t) })
	return named && len(s.byKey[d.file]) > 0 || numbers == d.numbers && words >= 2
}

// diagnosed matches a diagnosis by the rule and the file, or by what it says.
func (s *summary) diagnosed(d diagnosis) *Match {
	if !s.likelyDiagnosed(d) {
		return nil
	}
	shared := map[int]int{}   // sentence → how many of the words it has
	numbers := map[int]int{}  // of those that are numbers
	named := map[int]bool{}   // it has the rule
	located := map[int]bool{} // it has the file
	in := func(t token) map[int]bool {
		where := map[int]bool{}
		for _, at := range s.places(t) {
			if o := s.tokens[at]; o.sentence < inCode && (t.script == exact || o.script != exact) {
				where[o.sentence] = true
			}
		}
		return where
	}
	for _, w := range d.words {
		for sentence := range in(w) {
			shared[sentence]++
			if isDigit(w.form[0]) {
				numbers[sentence]++
			}
		}
	}
	for i, t := range d.rule {
		where := in(t)
		if i > 0 {
			maps.DeleteFunc(where, func(sentence int, _ bool) bool { return !named[sentence] })
		}
		named = where
	}
	for _, at := range s.byKey[d.file] {
		located[s.tokens[at].sentence] = true
	}
	for _, at := range s.spans {
		first, last := s.tokens[at.from], s.tokens[at.to-1]
		n := first.sentence
		share := float64(shared[n]) / float64(max(len(d.words), 1))
		byWords := numbers[n] == d.numbers && (d.measured >= 2 || shared[n] >= 3 && share >= unruled || shared[n] >= 2 && located[n] && share >= unruled)
		if named[n] && located[n] || byWords {
			return s.match("words", first.from, last.to, 1)
		}
	}
	return nil
}

// conflictLines are lines in which git names a file with a conflict.
var conflictLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^CONFLICT \([^)]*\): Merge conflict in (\S+)$`) })

// conflicts lists the files of a merge that could not join them.
func conflicts(detail string) (files []string) {
	for _, found := range conflictLines().FindAllStringSubmatch(detail, maxDiagnoses) {
		files = append(files, strings.ToLower(found[1]))
	}
	return files
}

// conflicted finds one of the files that a merge could not join, in an entry that tells
// of conflicts or stands under one that does.
func (s *summary) conflicted(files []string) *Match {
	for _, file := range files {
		for _, t := range s.tokens {
			if !strings.Contains(t.form, "/") || t.form != file && !strings.HasSuffix(file, "/"+t.form) {
				continue
			}
			if s.tells(t.sentence, conflicting.has) {
				return s.whole(t.sentence)
			}
		}
	}
	return nil
}
