package audit

import (
	"strings"
	"unicode"

	"journal/replay/knowledge"
)

// failure matches a command that failed: what it said has to be there, and
// within a few sentences the command or an argument of it that no other failure
// with these words has.
func (m *matcher) failure(it *candidate) *Match {
	whole, arguments := m.command(it.text), m.arguments(it)
	for line := range strings.Lines(it.detail) {
		what := strings.TrimSpace(strings.ReplaceAll(plainOf(line).text, "\n", " "))
		if len(what) < 2 {
			continue
		}
		for from, to := range m.summary.plain.find(what) {
			p := m.summary.plain
			if isNameByte(p.byteAt(from-1)) || isNameByte(p.byteAt(to)) {
				continue
			}
			match := m.summary.match("command", p.from[from], p.to[to-1], 1)
			if m.close(match, whole) {
				return match
			}
			if weak(what) {
				continue
			}
			for _, arg := range arguments {
				for f, t := range p.find(arg) {
					if isNameByte(p.byteAt(f-1)) || isNameByte(p.byteAt(t)) || p.byteAt(t) == '/' {
						continue
					}
					if at := m.summary.match("command", p.from[f], p.to[t-1], 1); m.close(match, at) {
						return match
					}
				}
			}
		}
	}
	return nil
}

// weak says whether a line of an error is one that any command can end with.
func weak(line string) bool {
	letters := strings.TrimFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) })
	return letters == "" || letters == "fail" || letters == "failed" || letters == "error" || strings.HasPrefix(letters, "exit status") || strings.HasPrefix(letters, "exit code")
}

// reach is how far from the words of an error its command may be named, in
// bytes.
const reach = 300

func (m *matcher) close(a, b *Match) bool {
	return a != nil && b != nil && a.From-b.To <= reach && b.From-a.To <= reach
}

// arguments lists the arguments of a failed command that say which one it was.
func (m *matcher) arguments(it *candidate) []string {
	var out []string
	words := strings.Fields(plainOf(it.text).text)
	for _, w := range words[min(1, len(words)):] {
		w = strings.Trim(w, `'"`)
		if strings.HasPrefix(w, "-") || len(w) < 4 || m.shared(it, w) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// shared says whether another failed command has the argument too.
func (m *matcher) shared(it *candidate, arg string) bool {
	for _, o := range m.items {
		if o != it && o.match == knowledge.ByFailure && o.text != it.text && strings.Contains(o.text, arg) {
			return true
		}
	}
	return false
}
