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
	To   int    `json:"to,omitempty"`   // last line read, as From
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
	// Passages lists the passages that an edit changed, as far as the agent reports them.
	Passages []Passage `json:"passages,omitempty"`
}

func (FileWritten) event() {}

var _ = declare[FileWritten]("file.written", "the agent wrote or edited a file", onDisk,
	fromCall(func(h Hook, t *ToolCall) (all []FileWritten) {
		if t.Action == RunCommand {
			return heredoc(t, h.Cwd)
		}
		op := map[Action]string{WriteFile: "write", EditFile: "edit"}[t.Action]
		for _, p := range t.Paths {
			all = append(all, FileWritten{Path: p, Op: op, Tool: t.Name, Use: t.Use, Passages: t.passagesIn(p)})
		}
		return all
	}, WriteFile, EditFile, RunCommand))

// documentIntoFile matches a command that begins with writing a here-document into a file with a plain name: "cat > a.go <<'EOF'".
// Its groups are the directory of a leading cd, then the redirection, the file name and the document's mark, in this order or with the
// mark first.
var documentIntoFile = text.Pattern(`^\s*(?:cd ([\w./@+-]+) && )?(?:mkdir -p [\w./@+-]+ && )?cat (?:(>>?) ?([\w./@+-]+) <<-? ?['"]?(\w+)['"]?|<<-? ?['"]?(\w+)['"]? (>>?) ?([\w./@+-]+))[ \t]*\n`)

// heredoc returns the file that a shell command wrote from a here-document, if it did. An appended document is an edit.
func heredoc(t *ToolCall, cwd string) []FileWritten {
	if t.Mark != "" || t.Background != "" || !strings.Contains(t.Command, "<<") || !path.IsAbs(cwd) {
		return nil
	}
	m := documentIntoFile().FindStringSubmatch(t.Command)
	if m == nil {
		return nil
	}
	redirection, name, mark := m[2]+m[6], m[3]+m[7], m[4]+m[5]
	file := absolute(absolute(cwd, m[1]), name)
	if strings.HasPrefix(file, "/dev/") {
		return nil
	}
	written := FileWritten{Path: file, Op: "write", Tool: t.Name, Use: t.Use}
	if redirection == ">>" {
		written.Op = "edit"
		if p, ok := PassageOf("", documentOf(t.Command[len(m[0]):], mark)); ok {
			written.Passages = []Passage{p}
		}
	}
	return []FileWritten{written}
}

// documentOf returns the here-document at the beginning of a script, up to the line with its mark, without blank lines around it, but
// with its line end.
func documentOf(script, mark string) string {
	end := 0
	for line := range strings.Lines(script) {
		if strings.TrimSpace(line) == mark {
			break
		}
		end += len(line)
	}
	return strings.Trim(script[:end], "\n") + "\n"
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

// moves returns the moves in a shell command that is a plain sequence of simple commands. It returns none for a command
// that only a shell can interpret (variables, patterns, pipes, conditions). It is unknown whether the target of `mv old new` was
// an existing directory: namesDirectory guesses that from the names.
func moves(command, cwd, use string) []FileMoved {
	command = strings.TrimSpace(command)
	interpreted := strings.ContainsAny(command, "$*?`|<>(){}~[#") || strings.Contains(command, "\\\n")
	if !strings.Contains(command, "mv ") || interpreted || !path.IsAbs(cwd) {
		return nil
	}
	if chain := strings.Index(command, "&&"); chain >= 0 && strings.ContainsAny(command[chain:], ";\n") {
		return nil // the exit code is that of the last command, and proves nothing about the chain before it
	}
	var all []FileMoved
	for _, words := range shell.Commands(command) {
		switch {
		case words[0] == "cd" && (len(words) != 2 || words[1] == "-"), words[0] == "pushd", words[0] == "popd":
			return all
		case words[0] == "cd":
			cwd = absolute(cwd, words[1])
		case len(words) > 1 && words[0] == "git" && words[1] == "mv":
			words = words[1:]
		}
		if words[0] != "mv" {
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
				target = path.Join(to, path.Base(from))
			}
			all = append(all, FileMoved{From: absolute(cwd, from), To: absolute(cwd, target), Use: use})
		}
	}
	return all
}

// plainOption reports whether s is an option of mv after which the arguments are still sources and a target.
func plainOption(s string) bool {
	return s == "--" || len(s) > 1 && s[0] == '-' && strings.Trim(s[1:], "fivnk") == ""
}

// namesDirectory reports whether the target of a move is probably a directory: it has no extension, and the moved file has
// one. A file that only loses its extension, such as Dockerfile.dev, is renamed.
func namesDirectory(to, from string) bool {
	ext := path.Ext(from)
	return path.Ext(to) == "" && ext != "" && path.Base(to) != strings.TrimSuffix(path.Base(from), ext)
}

