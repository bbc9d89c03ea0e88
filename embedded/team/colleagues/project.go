// Package colleagues exchanges summaries of projects among the owners of a team: the writer folds its own log
// (Summarizer), the reader keeps what concerns its own projects (Poller). Of a project whose context both share that is
// what sessions decided and left unfinished, and who continues it (J.9): names of skills, ports and plans, persons and
// times, never a prompt or an answer.
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

// Project identifies a project of a log.
type Project struct {
	Key     string
	Is      git.Identity
	Context bool // what is decided and unfinished there is shared
}

// Of returns the project that a fact is of.
func Of(t facts.Summary) Project { return Project{t.Project, t.Is, t.Context} }

// Projects lists the projects of a log.
func Projects(ctx context.Context, src replay.Source) ([]Project, error) {
	return onward(ctx, src, events.Span{}, nil)
}

// onward updates a list of projects with a stretch of a log.
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
	maxOffers    = 20  // shared of one project
	maxPorts     = 8   // of one session
	maxDecided   = 20  // decisions shared of one project, the newest
	nameUnits    = 80  // UTF-16 units of a name or title
	decidedUnits = 600 // UTF-16 units of a decision, and of a question
)

func short(s string) string { return line(s, nameUnits) }

// line puts a text on one line of so many units, without what steers a terminal or turns the direction of writing.
// Tags that mean something to a client stay: texts for agents escape them.
func line(s string, units int) string { return text.CutUnits(text.Printable(text.Line(s)), units) }
