package events

// PlacesObserved says where things were in the files in work when the owner of the log looked, at a compaction. No hook
// tells it.
type PlacesObserved struct {
	Files []FilePlaces `json:"files"`
}

// FilePlaces are places in one file, in lines from 1.
type FilePlaces struct {
	Path    string  `json:"path"`              // below the project with slashes
	Changed []Range `json:"changed,omitempty"` // what was changed last
	Names   []Place `json:"names,omitempty"`   // what is defined there and matters
}

// Range is a stretch of lines.
type Range struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	In   string `json:"in,omitempty"` // the function or type around it
	// Names are what else stands in the newest of those lines and was spoken of.
	Names []Place `json:"names,omitempty"`
}

// Place is where a name is defined, or stands.
type Place struct {
	Name string `json:"name"`
	Line int    `json:"line"`
}

func (PlacesObserved) event() {}

var _ = declare[PlacesObserved]("places.observed", "where things were in the files in work at a compaction", reserved)

// GitObserved says how a checkout stood when the owner of the log looked, at a compaction. No hook tells it.
type GitObserved struct {
	Top      string      `json:"top"` // the directory of the checkout, absolute
	Worktree bool        `json:"worktree,omitempty"`
	Branch   string      `json:"branch,omitempty"` // empty when none is checked out
	Commits  []GitCommit `json:"commits,omitempty"`
	// Changes is what was not committed, and More how many further changes there were.
	Changes []GitChange `json:"changes,omitempty"`
	More    int         `json:"more,omitempty"`
	// Unknown says that git did not tell in time what was not committed.
	Unknown bool `json:"unknown,omitempty"`
}

// GitCommit is one of the newest commits.
type GitCommit struct {
	Hash    string `json:"hash"`
	Subject string `json:"subject"` // redacted
}

// GitChange is a file that was not as it was committed.
type GitChange struct {
	State string `json:"state"` // as `git status --short` has it: "M ", "??"
	Path  string `json:"path"`  // below the checkout
}

func (GitObserved) event() {}

var _ = declare[GitObserved]("git.observed", "how the checkout stood at a compaction: branch, commits, what is not committed", reserved)
