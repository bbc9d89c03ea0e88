package observe

import (
	"path/filepath"
	"strings"

	"journal/events"
)

// place is one directory that is looked at.
type place struct {
	base string // links are followed to anywhere below it, and not further
	dir  string // below base, with slashes; "." is base itself
	kind func(name string) string
	deep bool // its directories belong to it, one level of them
}

func (p place) path() string { return filepath.Join(p.base, filepath.FromSlash(p.dir)) }

// inner is a directory of a deep place.
func (p place) inner(name string) place {
	return place{base: p.base, dir: p.dir + "/" + name, kind: p.kind}
}

// at gives the place that a directory is: p, or one within it.
func (p place) at(dir string) (place, bool) {
	if p.deep && !sameDir(dir, p) {
		return p.inner(filepath.Base(dir)), sameDir(filepath.Dir(dir), p)
	}
	return p, sameDir(dir, p)
}

// places lists the directories of a project, its person, and those configured.
func places(root, home string, more []string) []place {
	all := []place{
		{base: root, dir: ".claude/context", kind: contextKind},
		{base: root, dir: "docs/plans", kind: skillKind},
		{base: root, dir: ".claude/tmp", kind: compileKind, deep: true},
	}
	if home != "" {
		all = append(all, place{base: home, dir: ".claude/learnings", kind: learningKind})
	}
	for _, dir := range more {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		all = append(all, place{base: filepath.Clean(dir), dir: ".", kind: anyKind})
	}
	return all
}

// contextKind gives the kind of a file of docs/FILES.md §S1 by its name, empty for any other.
func contextKind(name string) string {
	switch {
	case name == "progress.md":
		return events.FlowFile
	case name == "task_plan.md":
		return events.PlanFile
	case name == "compound-last-run.json":
		return events.CompoundFile
	}
	return projectStock(name)
}

// projectStock says whether a name is that of a project's learnings, learnings-coding.md:
// other files of the folder are not knowledge (S1.14).
func projectStock(name string) string {
	if strings.HasPrefix(name, "learnings-") && strings.HasSuffix(name, ".md") {
		return events.StockFile
	}
	return ""
}

// skillKind does the same for docs/FILES.md §S3.
func skillKind(name string) string {
	id, ok := strings.CutPrefix(strings.TrimSuffix(name, ".md"), ".cpm-progress")
	if ok && strings.HasSuffix(name, ".md") && (id == "" || id[0] == '-') {
		return events.SkillFile
	}
	return ""
}

// compileKind knows the results of compilers by their names (docs/FILES.md §S2).
func compileKind(name string) string {
	if strings.HasSuffix(name, ".json") && (strings.HasPrefix(name, "compile-") || strings.Contains(name, "-compile-")) {
		return events.CompileFile
	}
	return ""
}

// learningKind gives the kind of a file in the person's own folder, where the one for
// all projects has a name of its own.
func learningKind(name string) string {
	if name == "global-learnings.md" {
		return events.StockFile
	}
	return projectStock(name)
}

func anyKind(name string) string {
	if kind := contextKind(name); kind != "" {
		return kind
	}
	return skillKind(name)
}

// urgency is the order in which files are read when not all can be.
var urgency = []string{events.FlowFile, events.CompoundFile, events.SkillFile, events.CompileFile, events.PlanFile, events.StockFile}

// told is the order of one look's observations in the report. What happened
// between two looks has no order that anybody could see. A compound comes before
// the notes, so that a note is rather taken for not promoted than for promoted.
var told = []string{events.CompoundFile, events.StockFile, events.PlanFile, events.FlowFile, events.SkillFile, events.CompileFile}
