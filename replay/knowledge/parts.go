package knowledge

import (
	"path"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// longPlan is the length above which a text shows a plan without the parts that are done, in UTF-16 units.
const longPlan = 3000

// openParts returns a long plan without the bodies of the parts whose files were all written after it: their headings
// stay. A part that names the file written last is in work, unless a check passed since. openParts returns "" for a short
// plan, and for one without such parts.
func openParts(f *projections.Fold, plan string, seq uint64) string {
	if text.Units(plan) <= longPlan {
		return ""
	}
	written := writtenAfter(f, seq)
	if len(written.paths) == 0 {
		return ""
	}
	var open []string
	shorter := false
	for _, part := range partsOf(plan) {
		if len(part) > 2 && written.has(strings.Join(part, "\n")) {
			part, shorter = []string{part[0], "…", ""}, true
		}
		open = append(open, part...)
	}
	if !shorter {
		return ""
	}
	return strings.Join(open, "\n")
}

// partsOf splits a text into the lines of its parts: each begins with a heading, but for the lines before the first.
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

// writtenFiles are files written after an event.
type writtenFiles struct {
	paths  []string
	inWork string // the newest; empty if a check passed after it was written
}

func writtenAfter(f *projections.Fold, seq uint64) (w writtenFiles) {
	all := editsOf(f).after(seq)
	for _, file := range all {
		w.paths = append(w.paths, file.Path)
	}
	if len(all) > 0 && !checkedAfter(f, all[0].WrittenSeq) {
		w.inWork = all[0].Path
	}
	return w
}

// fileName matches what may be the name of a file.
var fileName = text.Pattern(`[\w./~-]*\w\.\w{1,6}\b`)

// has reports whether a part of a plan names files that were all written, and not the one in work. A name is one of a file
// if a written file has the same extension.
func (w writtenFiles) has(part string) bool {
	named := false
	for _, name := range fileName().FindAllString(part, -1) {
		sameKind := func(file string) bool { return path.Ext(file) == path.Ext(name) }
		if !slices.ContainsFunc(w.paths, sameKind) {
			continue
		}
		name = strings.TrimLeft(strings.TrimPrefix(name, "./"), "~")
		matches := func(file string) bool {
			return file == name || strings.HasSuffix(file, "/"+strings.TrimLeft(name, "/"))
		}
		if matches(w.inWork) || !slices.ContainsFunc(w.paths, matches) {
			return false
		}
		named = true
	}
	return named
}
