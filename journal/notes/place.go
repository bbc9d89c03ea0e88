package notes

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// place is one watched directory.
type place struct {
	base  string // links may lead only to files below base
	dir   string // path of the directory below base, with slashes; "." is base itself
	names []naming
	deep  bool // files of the directories directly in this one are watched too
}

// path returns the path of the directory.
func (p place) path() string { return filepath.Join(p.base, filepath.FromSlash(p.dir)) }

// inner returns the place for a directory that is directly in p.
func (p place) inner(name string) place {
	return place{base: p.base, dir: p.dir + "/" + name, names: p.names}
}

// placeOf returns the place for a directory that is p's or, if p is deep, directly in p's. ok is false for another directory.
func (p place) placeOf(dir string) (found place, ok bool) {
	if p.deep && !sameDir(dir, p) {
		return p.inner(filepath.Base(dir)), sameDir(filepath.Dir(dir), p)
	}
	return p, sameDir(dir, p)
}

// places returns the watched directories: those of the project at root, of the person at home, and of the agent's client
// (memory), and those that the person configured (more).
func places(root, home string, more []string, memory []Memory) []place {
	all := []place{
		{base: root, dir: ".claude/context", names: projectNames},
		{base: root, dir: "docs/plans", names: skillNames},
		{base: root, dir: ".claude/tmp", names: compileNames, deep: true},
	}
	if home != "" {
		all = append(all, place{base: home, dir: ".claude/learnings", names: personNames})
	}
	for _, m := range memory {
		p := place{base: root, dir: ".", names: []naming{{pattern: m.Names, kind: events.MemoryFile}}}
		if m.Dir != "" {
			p.base, p.dir = home, strings.ReplaceAll(m.Dir, "{project}", notPlain().ReplaceAllString(root, "-"))
		}
		if p.base != "" {
			all = append(all, p)
		}
	}
	for _, dir := range more {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		all = append(all, place{base: filepath.Clean(dir), dir: ".", names: moreNames})
	}
	return all
}

// notPlain matches the characters that a client replaces by "-" in the name of a project's folder.
var notPlain = text.Pattern(`[^a-zA-Z0-9]`)

// Memory is a folder of files that a client keeps for its model, or a file of instructions in the project's root.
type Memory struct {
	Dir    string // below the person's home; {project} is the client's name of the project; empty for the project's root
	Names  string // pattern of path.Match
	Loaded string // name of the file whose beginning the client itself loads into the model's context
	Lines  int    // the number of lines that the client loads; 0 for all
}

// naming is a pattern of file names, and the kind of these files.
type naming struct {
	pattern string // of path.Match
	stem    string // a part of every such name, so that a command without a stem need not be parsed; empty for a Memory
	kind    string
}

// The names of watched files, by their places (docs/FILES.md §S1–§S3). No other file in the context
// folder is knowledge (S1.14).
var (
	projectNames = []naming{
		{"progress.md", "progress.md", events.FlowFile},
		{"task_plan.md", "task_plan.md", events.PlanFile},
		{"compound-last-run.json", "compound-last-run.json", events.CompoundFile},
		{"learnings.md", "learnings", events.OtherFile},
		stockNaming,
	}
	stockNaming = naming{"learnings-*.md", "learnings", events.StockFile}
	skillNames  = []naming{
		{".cpm-progress.md", ".cpm-progress", events.SkillFile},
		{".cpm-progress-*.md", ".cpm-progress", events.SkillFile},
	}
	compileNames = []naming{
		{"compile-*.json", "compile-", events.CompileFile},
		{"*-compile-*.json", "compile-", events.CompileFile},
	}
	personNames = []naming{{"global-learnings.md", "learnings", events.StockFile}, stockNaming}
	moreNames   = slices.Concat(projectNames, skillNames)
)

// kind returns the kind of the file with a name in the place, empty for a file that is not watched.
func (p place) kind(name string) string {
	for _, n := range p.names {
		if ok, err := path.Match(n.pattern, name); ok && err == nil {
			return n.kind
		}
	}
	return ""
}

// urgency is the order of kinds in which files are read, because a scan may end before all are read.
var urgency = []string{events.FlowFile, events.CompoundFile, events.SkillFile, events.CompileFile, events.PlanFile, events.StockFile, events.OtherFile, events.MemoryFile}

// reportOrder is the order of kinds in which the observations of a scan are reported. The order of changes between two
// scans is not known. A compound comes before the notes, so that in doubt a note counts as not promoted.
var reportOrder = []string{
	events.CompoundFile, events.OtherFile, events.StockFile, events.PlanFile, events.FlowFile, events.SkillFile, events.CompileFile, events.MemoryFile,
}
