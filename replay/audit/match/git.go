package match

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	"rm": "removed", "mv": "moved",
}

// deed matches a command of git, or one that changes files, by a sentence that says that it was done, with its arguments;
// one that only looks, by a sentence that says that its output was read.
func (s *summary) deed(words []string) *Match {
	past := pasts[words[0]]
	var names []string
	for i, w := range words[1:] {
		name := strings.ToLower(path.Base(w))
		switch {
		case w == "--amend":
			past = "amended"
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
	if past == "" { // it only looks
		var places []int
		for from := range s.plain.find("git " + words[0]) {
			if at := s.plain.from[from]; !s.wished(at) {
				places = append(places, s.tokenAt(at))
			}
		}
		return s.first(places, func(t token) bool { return looking.has(t) && (strings.HasSuffix(t.form, "ed") || t.form == "found") })
	}
	var conditions []func(token) bool
	for _, name := range names {
		conditions = append(conditions, func(t token) bool { return t.form == name || strings.HasSuffix(t.form, "/"+name) })
	}
	return s.first(s.done(lemma(past), func(t token) bool { return t.form == past && !s.polarity[t.clause].negated }), conditions...)
}
