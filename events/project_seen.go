package events

// ProjectSeen gives the path behind a project key. The log's owner appends it
// once per key (ADR-0015 rule 4).
type ProjectSeen struct {
	Root string `json:"root"`
}

func (ProjectSeen) event() {}

var _ = declare("project.seen", "the path behind a project key", reserved[ProjectSeen]())
