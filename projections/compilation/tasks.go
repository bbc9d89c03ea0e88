package compilation

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"journal/events"
)

// Task is a target as a task of a runner, whichever agent it runs (S2.4).
type Task struct {
	ID     string   `json:"id"`
	Prompt string   `json:"prompt"`
	Type   string   `json:"type"`
	Files  []string `json:"files"`
}

// resultsOf is what the names of results begin with that tasks of this run leave.
func (s State) resultsOf() string { return fmt.Sprintf("run%d.", s.Run) }

// Tasks lists the targets that can be compiled now: begun by nobody, or to be begun
// again. The name of each result has a number, because that of its target is not its
// own. command is how whoever gets a task runs the journal.
func (s State) Tasks(command string) []Task {
	var all []Task
	for i, t := range s.Targets {
		switch t.Status {
		case Planned, Failed, Stopped, Healing:
		default:
			continue
		}
		spec, implements := path.Join(t.Path, "CLAUDE.md"), path.Join(t.Path, "IMPLEMENTS.md")
		lines := []string{
			"Compile the specification of a directory into source code, tests first.",
			"CLAUDE.md: ./" + spec,
			"IMPLEMENTS.md: ./" + implements,
			"Target directory: " + t.Path,
			"Mode: " + cmp.Or(t.Mode, "update"),
			"Language: " + cmp.Or(t.Language, "that of the files beside it"),
			"Files that exist: " + cmp.Or(s.Conflict, "skip"),
		}
		if advice := t.advice(); advice != "" {
			lines = append(lines, "First "+advice)
		}
		result := fmt.Sprintf(".claude/tmp/%s%d-compile-%s.json", s.resultsOf(), i+1, flat(t.Path))
		lines = append(lines,
			"Before you begin, run: "+command+" compile start "+word(t.Path),
			"At the end, write the result to "+result+": {\"claude_md_path\", \"target_dir\", \"detected_language\", "+
				"\"generated_files\": [], \"skipped_files\": [], \"overwritten_files\": [], \"modified_symbols\": [], "+
				"\"tests\": {\"total\", \"passed\", \"failed\"}, \"status\": \"success\" or \"failed\"}, its files named below the target directory,",
			"and run: "+command+" compile result --from "+word(result))
		all = append(all, Task{ID: "compile " + t.Path, Prompt: strings.Join(lines, "\n"), Type: "compile", Files: []string{spec, implements}})
	}
	return all
}

// String says where a target stands, on one line.
func (t Target) String() string {
	s := t.Path + ": " + t.Status
	switch t.Status {
	case Asks:
		s = t.Path + ": question: which language?"
	case Compiled:
		s += ", not validated yet"
	case Running:
		s = t.Path + ": " + t.place() + ", running, no result yet"
	case Stopped:
		s = t.Path + ": " + t.place() + ", stopped without a result"
	case Asking:
		var asked []string
		for _, q := range t.Questions() {
			asked = append(asked, q.String())
		}
		s = t.Path + ": question, fix_spec, fix_code or ignore: " + strings.Join(asked, "; ")
	case Healing:
		s += fmt.Sprintf(", round %d of %d", t.round(), events.CompileTries)
	}
	if t.Lane != "" && t.Status == Running {
		s += ", subagent " + t.Lane
	}
	return s
}
