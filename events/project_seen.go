package events

// ProjectSeen gives the path behind a project key. The log's owner appends it
// once per key (DECISIONS 3.2).
type ProjectSeen struct {
	Root string `json:"root"`
}

func (ProjectSeen) event() {}

var _ = declare("project.seen", "the path behind a project key", reserved[ProjectSeen]())
