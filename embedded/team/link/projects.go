package link

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"journal/embedded/owner/writer"
	"journal/embedded/team"
	"journal/events"
	"journal/journal/git"
)

// projects records what others know the shared projects by, so that one repository on two machines
// is one project (J.9). It looks at each once, and again when a person changed something.
type projects struct {
	*Team
	looked map[string]chosen // what was chosen then, by project key
}

// chosen holds a person's choices for a project.
type chosen struct {
	note    team.ProjectNote
	context bool // is shared
}

// record records what is new about the projects that are shared.
func (s *projects) record(ctx context.Context) (trouble error) {
	share, noShare := team.LoadShare(s.Dir)
	notes, noNotes := team.LoadProjects(s.Dir)
	if err := cmp.Or(noShare, noNotes); err != nil {
		return err
	}
	shared := share.Keys()
	if share.All {
		shared = slices.Concat(shared, s.Writer.Projects())
	}
	for _, p := range shared {
		choice := chosen{notes[p], share.SharesContext(p)}
		if before, looked := s.looked[p]; looked && before == choice {
			continue
		}
		known, err := s.look(ctx, p, choice)
		if known && err == nil {
			s.looked[p] = choice
			s.identified.Add(1)
		}
		trouble = errors.Join(trouble, err) // of one: the others do not wait for it
	}
	return trouble
}

// look looks at a project and records it if the log has something else; false when the log does not know
// yet where it is.
func (s *projects) look(ctx context.Context, key string, choice chosen) (known bool, err error) {
	var seen events.ProjectSeen
	sel := events.Selector{Project: key, Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}
	for e, err := range s.Log.Events(ctx, events.Span{Until: s.Copy.Head()}, sel) {
		if err != nil {
			return false, err
		}
		if latest, ok := events.As[events.ProjectSeen](e); ok {
			seen = latest
		}
	}
	now := seen
	if now.Root = cmp.Or(seen.Root, choice.note.Root); now.Root == "" {
		return false, nil
	}
	identity, err := git.Look(ctx, now.Root)
	if err != nil {
		return false, err
	}
	if identity.Commits != nil || identity.Remote != "" { // else it is not there any more, or no repository: what is known stays
		now.Commits, now.Remote = identity.Commits, identity.Remote
	}
	now.Name, now.Also, now.Handover, now.Decisions = choice.note.Name, nil, choice.context, choice.context
	if reflect.DeepEqual(now, seen) {
		return true, nil
	}
	d, err := writer.DraftOf(now, events.Meta{ID: events.NewID(), At: time.Now().UnixNano(), Project: key})
	if err != nil {
		return false, err
	}
	return true, s.Writer.Append(ctx, d)
}
