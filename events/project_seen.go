package events

// ProjectSeen gives the path behind a project key. The log's owner appends it
// once per key (ADR-0015 rule 4), and again for a project that is shared with a team
// when what others know it by is found or has changed, or handing over was chosen or ended.
type ProjectSeen struct {
	Root string `json:"root"`
	// Repository is the name of the repository whose worktree Root is, empty for any
	// other directory. A worktree is a project of its own (ADR-0015).
	Repository string `json:"repository,omitempty"`
	// Commits and Remote say which repository it is a checkout of (journal/git): the
	// commits without a parent, sorted, and the address without names and secrets. Name is what a
	// person called it instead.
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
	Name    string   `json:"name,omitempty"`
	// Also are repositories of others of which a person said that they are this project too.
	Also []Checkout `json:"also,omitempty"`
	// Handover says that the team is told of what is unfinished here.
	Handover bool `json:"handover,omitempty"`
	// Decisions says that what is decided here is given to others of the team.
	Decisions bool `json:"decisions,omitempty"`
}

// Checkout is what git says of a repository, as ProjectSeen has it.
type Checkout struct {
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
}

func (ProjectSeen) event() {}

var _ = declare("project.seen", "the path behind a project key", lasting[ProjectSeen](), reserved[ProjectSeen]())
