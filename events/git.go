package events

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
