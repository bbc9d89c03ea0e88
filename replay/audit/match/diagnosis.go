package match

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// diagnosis is a line of an error that names a file.
type diagnosis struct {
	file  string  // base name, in lower case
	words []token // of the message, with weight
	rule  []token

	coded    bool // a message of a compiler or linter about a line of the file
	conflict bool // of a merge
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
			words := weighty(tokens(line))
			if i := slices.IndexFunc(words, isFile); i >= 0 {
				all = append(all, diagnosis{file: path.Base(words[i].form), words: distinct(slices.Delete(words, i, i+1)), conflict: strings.HasPrefix(line, "CONFLICT ")})
			}
			continue
		}
		message, rule := found[2], found[3]+found[4]
		switch head, _, more := strings.Cut(message, ": "); {
		case more && len(weighty(tokens(head))) >= headed:
			message = head
		case more && !strings.Contains(head, " "):
			rule = head // the name of a check
		}
		message, _, _ = strings.Cut(message, ". ") // advice follows
		d := diagnosis{file: strings.ToLower(path.Base(found[1])), words: distinct(weighty(tokens(message))), rule: tokens(rule), coded: true}
		if all = append(all, d); len(all) == maxDiagnoses {
			break
		}
	}
	return all
}

// isFile reports whether a word is a file's path.
func isFile(t token) bool { return t.script == exact && path.Ext(t.form) != "" && !isDigit(t.form[0]) }

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

// diagnosed matches a diagnosis by the rule and the file, or by most of what it says.
func (s *summary) diagnosed(d diagnosis, tasks []simple) *Match {
	named, shared, files := s.having(d.rule), s.having(d.words), map[int]int{}
	for _, at := range s.byKey[d.file] {
		if n := s.tokens[at].sentence; n < inCode {
			files[n] = 1
		}
	}
	located := func(n int) bool {
		return files[n] > 0 || slices.ContainsFunc(s.above[n], func(up int) bool { return files[up] > 0 })
	}
	told := func(n int) bool {
		if located(n) && (d.conflict && s.about(n, true, conflicting.has) || (shared[n] > 1 || s.tasked(n, tasks)) && s.about(n, true, isFault)) {
			return true
		}
		byRule := len(d.rule) > 0 && named[n] == len(d.rule) && (located(n) || s.faults(n, path.Ext(d.file)))
		most := float64(shared[n]) >= told*float64(len(d.words)) && (shared[n] >= 3 || shared[n] == 2 && located(n))
		return d.coded && (byRule || most)
	}
	first := inCode
	for _, of := range []map[int]int{shared, named, files} {
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

// tasked reports whether a sentence names the task of one of some commands.
func (s *summary) tasked(n int, commands []simple) bool {
	return slices.ContainsFunc(s.sentence(n), func(t token) bool {
		return slices.ContainsFunc(commands, func(c simple) bool { return c.key == t.key })
	})
}
