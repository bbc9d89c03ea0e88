package match

import "strings"

// lemma returns one key for all forms of an English word: "retried" and "retry" have the same, and so have "docs" and
// "documentation". Nobody sees it.
func lemma(word string) string {
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'")
	if l, ok := lemmas[word]; ok {
		return l
	}
	s := stem(word)
	if l, ok := lemmas[s]; ok {
		return l
	}
	return s
}

// stem removes the endings of inflection. It leaves those of derivation: an importer is no import.
func stem(w string) string {
	for _, ending := range []string{"ies", "ied"} {
		if rest, ok := strings.CutSuffix(w, ending); ok && len(rest) >= 2 {
			return rest + "y"
		}
	}
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		rest, ok := strings.CutSuffix(w, ending)
		if ok && strings.HasSuffix(rest, "ss") {
			return rest
		}
		if ok && len(rest) >= 3 && !strings.HasSuffix(rest, "s") {
			if n := len(rest); n > 3 && rest[n-1] == rest[n-2] {
				rest = rest[:n-1]
			}
			return strings.TrimSuffix(rest, "e")
		}
	}
	if strings.HasSuffix(w, "ll") && len(w) > 3 { // as of pulled
		return w[:len(w)-1]
	}
	return w
}

// lemmas are irregular forms and abbreviations. A line is one word.
var lemmas = func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(`
		write wrote written
		rewrite rewrote rewritten
		run ran
		make made
		send sent
		keep kept
		read reads
		hide hidden hid
		use used uses using
		split splits splitting
		find found
		tell told
		document documentation docs doc
		implement implementation
		validate validation
		configure configuration config
		directory dir folder
		repository repo
		parameter param
		argument arg
		function func
		database db
		environment env
		authentication auth
		specification spec
		temporary temp tmp
		message msg
		remove removal
		delete deletion
		migrate migration
		create creation
		initialise initialize init
		cleanup cleanups
		lint linter
		build built compile compilation
		rebase rebased
		typecheck typechecking
	`) {
		words := strings.Fields(line)
		for _, w := range words {
			m[w], m[stem(w)] = words[0], words[0]
		}
	}
	return m
}()
