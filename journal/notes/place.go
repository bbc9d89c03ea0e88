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
	base  string // links are followed only below it
	dir   string // below base, with slashes; "." is base itself
	names []naming
	deep  bool // one level of directories below it belongs to it
}

func (p place) path() string { return filepath.Join(p.base, filepath.FromSlash(p.dir)) }

// inner is a directory of a deep place.
func (p place) inner(name string) place {
	return place{base: p.base, dir: p.dir + "/" + name, names: p.names}
}

// at returns the place of a directory: p, or one within it.
func (p place) at(dir string) (place, bool) {
	if p.deep && !sameDir(dir, p) {
		return p.inner(filepath.Base(dir)), sameDir(filepath.Dir(dir), p)
	}
	return p, sameDir(dir, p)
}

// places lists the directories of a project, of its person, and the configured ones.
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
		p := place{base: root, dir: ".", names: []naming{{m.Names, m.Names, events.MemoryFile}}}
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

// notPlain matches what a client replaces by "-" in the name of a project's folder.
var notPlain = text.Pattern(`[^a-zA-Z0-9]`)

// Memory is a folder of files that a client keeps for its model, or a file of instructions in the project's root.
type Memory struct {
	Dir    string // below the person's home; {project} is the client's name of the project; empty for the project's root
	Names  string // pattern of path.Match
	Loaded string // the file whose beginning the client gives to its model by itself
	Lines  int    // of that; 0 for all
}

// naming matches the file names of a kind.
type naming struct {
	pattern string // of path.Match
	stem    string // part of every such name, however a shell command spells the rest
	kind    string
}

// The names of files by their places (docs/FILES.md §S1–§S3). Nothing else in the context
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

// kind returns the kind of a file by its name, empty for any that is not watched.
func (p place) kind(name string) string {
	for _, n := range p.names {
		if ok, err := path.Match(n.pattern, name); ok && err == nil {
			return n.kind
		}
	}
	return ""
}

// urgency is the order in which files are read when not all can be.
var urgency = []string{events.FlowFile, events.CompoundFile, events.SkillFile, events.CompileFile, events.PlanFile, events.StockFile, events.OtherFile, events.MemoryFile}

// reportOrder is the order of one look's observations in the report. The order of changes between two looks is not
// known. A compound comes before the notes, so that in doubt a note counts as not promoted.
var reportOrder = []string{
	events.CompoundFile, events.OtherFile, events.StockFile, events.PlanFile, events.FlowFile, events.SkillFile, events.CompileFile, events.MemoryFile,
}
