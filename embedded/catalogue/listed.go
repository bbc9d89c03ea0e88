package catalogue

import (
	"cmp"

	"journal/events/text"
)

// Listed is a session as lists show it.
type Listed struct {
	ID          string `json:"id"`
	Root        string `json:"root,omitempty"`
	Agent       string `json:"agent,omitempty"`
	Source      string `json:"source,omitempty"`
	Began       int64  `json:"began,omitempty"` // ns since 1970
	Last        int64  `json:"last"`            // time of Row.Newest, ns since 1970
	Seq         uint64 `json:"seq"`             // of the newest event
	Events      uint64 `json:"events"`
	Prompts     int    `json:"prompts,omitempty"`
	Compactions int    `json:"compactions,omitempty"`
	Asked       bool   `json:"asked,omitempty"` // a person asked something
	Ended       bool   `json:"ended,omitempty"`
	Imported    bool   `json:"imported,omitempty"` // no process of the session is known
	Ghost       bool   `json:"ghost,omitempty"`    // see projections.SessionState.Ghost
	From        string `json:"from,omitempty"`     // the session that it continues
	How         string `json:"how,omitempty"`      // kind of the continuation, such as fork or clear
	Title       string `json:"title,omitempty"`
}

// Root returns the directory of a session: that of its start, else that of its project, as when the hooks were installed while it ran.
func (t *Table) Root(r *Row) string {
	if project := t.projects[r.Project]; r.Info.Root == "" && project != nil {
		return project.Root
	}
	return r.Info.Root
}

// Listed returns a session as lists show it.
func (t *Table) Listed(r *Row) Listed {
	s := Listed{
		ID: r.ID, Root: t.Root(r), Agent: r.Info.Agent, Source: r.Info.Source, Began: cmp.Or(int64(r.Info.StartedAt), r.Began), Last: r.Newest().At,
		Seq: r.Last.Seq, Events: r.Events, Prompts: r.Info.Prompts, Compactions: r.Compactions, Asked: r.Asked, Ended: r.Info.Ended,
		Imported: r.Info.PID == 0, Ghost: r.Info.Ghost(), Title: text.Line(r.Title),
	}
	if ref, ok := t.Links().Of(r.Project, r.ID); ok && ref.Link != nil {
		s.From, s.How = ref.Link.Session, ref.Link.How
	}
	return s
}

// Listing holds sessions of a project of another log, the most recently active first.
type Listing struct {
	Project    string   `json:"project"`              // key in that log
	Repository string   `json:"repository,omitempty"` // name of the repository if the project is a worktree, else empty
	Name       string   `json:"name,omitempty"`       // of the project in lists
	Sessions   []Listed `json:"sessions,omitempty"`
	More       int      `json:"more,omitempty"` // number of sessions that are not listed
}
