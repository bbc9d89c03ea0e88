package knowledge

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"journal/events/text"
	"journal/projections"
)

// longPlan is the length above which a text shows a plan or a request without the parts that are done, in UTF-16 units.
const longPlan = 3000

// openParts returns a plan or a request of the event seq without the bodies of its finished parts; their headings stay. A
// part is finished if tasks have its heading and all of them are completed. A part without tasks is finished if all files that it
// names were written after seq. A part that names the file written last is still in work, unless a check passed since. openParts
// returns "" for a plan up to longPlan, and for one without finished parts.
func openParts(f *projections.Fold, plan string, seq uint64) string {
	if text.Units(plan) <= longPlan {
		return ""
	}
	written := editsOf(f).after(seq)
	if len(written) == 0 {
		return ""
	}
	inWork, todos := written[0].Path, projections.Todos.In(f)
	if checkPassedAfter(f, written[0].WrittenSeq) {
		inWork = ""
	}
	var open []string
	shorter := false
	for _, part := range partsOf(plan) {
		named, done := tasksFor(todos, part[0])
		if len(part) > 2 && (done || !named && isFinished(strings.Join(part, "\n"), written, inWork)) {
			part, shorter = []string{part[0], "…", ""}, true
		}
		open = append(open, part...)
	}
	if !shorter {
		return ""
	}
	return strings.Join(open, "\n")
}

// tasksFor reports whether tasks have most words of a heading, and whether all of these are completed.
func tasksFor(todos projections.TodosState, heading string) (named, done bool) {
	words := headingWords(heading)
	done = true
	for _, todo := range todos {
		if len(words) < 2 || !haveMost(headingWords(todo.Text), words) {
			continue
		}
		named = true
		done = done && todo.Status == "completed"
	}
	return named, named && done
}

// haveMost reports whether some words are most of others, or the other way round.
func haveMost(words, others []string) bool {
	same := 0
	for _, w := range words {
		if slices.Contains(others, w) {
			same++
		}
	}
	return same > 1 && 3*same >= 2*min(len(words), len(others))
}

// headingWords returns the words of a heading or of a task without its number, in lower case.
func headingWords(heading string) (words []string) {
	for _, w := range wordsOf(strings.ToLower(heading)) {
		if w != "step" && w != "phase" && strings.Trim(w, "0123456789") != "" && utf8.RuneCountInString(w) > 1 {
			words = append(words, w)
		}
	}
	return words
}

// partsOf splits a text at its headings, into the lines of each part. Lines before the first heading are a part too.
func partsOf(markdown string) (parts [][]string) {
	var part []string
	fenced := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\r\n")
		if !fenced && strings.HasPrefix(line, "#") && len(part) > 0 {
			parts, part = append(parts, part), nil
		}
		fenced = fenced != strings.HasPrefix(strings.TrimSpace(line), "```")
		part = append(part, line)
	}
	return append(parts, part)
}

// fileName matches a word that may be the name of a file.
var fileName = text.Pattern(`[\w./~-]*\w\.\w{1,6}\b`)

// isFinished reports whether a part of a plan is finished: it names files, all of them are in written, and none is inWork. A
// word counts as the name of a file if a written file has the same extension.
func isFinished(part string, written []projections.FileState, inWork string) bool {
	named := false
	for _, name := range fileName().FindAllString(part, -1) {
		sameExtension := func(f projections.FileState) bool { return path.Ext(f.Path) == path.Ext(name) }
		if !slices.ContainsFunc(written, sameExtension) {
			continue
		}
		name = strings.TrimLeft(strings.TrimPrefix(name, "./"), "~")
		matches := func(file string) bool {
			return file == name || strings.HasSuffix(file, "/"+strings.TrimLeft(name, "/"))
		}
		if matches(inWork) || !slices.ContainsFunc(written, func(f projections.FileState) bool { return matches(f.Path) }) {
			return false
		}
		named = true
	}
	return named
}
