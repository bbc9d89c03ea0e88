// Package colleagues is what the owners of a team tell each other of their projects, and what each makes of it: the
// writer folds its own log (Summarizer), the reader keeps what concerns the projects of its own (Poller). Of a project whose
// context both share that is what sessions decided and left unfinished, and who goes on with it (J.9): names of skills,
// ports and plans, who and when, never what anybody asked or said.
package colleagues

import (
	"context"
	"slices"

	"journal/embedded/team/facts"
	"journal/events"
	"journal/events/text"
	"journal/journal/git"
	"journal/replay"
)

// Project is what a log says of one of its projects.
type Project struct {
	Key     string
	Is      git.Identity
	Context bool // what is decided and unfinished there is told
}

// Of returns the project that a fact is of.
func Of(t facts.Summary) Project { return Project{t.Project, t.Is, t.Context} }

// Projects lists what a log says of its projects.
func Projects(ctx context.Context, src replay.Source) ([]Project, error) {
	return onward(ctx, src, events.Span{}, nil)
}

// onward adds what a stretch of a log says of its projects to what is known.
func onward(ctx context.Context, src replay.Source, span events.Span, known []Project) ([]Project, error) {
	all := slices.Clone(known)
	for e, err := range src.Events(ctx, span, events.Selector{Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}) {
		if err != nil {
			return nil, err
		}
		seen, ok := events.As[events.ProjectSeen](e)
		if !ok {
			continue
		}
		all = slices.DeleteFunc(all, func(p Project) bool { return p.Key == e.Project })
		identity := git.Identity{Commits: seen.Commits, Remote: seen.Remote, Name: seen.Name}
		all = append(all, Project{e.Project, identity, seen.Handover && seen.Decisions})
	}
	return all, nil
}

const (
	maxOffers    = 20  // told of one project
	maxPorts     = 8   // of one session
	maxDecided   = 20  // decisions told of one project, the newest
	nameUnits    = 80  // UTF-16 units of a name or title
	decidedUnits = 600 // UTF-16 units of a decision, and of a question
)

func short(s string) string { return line(s, nameUnits) }

// line puts a text on one line of so many units, without what steers a terminal or turns the direction of writing.
// Tags that mean something to a client stay: whoever gives it to an agent breaks them up.
func line(s string, units int) string { return text.CutUnits(text.Printable(text.Line(s)), units) }
