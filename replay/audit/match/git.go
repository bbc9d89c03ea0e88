package match

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// subject matches the first line of a commit's message, without its type such as fix:.
var subject = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`git (?:-C \S+ )?commit\b[^\n]*?\s(?:-m|-am|--message)[= ]\s*(?:"\$\(cat <<-?\s*['"]?\w+['"]?\n\s*|["'])(?:[a-z]+(?:\([^)]*\))?!?: )?([^\n"]+)`)
})

func subjectOf(command string) string {
	if found := subject().FindStringSubmatch(command); found != nil {
		return strings.TrimRight(found[1], "'")
	}
	return ""
}

// pasts are the past forms of git's commands, and of programs that change files.
var pasts = map[string]string{
	"push": "pushed", "pull": "pulled", "fetch": "fetched", "merge": "merged", "rebase": "rebased",
	"revert": "reverted", "stash": "stashed", "tag": "tagged", "commit": "committed",
	"rm": "removed", "mv": "moved", "mkdir": "created",
}

// deed matches a command of git, or one that changes files, by a sentence that says that it was done, with its arguments;
// one that only looks, by a sentence that says that its output was read.
func (s *summary) deed(words, ids []string) *Match {
	past := pasts[words[0]]
	var names []string
	for i, w := range words[1:] {
		name := strings.ToLower(path.Base(w))
		switch {
		case w == "--amend":
			past = "amended"
		case words[i] == "-b": // a branch is made, wherever it starts
			return s.did("created", []string{name})
		case words[i] == "--onto":
			names = []string{name}
		case silent[w], w == "--", w == "--onto", w == "--set-upstream", w == "origin", w == "HEAD", slices.Contains(words, "--onto"):
		case strings.HasPrefix(w, "--"): // pushed is not deleted
			names = append(names, w[2:])
		case strings.HasPrefix(w, "-"):
		default:
			names = append(names, name)
		}
	}
	if past == "" {
		return s.shown(words, ids)
	}
	return s.did(past, names)
}

// did finds a sentence that says that something was done to all that is named.
func (s *summary) did(past string, names []string) *Match {
	var conditions []func(token) bool
	for _, name := range names {
		conditions = append(conditions, func(t token) bool { return t.form == name || strings.HasSuffix(t.form, "/"+name) })
	}
	return s.first(s.done(lemma(past), func(t token) bool { return t.form == past && !s.polarity[t.clause].negated }), conditions...)
}

// shown matches a look by git: the summary names a commit that it shows, or says of it, or of what it shows, that it was
// read.
func (s *summary) shown(words, ids []string) *Match {
	if !gitLooks[words[0]] {
		return nil
	}
	if found := s.identified(ids); found != nil {
		return found
	}
	if words[0] == "log" && slices.ContainsFunc(words, func(w string) bool { return w == "--not" || strings.Contains(w, "..") }) {
		return s.first(s.done("commit", s.counted), ofBranch.has)
	}
	var places []int
	for from := range s.plain.find("git " + words[0]) {
		places = append(places, s.tokenAt(s.plain.from[from]))
	}
	for _, w := range words[1:] { // a branch or a file, not a file of a branch
		if words[0] == "ls" {
			w = path.Base(w)
		}
		if name := tokens(w); len(name) == 1 && name[0].script == exact && len(w) >= minName {
			places = append(places, s.byKey[name[0].form]...)
		}
	}
	places = slices.DeleteFunc(places, func(at int) bool { return s.wished(s.tokens[at].from) })
	return s.first(places, func(t token) bool {
		next := s.tokenAt(t.to)
		out := next < len(s.tokens) && s.tokens[next].form == "out" // a branch was checked out
		return looking.has(t) && (strings.HasSuffix(t.form, "ed") || t.form == "found") && !out && !s.polarity[t.clause].negated
	})
}

// ofBranch are words of a sentence that counts the commits of a branch, which the log of a range shows.
var ofBranch = lexiconOf("branch ahead behind")

// counted reports whether a number stands before a word, or before its adjective.
func (s *summary) counted(t token) bool {
	at := s.tokenAt(t.from)
	return slices.ContainsFunc(s.tokens[max(0, at-2):at], func(o token) bool { return isDigit(o.form[0]) && o.clause == t.clause })
}

// gitLooks are git's commands that change nothing, and the list of files.
var gitLooks = setOf("ls show diff log status branch blame reflog ls-tree ls-files show-ref rev-parse cat-file merge-base")

// idsIn lists the hashes of commits, and other ids like them, in a command.
func idsIn(command string) []string {
	words := strings.FieldsFunc(command, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 7 || len(w) > 40 || strings.Trim(w, "0123456789abcdef") != ""
	})
}

// identified finds one of some ids.
func (s *summary) identified(ids []string) *Match {
	for _, id := range ids {
		if found := s.first(s.done(id, func(t token) bool { return t.script == exact })); found != nil {
			return found
		}
	}
	return nil
}
