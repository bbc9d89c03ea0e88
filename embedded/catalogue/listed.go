package catalogue

import "journal/events/text"

// Listed is a session as lists show it.
type Listed struct {
	ID          string `json:"id"`
	Root        string `json:"root,omitempty"`
	Agent       string `json:"agent,omitempty"`
	Source      string `json:"source,omitempty"`
	Began       int64  `json:"began,omitempty"` // ns since 1970
	Last        int64  `json:"last"`            // when something happened last, ns since 1970
	Seq         uint64 `json:"seq"`
	Events      uint64 `json:"events"`
	Prompts     int    `json:"prompts,omitempty"`
	Compactions int    `json:"compactions,omitempty"`
	Asked       bool   `json:"asked,omitempty"` // somebody asked something
	Ended       bool   `json:"ended,omitempty"`
	Imported    bool   `json:"imported,omitempty"` // no process is known
	Ghost       bool   `json:"ghost,omitempty"`    // nothing but a resumption
	From        string `json:"from,omitempty"`     // the session that it continues
	How         string `json:"how,omitempty"`      // how that is known
	Title       string `json:"title,omitempty"`
}

// Listed returns a session as lists show it.
func (t *Table) Listed(r *Row) Listed {
	s := Listed{
		ID: r.ID, Root: r.Info.Root, Agent: r.Info.Agent, Source: r.Info.Source, Began: int64(r.Info.StartedAt), Last: r.Newest().At,
		Seq: r.Last.Seq, Events: r.Events, Prompts: r.Info.Prompts, Compactions: r.Compactions, Asked: r.Asked, Ended: r.Info.Ended,
		Imported: r.Info.PID == 0, Ghost: r.Info.Ghost(), Title: text.Line(r.Title),
	}
	if ref, ok := t.Links().Of(r.Project, r.ID); ok && ref.Link != nil {
		s.From, s.How = ref.Link.Session, ref.Link.How
	}
	return s
}

// Listing lists sessions of a project, the last active first.
type Listing struct {
	Project    string // key in that log
	Repository string // whose worktree the project is
	Name       string // that lists give the project
	Sessions   []Listed
	More       int // number of sessions that are not listed
}
