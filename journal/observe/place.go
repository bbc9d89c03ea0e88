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
}

func (p place) path() string { return filepath.Join(p.base, filepath.FromSlash(p.dir)) }

// places lists the directories of a project, its person, and those configured.
func places(root, home string, more []string) []place {
	all := []place{
		{root, ".claude/context", contextKind},
		{root, "docs/plans", skillKind},
	}
	if home != "" {
		all = append(all, place{home, ".claude/learnings", learningKind})
	}
	for _, dir := range more {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		all = append(all, place{filepath.Clean(dir), ".", anyKind})
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
var urgency = []string{events.FlowFile, events.CompoundFile, events.SkillFile, events.PlanFile, events.StockFile}

// told is the order of one look's observations in the report. What happened
// between two looks has no order that anybody could see. A compound comes before
// the notes, so that a note is rather taken for not promoted than for promoted.
var told = []string{events.CompoundFile, events.StockFile, events.PlanFile, events.FlowFile, events.SkillFile}
