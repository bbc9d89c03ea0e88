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

// written returns the names of watched files that a shell command writes, as patterns of path.Match. It ignores a
// command's output, and here-documents.
func written(command string) (patterns []string) {
	if !namesWatched(command) {
		return nil
	}
	for _, words := range shell.Commands(command) {
		for _, word := range shell.Written(words) {
			name := path.Base(strings.ReplaceAll(shell.Pattern(word), `\`, "/"))
			if namesWatched(name) && !slices.Contains(patterns, name) {
				patterns = append(patterns, name)
			}
		}
	}
	return patterns
}
