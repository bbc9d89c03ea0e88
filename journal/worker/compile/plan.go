package compile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/disk"
)

// The names of the files that specify a directory. Spec specifies the behaviour, Implements the implementation. Compilers write
// IMPLEMENTS.md, so a change in it is no reason to compile.
const (
	Spec       = "CLAUDE.md"
	Implements = "IMPLEMENTS.md"
)

// Options selects the targets of a plan. The zero value selects every directory of the
// project that must be compiled.
type Options struct {
	All   bool   // also directories that are up to date
	Below string // only this directory and those below it: a path below the root, with slashes
}

// Plan lists the directories of a project that must be compiled.
type Plan struct {
	Targets []events.CompileTarget `json:"targets"` // sorted by path

	// The directories by reason, in the form of the workflow's original
	// analysis (docs/FILES.md §S2).
	Uncommitted []string `json:"uncommitted"`
	Outdated    []Times  `json:"outdated"`
	UpToDate    []Times  `json:"up_to_date"`
	NoSource    []Times  `json:"no_source"`
	Summary     Summary  `json:"summary"`

	// MissingImplements holds the targets without an IMPLEMENTS.md.
	MissingImplements []string `json:"missing_implements"`
	Notes             []string `json:"notes"` // for a person, such as that git is missing, or that a submodule was left out
}

// Times holds the newest commits of a directory's specification and of its source, with their times. The fields of a part without
// a commit are empty.
type Times struct {
	Path         string `json:"path"`
	SpecCommit   string `json:"spec_commit,omitempty"`
	SpecTime     string `json:"spec_time,omitempty"` // RFC 3339
	SourceCommit string `json:"source_commit,omitempty"`
	SourceTime   string `json:"source_time,omitempty"`
	// Reason is spec_newer, source_newer, same_commit, no_source_files, source_uncommitted or spec_uncommitted. It is empty if there is
	// a source, and no commit in the project.
	Reason string `json:"reason"`
}

// Summary counts the directories with a CLAUDE.md that Options.Below selects. One directory can count under several reasons.
type Summary struct {
	Total       int `json:"total"`
	Uncommitted int `json:"uncommitted"`
	Outdated    int `json:"outdated"`
	UpToDate    int `json:"up_to_date"`
	NoSource    int `json:"no_source"`
}

// module is a directory with a CLAUDE.md. A file belongs to the nearest module above it.
type module struct {
	path              string
	languages         map[string]int // number of source files, by language
	source            bool           // it has source files
	missingImplements bool
	uncommitted       bool // its specification differs from the last commit
	outdated          bool // its specification is newer than its source
	times             Times
	specCommitted     bool // a commit has the specification
	sourceCommitted   bool // a commit has a source file
}

// Make returns the plan of the project at root. The error is that of git, or of reading
// root. A missing git, a missing repository or one without a commit is no error.
func Make(ctx context.Context, root string, o Options) (Plan, error) {
	t, err := readTree(ctx, root)
	if err != nil {
		return Plan{}, err
	}
	modules := modulesOf(t)
	if t.history {
		if err := setTimes(ctx, root, modules); err != nil {
			return Plan{}, err
		}
	}
	p := Plan{
		Targets: []events.CompileTarget{}, Uncommitted: []string{}, Outdated: []Times{}, UpToDate: []Times{}, NoSource: []Times{},
		MissingImplements: []string{}, Notes: append([]string{}, t.notes...),
	}
	for _, m := range modules {
		everywhere := o.Below == "" || o.Below == "."
		if everywhere || m.path == o.Below || strings.HasPrefix(m.path, o.Below+"/") {
			p.add(m, o.All || !t.git, root, modules) // without git nothing tells what is up to date
		}
	}
	p.Summary.Uncommitted, p.Summary.Outdated = len(p.Uncommitted), len(p.Outdated)
	p.Summary.UpToDate, p.Summary.NoSource = len(p.UpToDate), len(p.NoSource)
	return p, nil
}

// add adds a module to the plan: as a target with all its reasons, or as up to date. If all is true, a module that is up to date is
// a target, too. modules are all modules of the project.
func (p *Plan) add(m module, all bool, root string, modules []module) {
	p.Summary.Total++
	target := events.CompileTarget{Path: m.path, Mode: "update", Reasons: []string{}, Bare: m.missingImplements}
	addReason := func(reason string) { target.Reasons = append(target.Reasons, reason) }
	if m.uncommitted {
		addReason("uncommitted")
		p.Uncommitted = append(p.Uncommitted, m.path)
	}
	if m.outdated {
		addReason("outdated")
		p.Outdated = append(p.Outdated, m.times)
	}
	if !m.source {
		addReason("no_source")
		target.Mode, m.times.Reason = "create", "no_source_files"
		p.NoSource = append(p.NoSource, m.times)
	}
	if len(target.Reasons) == 0 {
		p.UpToDate = append(p.UpToDate, m.times)
		if !all {
			return
		}
		addReason("all")
	}
	target.Language, target.Spec = language(m, modules), digest(filepath.Join(root, filepath.FromSlash(m.path), Spec))
	p.Targets = append(p.Targets, target)
	if m.missingImplements {
		p.MissingImplements = append(p.MissingImplements, m.path)
	}
}

