package events

import (
	"path"
	"slices"
	"strings"

	"journal/events/shell"
)

// FileRead says that the agent read a file.
type FileRead struct {
	Path string `json:"path"`
	Use  string `json:"use,omitempty"`
	From int    `json:"from,omitempty"` // the first line that was read, 0 for the whole file, or when that is unknown
	To   int    `json:"to,omitempty"`   // the last one
}

func (FileRead) event() {}

var _ = declare[FileRead]("file.read", "the agent read a file",
	fromCall(func(_ Hook, t *ToolCall) (all []FileRead) {
		for _, p := range t.Paths {
			all = append(all, FileRead{Path: p, Use: t.Use, From: t.From, To: t.To})
		}
		return all
	}, ReadFile))

// FileWritten says that the agent wrote a file or edited a part of it.
type FileWritten struct {
	Path string `json:"path"`
	Op   string `json:"op"` // write, edit
	Tool string `json:"tool,omitempty"`
	Use  string `json:"use,omitempty"`
	// At is where an edit changed the file, as far as the agent says.
	At []Passage `json:"at,omitempty"`
}

func (FileWritten) event() {}

var _ = declare[FileWritten]("file.written", "the agent wrote or edited a file",
	fromCall(func(_ Hook, t *ToolCall) (all []FileWritten) {
		op := map[Action]string{WriteFile: "write", EditFile: "edit"}[t.Action]
		for _, p := range t.Paths {
			all = append(all, FileWritten{Path: p, Op: op, Tool: t.Name, Use: t.Use, At: t.passagesIn(p)})
		}
		return all
	}, WriteFile, EditFile))

// FileMoved says that a shell command gave a file or a directory another name.
type FileMoved struct {
	From string `json:"from"` // absolute, as To
	To   string `json:"to"`
	Use  string `json:"use,omitempty"`
}

func (FileMoved) event() {}

var _ = declare[FileMoved]("file.moved", "a shell command moved a file",
	fromCall(func(h Hook, t *ToolCall) []FileMoved {
		if t.Mark != "" || t.Background != "" {
			return nil
		}
		return moves(t.Command, h.Cwd, t.Use)
	}, RunCommand))

