package knowledge

import (
	"math"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"journal/events/text"
	"journal/projections"
)

// longPlan is the length above which a text shows a plan or a request without the parts that are done, in UTF-16 units.
const longPlan = 3000

// openParts returns a plan or a request of the event seq without the bodies of its finished parts, and with the purpose alone of its
// background. The headings stay, and so do bodies of one line. A part is finished if tasks have its heading and all of them are
// completed. A part without tasks is finished if all files that it names were written after seq. A part that names the file written
// last is still in work, unless a check passed since. openParts returns "" for a plan up to longPlan, for one without finished
// parts, and if no file was written after seq.
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
	parts := partsOf(plan)
	reasons := backgroundOf(parts)
	var open []string
	shorter := false
	for i, part := range parts {
		named, done := tasksFor(todos, part[0])
		switch {
		case len(part) <= 2:
		case done, !named && isFinished(strings.Join(part, "\n"), written, inWork):
			part, shorter = []string{part[0], "…", ""}, true
		case reasons[i]:
			part = []string{part[0], reasonOf(part[1:]), ""}
		}
		open = append(open, part...)
	}
	if !shorter {
		return ""
	}
	return strings.Join(open, "\n")
}

// background matches the heading of a part that only says why.
var background = text.Pattern(`(?i)^(?:the )?(?:background|context|overview|motivation|rationale|problem|timing|why|(?:bug |problem )?summary|배경|개요|동기|背景|概要|動機)(?: (?:(?:and|&) )?(?:statement|reality|this|background|context|motivation|rationale|why))?$`)

// backgroundOf reports of each part whether it only says why, by its heading or that of the part around it.
func backgroundOf(parts [][]string) []bool {
	reasons := make([]bool, len(parts))
	outer := 0 // level of the heading of the background around a part, 0 for none
	for i, part := range parts {
		title := strings.TrimLeft(part[0], "#")
		level := len(part[0]) - len(title)
		if outer > 0 && level > outer {
			reasons[i] = true
			continue
		}
		outer = 0
		if level > 1 && background().MatchString(bare(title)) { // the first level has the title
			reasons[i], outer = true, level
		}
	}
	return reasons
}

// purposeUnits bounds the purpose of a plan, in UTF-16 units.
const purposeUnits = 200

// reasonOf returns the beginning of the lines of a background: the first one that is not empty, if that is prose, and an ellipsis.
func reasonOf(lines []string) string {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !isProse(line) {
			break
		}
		return strings.TrimRight(text.CutUnits(line, purposeUnits), "…") + " …"
	}
	return "…"
}

// tasksFor reports whether tasks have most words of a heading, and whether those with the most of them are all completed.
func tasksFor(todos projections.TodosState, heading string) (named, done bool) {
	words := headingWords(heading)
	best := 0.0
	for _, todo := range todos {
		share := shareOf(headingWords(todo.Text), words)
		if len(words) < 2 || share == 0 || share < best {
			continue
		}
		completed := todo.Status == "completed"
		named, done = true, completed && (done || share > best)
		best = share
	}
	return named, done
}

// shareOf returns how many words a heading and a task have in common, as a share of the shorter of the two. It is 0 for fewer than two
// words, and for less than two thirds.
func shareOf(words, others []string) float64 {
	same := 0
	for _, w := range words {
		if slices.Contains(others, w) {
			same++
		}
	}
	if shorter := min(len(words), len(others)); same > 1 && 3*same >= 2*shorter {
		return float64(same) / float64(shorter)
	}
	return 0
}

// headingWords returns the words of a heading or of a task without its number and single letters, in lower case.
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
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		part = append(part, line)
	}
	return append(parts, part)
}

// outlined returns a way to cut a text of at least four parts to some UTF-16 units. It keeps the headings and as much of the last part
// as around keeps in a third of the room. It leaves out the background first, then the ends of the longest parts. Other texts, and
// those of which the headings alone take more than half of the room, are cut by otherwise.
func outlined(otherwise func(s string, units int) string) func(s string, units int) string {
	return func(s string, units int) string {
		parts := partsOf(s)
		last := len(parts) - 1
		bodies := make([]string, len(parts))
		headings := 0
		for i, part := range parts {
			bodies[i] = strings.Join(part[1:], "\n")
			headings += text.Units(part[0]) + len("\n\n")
		}
		if last < 3 || 2*headings > units {
			return otherwise(s, units)
		}
		if text.Units(bodies[last]) > units/3 {
			bodies[last] = around(bodies[last], units/3)
		}
		shorten(bodies[:last], backgroundOf(parts), units-headings-text.Units(bodies[last]))
		for i, part := range parts {
			bodies[i] = part[0] + "\n" + bodies[i]
		}
		return strings.TrimSpace(strings.Join(bodies, "\n"))
	}
}

// shorten cuts the bodies of parts to some UTF-16 units together: those of the background to their purpose, then the longest ones.
func shorten(bodies []string, reasons []bool, units int) {
	total := func(longest int) (sum int) { // with no body longer than that
		for _, body := range bodies {
			sum += min(text.Units(body), longest)
		}
		return sum
	}
	for i := range bodies {
		if reasons[i] && total(math.MaxInt) > units {
			bodies[i] = reasonOf(strings.Split(bodies[i], "\n")) + "\n"
		}
	}
	longest := sort.Search(units, func(n int) bool { return total(n+1) > units })
	for i, body := range bodies {
		if text.Units(body) > longest {
			bodies[i] = strings.TrimRight(text.CutUnits(body, max(1, longest)), "\n") + "\n"
		}
	}
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
