package events

import (
	"path"
	"slices"
	"strings"

	"journal/events/shell"
	"journal/events/text"
)

// FileRead records that the agent read a file.
type FileRead struct {
	Path string `json:"path"`
	Use  string `json:"use,omitempty"`
	From int    `json:"from,omitempty"` // first line read, 0 for the whole file or unknown
	To   int    `json:"to,omitempty"`   // last line read
}

func (FileRead) event() {}

var _ = declare[FileRead]("file.read", "the agent read a file",
	fromCall(func(_ Hook, t *ToolCall) (all []FileRead) {
		for _, p := range t.Paths {
			all = append(all, FileRead{Path: p, Use: t.Use, From: t.From, To: t.To})
		}
		return all
	}, ReadFile))

// FileWritten records that the agent wrote a file or edited part of it.
type FileWritten struct {
	Path string `json:"path"`
	Op   string `json:"op"` // write, edit
	Tool string `json:"tool,omitempty"`
	Use  string `json:"use,omitempty"`
	// At lists the places that an edit changed, as far as the agent reports them.
	At []Passage `json:"passages,omitempty"`
}

func (FileWritten) event() {}

var _ = declare[FileWritten]("file.written", "the agent wrote or edited a file", onDisk,
	fromCall(func(h Hook, t *ToolCall) (all []FileWritten) {
		if t.Action == RunCommand {
			return heredoc(t, h.Cwd)
		}
		op := map[Action]string{WriteFile: "write", EditFile: "edit"}[t.Action]
		for _, p := range t.Paths {
			all = append(all, FileWritten{Path: p, Op: op, Tool: t.Name, Use: t.Use, At: t.passagesIn(p)})
		}
		return all
	}, WriteFile, EditFile, RunCommand))

// intoFile matches a command that begins with writing a here document into a file with a plain name: "cat > a.go <<'EOF'".
// Its groups are a directory that the command changes to, and the name before or after the document's mark.
var intoFile = text.Pattern(`^\s*(?:cd ([\w./@+-]+) && )?(?:mkdir -p [\w./@+-]+ && )?cat (?:>>? ?([\w./@+-]+) <<-? ?['"]?\w+['"]?|<<-? ?['"]?\w+['"]? >>? ?([\w./@+-]+))[ \t]*\n`)

// heredoc returns the file that a shell command wrote from a here document.
func heredoc(t *ToolCall, cwd string) []FileWritten {
	if t.Mark != "" || t.Background != "" || !strings.Contains(t.Command, "<<") || !path.IsAbs(cwd) {
		return nil
	}
	m := intoFile().FindStringSubmatch(t.Command)
	if m == nil {
		return nil
	}
	file := below(below(cwd, m[1]), m[2]+m[3])
	if strings.HasPrefix(file, "/dev/") {
		return nil
	}
	return []FileWritten{{Path: file, Op: "write", Tool: t.Name, Use: t.Use}}
}

// FileMoved records that a shell command renamed a file or a directory.
type FileMoved struct {
	From string `json:"from"` // absolute, like To
	To   string `json:"to"`
	Use  string `json:"use,omitempty"`
}

func (FileMoved) event() {}

var _ = declare[FileMoved]("file.moved", "a shell command moved a file", onDisk,
	fromCall(func(h Hook, t *ToolCall) []FileMoved {
		if t.Mark != "" || t.Background != "" {
			return nil
		}
		return moves(t.Command, h.Cwd, t.Use)
	}, RunCommand))