// Planned returns the event that records the plan. conflict is the policy for conflicts, and all is Options.All.
func (p Plan) Planned(conflict string, all bool) events.CompilePlanned {
	return events.CompilePlanned{Conflict: conflict, All: all, Targets: append([]events.CompileTarget(nil), p.Targets...)}
}

// modulesOf returns the modules of a project, sorted by path.
func modulesOf(t tree) []module {
	var modules []module
	for _, f := range t.files { // a .claude/CLAUDE.md has instructions for the project, and specifies no directory
		if dir, name := path.Dir(f), path.Base(f); name == Spec && path.Base(dir) != ".claude" {
			modules = append(modules, module{
				path: dir, missingImplements: true, uncommitted: t.changed[f], languages: map[string]int{}, times: Times{Path: dir},
			})
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	modules = slices.CompactFunc(modules, func(a, b module) bool { return a.path == b.path })
	moduleOf := moduleFinder(modules)
	for _, f := range t.files {
		i := moduleOf(f)
		if i < 0 {
			continue
		}
		m := &modules[i]
		switch l := languageOf(f); {
		case f == path.Join(m.path, Spec):
			m.specCommitted = !t.added[f]
		case f == path.Join(m.path, Implements):
			m.missingImplements = false
		case l != "":
			m.source = true
			m.sourceCommitted = m.sourceCommitted || !t.added[f]
			m.languages[l]++
		}
	}
	return modules
}

// moduleFinder returns a function that returns the index of a file's module, -1 for none.
func moduleFinder(modules []module) func(file string) int {
	index := map[string]int{}
	for i, m := range modules {
		index[m.path] = i
	}
	var find func(dir string) int
	find = func(dir string) int {
		if i, known := index[dir]; known {
			return i
		}
		i := -1
		if dir != "." {
			i = find(path.Dir(dir))
		}
		index[dir] = i
		return i
	}
	return func(file string) int { return find(path.Dir(file)) }
}

// maxSpecBytes is the size in bytes above which a CLAUDE.md gets no digest.
const maxSpecBytes = 4 << 20

// digest returns a digest of a file's content, empty if the file cannot be read, is longer than maxSpecBytes, or is not a
// regular file.
func digest(file string) string {
	b, err := disk.ReadFile(file, maxSpecBytes)
	if err != nil {
		return ""
	}
	return text.Digest(b)[:16]
}

// stamp returns a Unix time in the form of RFC 3339.
func stamp(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

// implementsTemplate is the initial content of an IMPLEMENTS.md: a part for plans, and a part that
// the compiler fills.
const implementsTemplate = `# IMPLEMENTS.md

## Planning Section

### Dependencies Direction

None

### Implementation Approach

None

### Technology Choices

None

## Implementation Section
`

// WriteImplements makes the IMPLEMENTS.md of every target that has none, and returns
// the paths of the new files below the root.
func (p *Plan) WriteImplements(root string) (written []string, err error) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if !t.Bare {
			continue
		}
		name := filepath.Join(root, filepath.FromSlash(t.Path), Implements)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			t.Bare = false
			continue
		}
		if err != nil {
			return written, err
		}
		_, err = f.WriteString(implementsTemplate)
		if err = errors.Join(err, f.Close()); err != nil {
			return written, err
		}
		t.Bare = false
		written = append(written, filepath.ToSlash(filepath.Join(t.Path, Implements)))
	}
	p.MissingImplements = []string{}
	return written, nil
}

// extensions holds the languages of source files by extension, without data, markup and documents.
var extensions = map[string]string{
	".go": "Go", ".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript",
	".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".py": "Python", ".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++",
	".cs": "C#", ".fs": "F#", ".swift": "Swift", ".m": "Objective-C", ".rb": "Ruby", ".php": "PHP",
	".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".clj": "Clojure",
	".dart": "Dart", ".lua": "Lua", ".zig": "Zig", ".sh": "Shell", ".bash": "Shell", ".r": "R", ".jl": "Julia",
	".vue": "Vue", ".svelte": "Svelte", ".sql": "SQL", ".sol": "Solidity",
}

// languageOf returns the language of a source file, empty for any other file.
func languageOf(file string) string { return extensions[strings.ToLower(path.Ext(file))] }

// language returns the language in which to write a module: the most frequent language of its own files; else that of the nearest
// module above that has one; else the most frequent language of the modules beside it. It is empty if no language is the most
// frequent one: then a person must decide (S2.3).
func language(m module, modules []module) string {
	if l := mostFrequent(m.languages); l != "" {
		return l
	}
	for dir := m.path; dir != "."; {
		dir = path.Dir(dir)
		for _, other := range modules {
			if l := mostFrequent(other.languages); other.path == dir && l != "" {
				return l
			}
		}
	}
	siblings := map[string]int{}
	for _, other := range modules {
		if l := mostFrequent(other.languages); l != "" && other.path != "." && path.Dir(other.path) == path.Dir(m.path) {
			siblings[l]++
		}
	}
	return mostFrequent(siblings)
}

// mostFrequent returns the key with the highest count. It is empty if several keys have that count, or there is no key.
func mostFrequent(counts map[string]int) (key string) {
	highest := 0
	for k, n := range counts {
		switch {
		case n > highest:
			key, highest = k, n
		case n == highest:
			key = ""
		}
	}
	return key
}
