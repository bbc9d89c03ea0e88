package notes

import (
	"path"
	"slices"
	"strings"

	"journal/events/shell"
)

// WrittenBy observes the watched files that a shell command may have written, moved or removed, without those of
// Options.Memory. It matches the files by name, because the directory of the shell is not certain. A command
// without such a name costs no system call. commit is as for All.
func (w *Watcher) WrittenBy(command string) (found []File, commit func()) {
	patterns := writtenPatterns(command)
	if len(patterns) == 0 {
		return nil, func() {}
	}
	named := func(known hints) []candidate {
		return slices.DeleteFunc(w.all(known), func(c candidate) bool {
			return !slices.ContainsFunc(patterns, func(p string) bool {
				ok, err := path.Match(p, path.Base(c.name))
				return ok && err == nil
			})
		})
	}
	return w.scan(named, true)
}

// namesWatched reports whether a text may contain the name of a watched file that is not of Options.Memory.
func namesWatched(s string) bool {
	for _, names := range [][]naming{projectNames, skillNames, compileNames, personNames} {
		if slices.ContainsFunc(names, func(n naming) bool { return strings.Contains(s, n.stem) }) {
			return true
		}
	}
	return false
}

// writtenPatterns returns the names of watched files that a shell command writes, as patterns of path.Match.
func writtenPatterns(command string) (patterns []string) {
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