// moves returns the moves in a shell command that is a plain sequence of simple commands. A command that needs a shell
// to interpret it (variables, patterns, pipes, conditions) has none. It is unknown later whether a name without an
// extension was an existing directory that the move went into: `mv old new` counts as a rename.
func moves(command, cwd, use string) []FileMoved {
	command = strings.TrimSpace(command)
	interpreted := strings.ContainsAny(command, "$*?`|<>(){}~[#") || strings.Contains(command, "\\\n")
	if !strings.Contains(command, "mv ") || interpreted || !path.IsAbs(cwd) {
		return nil
	}
	if chain := strings.Index(command, "&&"); chain >= 0 && strings.ContainsAny(command[chain:], ";\n") {
		return nil // the exit of the last command is no evidence about the chain before it
	}
	var all []FileMoved
	for _, words := range shell.Commands(command) {
		switch {
		case words[0] == "cd" && (len(words) != 2 || words[1] == "-"):
			return all
		case words[0] == "cd":
			cwd = below(cwd, words[1])
		case len(words) > 1 && words[0] == "git" && words[1] == "mv":
			words = words[1:]
		}
		if len(words) == 0 || words[0] != "mv" {
			continue
		}
		words = words[1:]
		for len(words) > 0 && plainOption(words[0]) {
			words = words[1:]
		}
		if len(words) < 2 || slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "-") }) {
			continue
		}
		to := words[len(words)-1]
		for _, from := range words[:len(words)-1] {
			target := to
			if strings.HasSuffix(to, "/") || len(words) > 2 || namesDirectory(to, from) {
				target = path.Join(to, path.Base(from)) // a directory
			}
			all = append(all, FileMoved{From: below(cwd, from), To: below(cwd, target), Use: use})
		}
	}
	return all
}

// plainOption reports whether an option of mv leaves the meaning of its arguments alone.
func plainOption(s string) bool {
	return s == "--" || len(s) > 1 && s[0] == '-' && strings.Trim(s[1:], "fivnk") == ""
}

// namesDirectory reports whether a file with an extension is moved to a name without one, other than its own without
// it, like Dockerfile.dev to Dockerfile.
func namesDirectory(to, from string) bool {
	ext := path.Ext(from)
	return path.Ext(to) == "" && ext != "" && path.Base(to) != strings.TrimSuffix(path.Base(from), ext)
}

