package events

// ProjectSeen gives the path behind a project key. The log's owner appends it
// once per key (ADR-0015 rule 4).
type ProjectSeen struct {
	Root string `json:"root"`
	// Repository is the name of the repository whose worktree Root is, empty for any
	// other directory. A worktree is a project of its own (ADR-0015).
	Repository string `json:"repository,omitempty"`
}

func (ProjectSeen) event() {}

var _ = declare("project.seen", "the path behind a project key", lasting[ProjectSeen](), reserved[ProjectSeen]())
