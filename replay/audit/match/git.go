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
var pasts = map[string]map[string]bool{
	"push": setOf("pushed"), "pull": setOf("pulled"), "fetch": setOf("fetched"), "merge": setOf("merged"), "rebase": setOf("rebased"),
	"revert": setOf("reverted"), "stash": setOf("stashed"), "tag": setOf("tagged"), "checkout": setOf("checked reverted restored switched"),
	"restore": setOf("restored reverted"), "rm": setOf("removed deleted"), "mv": setOf("moved renamed"), "cp": setOf("copied"),
}

// deed matches a command of git, or one that changes files, by a sentence that says that it was done, with its arguments.
func (s *summary) deed(words []string) *Match {
	past := pasts[words[0]]
	var names []string
	for i, w := range words[1:] {
		name := strings.ToLower(path.Base(w))
		switch {
		case w == "--amend":
			past = setOf("amended")
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
	var conditions []func(token) bool
	for _, name := range names {
		conditions = append(conditions, func(t token) bool { return t.form == name || strings.HasSuffix(t.form, "/"+name) })
	}
	var places []int
	for form := range past {
		places = append(places, s.done(lemma(form), func(t token) bool { return t.form == form && !s.polarity[t.clause].negated })...)
	}
	slices.Sort(places)
	return s.first(places, conditions...)
}

// looked matches a command of git that looks at commits by what the summary says of one of them, or by a sentence that
// says that git was asked and what it showed.
func (s *summary) looked(words []string) *Match {
	for _, hash := range hash().FindAllString(strings.Join(words[1:], " "), -1) {
		for from, to := range s.plain.find(hash[:shortHash]) {
			if at := s.plain.from[from]; !isNameByte(s.plain.byteAt(from-1)) && !s.wished(at) {
				return s.match("command", at, s.plain.to[to-1], 1)
			}
		}
	}
	if pasts[words[0]] != nil || words[0] == "commit" {
		return nil
	}
	for from := range s.plain.find("git " + words[0]) {
		if at := s.plain.from[from]; !s.wished(at) && s.says(at, viewed) {
			return s.whole(s.sentenceAt(at))
		}
	}
	return nil
}

func viewed(t token) bool { return viewing[t.form] }

var viewing = setOf("ran read examined reviewed checked searched explored inspected investigated analyzed looked verified found showed shows")

// hash matches the hash of a commit, whole or shortened.
var hash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{7,40}\b`) })

// shortHash is how many characters git shows of a hash.
const shortHash = 7