func below(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// FileObserved is the content of a file of working notes, learnings or workflow state at that moment (S1,
// S3.1). It is an observation, not a difference: folds find what is new, edited or dropped (ADR-0007 rule 1). Its
// markdown was parsed when it was observed, so a later parser does not change a replay.
type FileObserved struct {
	Path   string `json:"path"` // relative to the project's root with slashes, else absolute
	Kind   string `json:"kind"` // one of the constants below
	Digest string `json:"digest,omitempty"`
	Size   int64  `json:"size,omitempty"`    // bytes on disk
	Gone   bool   `json:"deleted,omitempty"` // it existed and was removed
	// Gap is the reason why content is missing here; empty if none is. With entries, it means that there were more.
	Gap string `json:"missing,omitempty"`
	// Written is set if the tool call of the same report just wrote it: the content is this session's work, not older.
	Written bool `json:"written,omitempty"`
	// Changed is the file's own modification time, ns since 1970 UTC, 0 for unknown: it dates content from before the
	// journal was installed.
	Changed int64   `json:"modified,omitempty"`
	Open    int     `json:"unticked,omitempty"` // boxes to tick, anywhere in the file
	Labels  []Label `json:"labels,omitempty"`   // before the first entry; or the members of a JSON object
	Entries []Entry `json:"entries,omitempty"`
	// Text is the whole file, for the kinds that RestoredWhole names, and for MemoryFile. Empty for files
	// over 256 KiB.
	Text string `json:"text,omitempty"`
	// Loaded is how many lines at its start the observing agent's client gives to its model by itself.
	Loaded int `json:"loaded_lines,omitempty"`
}

// RestoredWhole reports whether files of a kind are restored for an agent whole (S3.2).
func RestoredWhole(kind string) bool { return kind == SkillFile }

// The kinds of observed file (docs/FILES.md §S1, §S3).
const (
	FlowFile     = "flow"     // working notes
	PlanFile     = "plan"     // a task plan
	StockFile    = "stock"    // learnings
	SkillFile    = "skill"    // the state of a skill's workflow
	CompileFile  = "compile"  // the result of compiling one directory
	OtherFile    = "other"    // knowledge that is listed and not counted (S1.14)
	MemoryFile   = "memory"   // what a client keeps for its model, and instructions for agents
	CompoundFile = "compound" // when notes were last promoted, by another tool
)

// Entry is one section under a second-level heading.
type Entry struct {
	Heading string  `json:"heading"`
	Text    string  `json:"text,omitempty"` // everything under it as written, without trailing white space
	Labels  []Label `json:"labels,omitempty"`
	// Heads are its third-level sections, for kinds whose folds read them; Text has their text too.
	Heads []Head `json:"subheadings,omitempty"`
}

// Head is one section under a third-level heading.
type Head struct {
	Heading string  `json:"heading"`
	Text    string  `json:"text,omitempty"`
	Labels  []Label `json:"labels,omitempty"`
}

// Label is a line such as "**Phase**: review".
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (FileObserved) event() {}

// Label returns the value of the file's first label with one of the names, empty if there is none.
func (f FileObserved) Label(names ...string) string { return LabelIn(f.Labels, names...) }

// LabelIn returns the value of the first label with one of the names, empty if there is none.
func LabelIn(labels []Label, names ...string) string {
	for _, l := range labels {
		if slices.Contains(names, l.Name) {
			return l.Value
		}
	}
	return ""
}

var _ = declare[FileObserved]("file.observed", "what a file of notes, knowledge or workflow state held", irreversible, lasting)

// Direction is the end of a file that has its newest entries.
type Direction int

const (
	// NoDirection means that the headings do not show it.
	NoDirection Direction = iota
	// NewestFirst is the specified order of working notes.
	NewestFirst
	// NewestLast is the order of notes appended at the end, like many real ones (docs/FILES.md §S1).
	NewestLast
)

// DirectionOf derives the direction from the dates in the headings of entries (S1.5: newest means newest, in either
// file order). A model writes these dates, so they order only entries within one file (S1.6).
func DirectionOf(entries []Entry) Direction {
	rising, falling := 0, 0
	last := ""
	for _, e := range entries {
		date := dateIn(e.Heading)
		if date == "" {
			continue
		}
		if last != "" {
			// "2026-02-18" and "2026-02-18T09:00" do not show which is newer.
			n := min(len(last), len(date))
			switch c := strings.Compare(last[:n], date[:n]); {
			case c < 0:
				rising++
			case c > 0:
				falling++
			}
		}
		last = date
	}
	switch {
	case rising > falling:
		return NewestLast
	case falling > rising:
		return NewestFirst
	}
	return NoDirection
}

// date is an ISO date, and a time if it follows.
var date = text.Pattern(`(?:^|\D)(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?`)

// dateIn returns the first date in s, with the time if one follows; empty if there is none.
func dateIn(s string) string {
	found := date().FindStringSubmatch(s)
	if found == nil {
		return ""
	}
	return strings.TrimSpace(found[1] + " " + found[2])
}

// Passage is a changed place in a file, described so that it can be found again: line numbers move with every change
// above it.
type Passage struct {
	// Lines are the first of the changed lines, without surrounding space. If lines were only removed, it starts with
	// the line before them.
	Lines []string `json:"lines"`
	Count int      `json:"count,omitempty"` // how many lines were changed
}

const (
	// passageLines is the number of lines that distinguish a place, passageBytes the longest line that is stored whole,
	// and maxPassages the number of places of one call that are recorded.
	passageLines = 3
	passageBytes = 160
	maxPassages  = 8
)

// PassageOf describes the difference between a text and its replacement. ok is false if it could not be found again.
func PassageOf(old, new string) (p Passage, ok bool) {
	oldLines, newLines := strings.Split(old, "\n"), strings.Split(new, "\n")
	from := 0
	for from < min(len(oldLines), len(newLines)) && oldLines[from] == newLines[from] {
		from++
	}
	to := len(newLines)
	for n := len(oldLines); n > from && to > from && oldLines[n-1] == newLines[to-1]; n-- {
		to--
	}
	p.Count = to - from
	if p.Count == 0 && from > 0 { // something was removed
		from--
	}
	for _, line := range newLines[from:] {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(line) > passageBytes {
			return p, len(p.Lines) > 0
		}
		if p.Lines = append(p.Lines, line); len(p.Lines) == passageLines {
			break
		}
	}
	return p, len(p.Lines) > 0
}

// passagesIn returns the places that a call changed in one file, from the texts that it replaced.
func (c *ToolCall) passagesIn(path string) (all []Passage) {
	for _, r := range c.Replaced {
		if p, ok := PassageOf(r.Old, r.New); ok && r.Path == path && len(all) < maxPassages {
			all = append(all, p)
		}
	}
	return all
}

// Replaced is a replacement of one text by another in a file.
type Replaced struct{ Path, Old, New string }