// absolute returns the absolute path of a name that is relative to dir, or absolute itself.
func absolute(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// FileObserved is the content of a file of working notes, learnings or workflow state when it was read (S1, S3.1). Folds
// find what is new, edited or dropped (ADR-0007 rule 1). Its markdown was parsed then, so a later parser does not change a
// replay.
type FileObserved struct {
	Path   string `json:"path"` // relative to the project's root with slashes, else absolute
	Kind   string `json:"kind"` // one of the constants below
	Digest string `json:"digest,omitempty"`
	Size   int64  `json:"size,omitempty"`    // bytes on disk
	Gone   bool   `json:"deleted,omitempty"` // the file existed and was removed
	// Gap is the reason why content of the file is missing here, empty if the content is complete. With a Gap, the file may have
	// more labels and entries.
	Gap string `json:"missing,omitempty"`
	// Written is set if the tool call of the same report wrote the file: the content is this session's work.
	Written bool `json:"written,omitempty"`
	// Changed is the file's own modification time, ns since 1970 UTC, 0 for unknown: it dates content from before the
	// journal was installed.
	Changed int64   `json:"modified,omitempty"`
	Open    int     `json:"unticked,omitempty"` // number of unticked boxes, anywhere in the file
	Labels  []Label `json:"labels,omitempty"`   // the labels before the first entry, or the members of a JSON object
	Entries []Entry `json:"entries,omitempty"`
	// Text is the whole file, only for a SkillFile, which is restored as a whole (S3.2), and for a MemoryFile. It is empty if
	// the file has more than 256 KiB.
	Text string `json:"text,omitempty"`
	// Loaded is the number of lines, from the first, that the observing agent's client loads into its context by itself.
	Loaded int `json:"loaded_lines,omitempty"`
}

// The kinds of observed file (docs/FILES.md §S1, §S3).
const (
	FlowFile     = "flow"     // working notes
	PlanFile     = "plan"     // a task plan
	StockFile    = "stock"    // learnings
	SkillFile    = "skill"    // the state of a skill's workflow
	CompileFile  = "compile"  // the result of compiling one directory
	OtherFile    = "other"    // knowledge that is listed and not counted (S1.14)
	MemoryFile   = "memory"   // a client's notes for its model, or instructions for agents
	CompoundFile = "compound" // another tool's record of its last promotion of notes
)

// Entry is one section under a second-level heading.
type Entry struct {
	Heading string  `json:"heading"`
	Text    string  `json:"text,omitempty"` // everything under the heading as written, without trailing white space
	Labels  []Label `json:"labels,omitempty"`
	// Heads are its third-level sections, for kinds whose folds read them. Text contains them too.
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

// NewestLast reports whether the newest entries of a file are at its end, like those of many real notes (docs/FILES.md
// §S1), according to the dates in their headings (S1.5). known is false if the dates show no order. A model writes these
// dates, so they order only entries within one file (S1.6).
func NewestLast(entries []Entry) (last, known bool) {
	rising, falling := 0, 0
	previous := ""
	for _, e := range entries {
		date := dateIn(e.Heading)
		if date == "" {
			continue
		}
		// A day and a time on it, "2026-02-18" and "2026-02-18T09:00", do not show which is newer.
		n := min(len(previous), len(date))
		switch c := strings.Compare(previous[:n], date[:n]); {
		case c < 0:
			rising++
		case c > 0:
			falling++
		}
		previous = date
	}
	return rising > falling, rising != falling
}

// isoDate matches an ISO date, and the time that may follow it.
var isoDate = text.Pattern(`(?:^|\D)(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?`)

// dateIn returns the first date in s, with the time if one follows; empty if there is none.
func dateIn(s string) string {
	found := isoDate().FindStringSubmatch(s)
	if found == nil {
		return ""
	}
	return strings.TrimSpace(found[1] + " " + found[2])
}

// Passage is a changed place in a file, described by its content, because line numbers move with every change above.
type Passage struct {
	// Lines are the first of the changed lines, without surrounding space. They begin with a line that the old text did not have,
	// if there is one. If lines were only removed, they begin with the line before them.
	Lines []string `json:"lines,omitempty"`
	Count int      `json:"count,omitempty"` // number of changed lines from there on; 0 if lines were only removed
	// Removed is the first line that only the old text has, without surrounding space, empty for none.
	Removed      string `json:"removed,omitempty"`
	RemovedCount int    `json:"removed_count,omitempty"` // number of changed lines of the old text from there on
	// Code is the first changed line that is no comment, if Lines has none, without surrounding space.
	Code string `json:"code,omitempty"`
	// Defines names the functions and types that only the new text defines, at most maxDefined, without those in Lines and Code.
	Defines []string `json:"defines,omitempty"`
}

const (
	passageLines = 3   // lines of a Passage
	passageBytes = 320 // of the longest line that may stand in a Passage
	maxPassages  = 8   // passages of one call
	maxDefined   = 6   // names in Defines
)

// PassageOf describes the difference between a text and its replacement. ok is false if the passage has no line by which it
// can be found or recognised.
func PassageOf(before, after string) (p Passage, ok bool) {
	oldLines, newLines := strings.Split(before, "\n"), strings.Split(after, "\n")
	from := 0
	for from < min(len(oldLines), len(newLines)) && oldLines[from] == newLines[from] {
		from++
	}
	oldTo, newTo := len(oldLines), len(newLines)
	for oldTo > from && newTo > from && oldLines[oldTo-1] == newLines[newTo-1] {
		oldTo--
		newTo--
	}
	added, _ := firstMissing(newLines[from:newTo], oldLines)
	removed, gone := firstMissing(oldLines[from:oldTo], newLines)
	added += from
	p.Count, p.RemovedCount = newTo-added, oldTo-from-removed
	if line := strings.TrimSpace(oldLines[min(from+removed, len(oldLines)-1)]); gone && len(line) <= passageBytes {
		p.Removed = line
	}
	if p.Count == 0 && added > 0 { // lines were only removed
		added--
	}
	for _, line := range newLines[added:] {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(line) > passageBytes {
			break
		}
		if p.Lines = append(p.Lines, line); len(p.Lines) == passageLines {
			break
		}
	}
	if p.Count > len(p.Lines) && len(p.Lines) > 0 && !slices.ContainsFunc(p.Lines, isCode) {
		if i := slices.IndexFunc(newLines[added:newTo], isCode); i >= 0 && len(newLines[added+i]) <= passageBytes {
			p.Code = strings.TrimSpace(newLines[added+i])
		}
	}
	if names := defined(newLines[added:newTo]); len(names) > 0 { // else the old lines need not be matched: a hook waits
		known := slices.Concat(defined(oldLines), defined(p.Lines), defined([]string{p.Code}))
		for _, name := range names {
			if !slices.Contains(known, name) && len(p.Defines) < maxDefined {
				known, p.Defines = append(known, name), append(p.Defines, name)
			}
		}
	}
	return p, len(p.Lines) > 0 || p.Removed != ""
}

// definition matches a line that begins the definition of a function or a type, and its name, in most languages.
var definition = text.Pattern(`^\s*(?:(?:export|default|pub(?:\([\w ]+\))?|public|private|protected|internal|static|async|abstract|final)\s+)*` +
	`(?:func|def|class|function|fn|type|struct|interface|trait|enum)\s+(?:\([^)]*\)\s*)?([\pL_$][\pL\d_$]*)`)

// defined returns the names that lines define.
func defined(lines []string) (names []string) {
	for _, line := range lines {
		if len(line) > passageBytes {
			continue
		}
		if m := definition().FindStringSubmatch(line); m != nil {
			names = append(names, m[1])
		}
	}
	return names
}

// isCode reports whether a line of a file has more than a comment.
func isCode(line string) bool { return strings.TrimSpace(line) != "" && !text.IsComment(line) }

// firstMissing returns the index of the first of some lines that is not blank and not among others. If there is none, it returns 0 and
// false.
func firstMissing(lines, others []string) (int, bool) {
	present := map[string]bool{}
	for _, line := range others {
		present[line] = true
	}
	for i, line := range lines {
		if strings.TrimSpace(line) != "" && !present[line] {
			return i, true
		}
	}
	return 0, false
}

// Undoes reports whether the passage takes an earlier one of the same file back: it puts the old text in the place of the new one.
func (p Passage) Undoes(earlier Passage) bool {
	return p.Count == earlier.RemovedCount && p.RemovedCount == earlier.Count && p.Count+p.RemovedCount > 0 &&
		p.added() == earlier.Removed && p.Removed == earlier.added()
}

// added returns the first line that only the new text has, empty if lines were only removed.
func (p Passage) added() string {
	if p.Count == 0 || len(p.Lines) == 0 {
		return ""
	}
	return p.Lines[0]
}

// passagesIn returns the passages that a call changed in one file, at most maxPassages.
func (c *ToolCall) passagesIn(file string) (all []Passage) {
	for _, r := range c.Replaced {
		if r.Path != file || len(all) == maxPassages {
			continue
		}
		if p, ok := PassageOf(r.Old, r.New); ok {
			all = append(all, p)
		}
	}
	return all
}

// Replaced is a replacement of one text by another in a file.
type Replaced struct{ Path, Old, New string }
