package notes

import (
	"path"
	"slices"
	"strings"

	"journal/events/shell"
)

// Commanded observes the watched files that a shell command wrote, moved or removed, as
// Written does for a tool that reports its paths. It finds them by name, because the
// directory of the shell is not certain. A command that names none costs no system
// call.
func (w *Watcher) Commanded(command string) (found []File, commit func()) {
	patterns := written(command)
	if len(patterns) == 0 {
		return nil, func() {}
	}
	return w.look(func(known hints) []candidate {
		return slices.DeleteFunc(w.all(known), func(c candidate) bool {
			return !slices.ContainsFunc(patterns, func(p string) bool {
				ok, err := path.Match(p, path.Base(c.name))
				return ok && err == nil
			})
		})
	}, true)
}

// namesWatched reports whether a text may contain the name of a watched file: only then a
// shell command is parsed.
func namesWatched(s string) bool {
	for _, names := range [][]naming{projectNames, skillNames, compileNames, personNames} {
		if slices.ContainsFunc(names, func(n naming) bool { return strings.Contains(s, n.stem) }) {
			return true
		}
	}
	return false
}

// prefixes are words before a command that change nothing of which files it writes.
var prefixes = []string{"sudo", "git", "command"}

// written returns the names of watched files that a shell command writes, as patterns of
// path.Match: the targets of >, >> and tee, the files of sed -i, and those of mv, cp and
// rm. It ignores what a command prints, and here-documents.
func written(command string) (patterns []string) {
	if !namesWatched(command) {
		return nil
	}
	add := func(word string) {
		name := path.Base(strings.ReplaceAll(shell.Pattern(word), `\`, "/"))
		if namesWatched(name) && !slices.Contains(patterns, name) {
			patterns = append(patterns, name)
		}
	}
	for _, words := range shell.Commands(command) {
		var plain []string
		for i := 0; i < len(words); i++ {
			if shell.Redirects(words[i]) {
				if i++; i < len(words) {
					add(words[i])
				}
				continue
			}
			plain = append(plain, words[i])
		}
		for len(plain) > 0 && (slices.Contains(prefixes, plain[0]) || strings.Contains(plain[0], "=")) {
			plain = plain[1:]
		}
		if len(plain) == 0 {
			continue
		}
		inPlace := slices.ContainsFunc(plain[1:], func(s string) bool {
			return strings.HasPrefix(s, "-i") || s == "--in-place" || strings.HasPrefix(s, "-pi")
		})
		switch strings.ToLower(path.Base(plain[0])) {
		case "sed", "perl", "gsed":
			if !inPlace {
				continue
			}
		case "tee", "mv", "cp", "rm", "touch", "truncate", "install", "unlink",
			"set-content", "add-content", "out-file", "tee-object", "new-item", "move-item", "copy-item", "remove-item":
		default:
			continue
		}
		for _, word := range plain[1:] {
			add(word)
		}
	}
	return patterns
}