// moves reads the moves out of a shell command that is nothing but simple commands
// one after the other. A command that needs a shell to be understood (variables,
// patterns, pipes, conditions) moves nothing that is known. Whether a name without an
// extension is a directory that was there, so that the move went into it, cannot be known
// afterwards: `mv old new` counts as giving another name.
func moves(command, cwd, use string) []FileMoved {
	command = strings.TrimSpace(command)
	if !strings.Contains(command, "mv ") || strings.ContainsAny(command, "$*?`|<>(){}~[#") || strings.Contains(command, "\\\n") || !path.IsAbs(cwd) {
		return nil
	}
	if chain := strings.Index(command, "&&"); chain >= 0 && strings.ContainsAny(command[chain:], ";\n") {
		return nil // the end of the last command says nothing about the chain before it
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

// plainOption says whether an option of mv leaves the meaning of its names as it is.
func plainOption(s string) bool {
	return s == "--" || len(s) > 1 && s[0] == '-' && strings.Trim(s[1:], "fivnk") == ""
}

// namesDirectory says whether a file with an extension is moved to what has none, and
// not to its own name without it, as Dockerfile.dev to Dockerfile.
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

// FileObserved says what a file of working notes, lasting knowledge or workflow
// state held at that moment (S1, S3.1). It is an observation, never a
// difference: what is new, edited or dropped is for folds to say (ADR-0007 rule 1).
// Its markdown was parsed when it was observed, so that a later parser
// does not change a replay.
type FileObserved struct {
	Path   string `json:"path"` // below the project's root with slashes, else absolute
	Kind   string `json:"kind"` // FlowFile or another of the constants below
	Digest string `json:"digest,omitempty"`
	Size   int64  `json:"size,omitempty"` // bytes on disk
	Gone   bool   `json:"gone,omitempty"` // it was there and is no more
	// Gap says why content is missing here; empty when nothing is. Beside
	// entries it means that there were more of them.
	Gap string `json:"gap,omitempty"`
	// Written says that the tool call of the same report had just written it:
	// the content is this session's work, not somebody's from before.
	Written bool `json:"written,omitempty"`
	// Changed is when the file was changed last by its own time, ns since 1970 UTC, 0
	// unknown: what was written before the journal was installed is as old as that.
	Changed int64   `json:"changed,omitempty"`
	Open    int     `json:"open,omitempty"`   // boxes to tick, wherever in the file
	Labels  []Label `json:"labels,omitempty"` // before the first entry; the members of a JSON object
	Entries []Entry `json:"entries,omitempty"`
	// Text is the whole file, for kinds that are given back as they are: those that
	// GivenWhole names. Empty in events of a version before, and where the file is
	// longer than 256 KiB.
	Text string `json:"text,omitempty"`
}

// GivenWhole says whether the files of a kind come back to an agent as they are (S3.2).
func GivenWhole(kind string) bool { return kind == SkillFile }

// The kinds of observed file (docs/FILES.md §S1, §S3).
const (
	FlowFile     = "flow"     // working notes
	PlanFile     = "plan"     // a task plan
	StockFile    = "stock"    // lasting knowledge
	SkillFile    = "skill"    // where a skill's workflow stands
	CompileFile  = "compile"  // what came of compiling one directory
	OtherFile    = "other"    // knowledge that is named and not counted (S1.14)
	CompoundFile = "compound" // when notes were last promoted, by another tool
)

// Entry is one section under a heading of the second level.
type Entry struct {
	Heading string  `json:"heading"`
	Text    string  `json:"text,omitempty"` // everything under it as written, trailing white space apart
	Labels  []Label `json:"labels,omitempty"`
	// Heads are its sections of the third level, for kinds whose folds read
	// them: their text stands in Text as well.
	Heads []Head `json:"heads,omitempty"`
}

// Head is one section under a heading of the third level.
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

// Label gives the value of the file's first label with one of the names, empty
// when there is none.
func (f FileObserved) Label(names ...string) string { return LabelIn(f.Labels, names...) }

// LabelIn gives the value of the first label with one of the names, empty when
// there is none.
func LabelIn(labels []Label, names ...string) string {
	for _, l := range labels {
		for _, name := range names {
			if l.Name == name {
				return l.Value
			}
		}
	}
	return ""
}

var _ = declare[FileObserved]("file.observed", "what a file of notes, knowledge or workflow state held", lasting)

// Direction is the end of a file at which its newest entries stand.
type Direction int

const (
	// NoDirection means that the headings do not tell.
	NoDirection Direction = iota
	// NewestFirst is the order that working notes are meant to have.
	NewestFirst
	// NewestLast is the order of notes that are appended at the end, as many
	// real ones are (docs/FILES.md §S1).
	NewestLast
)

// DirectionOf tells the direction from the dates in the headings of entries
// (S1.5: newest means newest, in either file order). Dates are written by a
// model, so they order entries within one file and nothing else (S1.6).
func DirectionOf(entries []Entry) Direction {
	rising, falling := 0, 0
	last := ""
	for _, e := range entries {
		when := dateIn(e.Heading)
		if when == "" {
			continue
		}
		if last != "" {
			// "2026-02-18" and "2026-02-18T09:00" do not say which is newer.
			n := min(len(last), len(when))
			switch c := strings.Compare(last[:n], when[:n]); {
			case c < 0:
				rising++
			case c > 0:
				falling++
			}
		}
		last = when
	}
	switch {
	case rising > falling:
		return NewestLast
	case falling > rising:
		return NewestFirst
	}
	return NoDirection
}

// dateIn gives the first date of a heading, with the time of day after it if
// there is one: "2026-02-18" or "2026-02-18 09:00".
func dateIn(s string) string {
	const date, clock = "0000-00-00", " 00:00"
	for i := 0; i+len(date) <= len(s); i++ {
		if !shaped(s[i:], date) || i > 0 && digit(s[i-1]) {
			continue
		}
		day, rest := s[i:i+len(date)], s[i+len(date):]
		if len(rest) > 0 && (rest[0] == 'T' || rest[0] == ' ') && shaped(rest[1:], clock[1:]) {
			return day + " " + rest[1:len(clock)]
		}
		return day
	}
	return ""
}

// shaped says whether s begins with digits where the pattern has zeros, and
// with the pattern's own characters elsewhere.
func shaped(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] == '0' && !digit(s[i]) || pattern[i] != '0' && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// Passage is what was changed of a file in one place, by which the place is found again: its line numbers move with every
// change above it.
type Passage struct {
	// Lines are the first of the changed lines, without the space around them. Of what was only removed it is the line
	// before that.
	Lines []string `json:"lines"`
	Count int      `json:"count,omitempty"` // how many lines were changed
}

const (
	// passageLines is how many lines tell a place from others, passageBytes the longest that is kept whole, and
	// maxPassages how many places of one call are told.
	passageLines = 3
	passageBytes = 160
	maxPassages  = 8
)

// PassageOf says what differs between two texts that one replaces the other. ok is false when that is nothing that could be
// found again.
func PassageOf(old, new string) (p Passage, ok bool) {
	was, is := strings.Split(old, "\n"), strings.Split(new, "\n")
	from := 0
	for from < min(len(was), len(is)) && was[from] == is[from] {
		from++
	}
	to := len(is)
	for n := len(was); n > from && to > from && was[n-1] == is[to-1]; n-- {
		to--
	}
	p.Count = to - from
	if p.Count == 0 && from > 0 { // something was removed
		from--
	}
	for _, line := range is[from:] {
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

// passagesIn gives a call changed of one file, by the texts that it replaced.
func (c *ToolCall) passagesIn(path string) (all []Passage) {
	for _, r := range c.Replaced {
		if p, ok := PassageOf(r.Old, r.New); ok && r.Path == path && len(all) < maxPassages {
			all = append(all, p)
		}
	}
	return all
}

// Replaced is a text in a file in whose place another one stands now.
type Replaced struct{ Path, Old, New string }
