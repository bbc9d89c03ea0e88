package events

// PlacesObserved holds the lines of changes and definitions in the files being edited, as the log's owner read them at a
// compaction.
type PlacesObserved struct {
	Files []FilePlaces `json:"files"`
}

// FilePlaces holds places in one file, as line numbers from 1.
type FilePlaces struct {
	Path    string  `json:"path"`              // relative to the project, with slashes
	Changed []Range `json:"changed,omitempty"` // the latest changes
	Names   []Place `json:"symbols,omitempty"` // relevant definitions in the file
}

// Range is a range of lines.
type Range struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	In   string `json:"enclosing,omitempty"` // the enclosing function or type
	// Names are names of fields and variables in the newest change of the file that the conversation mentioned. Only the
	// range with that change has them.
	Names []Place `json:"symbols,omitempty"`
}

// Place is the line of a definition or a use of a name.
type Place struct {
	Name string `json:"name"`
	Line int    `json:"line"`
}

func (PlacesObserved) event() {}

var _ = declare[PlacesObserved]("symbols.observed", "the lines of changes and definitions in the files being edited at a compaction", irreversible, reserved)

// UsesObserved holds the uses of a changed symbol outside of the change, as the log's owner found them at a compaction. The last
// calls changed the symbol.
type UsesObserved struct {
	Name  string    `json:"name"` // the symbol
	Lines []UseLine `json:"uses"`
	More  int       `json:"omitted,omitempty"` // number of further uses
}

// UseLine is the place of a use.
type UseLine struct {
	Path string `json:"path"` // relative to the project, with slashes
	Line int    `json:"line"`
}

func (UsesObserved) event() {}

var _ = declare[UsesObserved]("uses.observed", "where else a changed symbol was used at a compaction", irreversible, reserved)

// GitObserved is the state of a checkout as the log's owner read it at a compaction.
type GitObserved struct {
	Top      string      `json:"toplevel"` // the directory of the checkout, absolute
	Worktree bool        `json:"worktree,omitempty"`
	Branch   string      `json:"branch,omitempty"` // empty if none is checked out
	Commits  []GitCommit `json:"commits,omitempty"`
	// Upstream is the remote branch that the branch follows. Ahead counts the commits that only the branch has, Behind those that
	// only Upstream has.
	Upstream string `json:"upstream,omitempty"`
	Ahead    int    `json:"ahead,omitempty"`
	Behind   int    `json:"behind,omitempty"`
	// Operation is an unfinished merge, rebase, cherry-pick, revert or bisect.
	Operation string `json:"operation,omitempty"`
	// Changes lists uncommitted changes; More is the number of further changes.
	Changes []GitChange `json:"changes,omitempty"`
	More    int         `json:"omitted,omitempty"`
	// Unknown is set if git did not list the uncommitted changes in time.
	Unknown bool `json:"unknown,omitempty"`
}

// GitCommit is one of the newest commits.
type GitCommit struct {
	Hash    string `json:"hash"`
	Subject string `json:"subject"` // redacted
}

// GitChange is a file with uncommitted changes.
type GitChange struct {
	State string `json:"state"` // as in `git status --short`: "M ", "??"
	Path  string `json:"path"`  // relative to the checkout
}

func (GitObserved) event() {}

var _ = declare[GitObserved]("git.observed", "the state of the checkout at a compaction: branch, commits, what is not committed", irreversible, reserved)
