package owner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"journal/events"
	"journal/journal/git"
	"journal/journal/team"
)

// identities records what others know the shared projects by, so that one repository on two machines
// is one project (J.9). It looks at each once, and again when a person said something of it.
type identities struct {
	*uplink
	passing bool              // the machine will be gone: what is unfinished is offered
	looked  map[string]string // what was chosen then, by project key
}

// chosen is what a person chose for a project.
type chosen struct {
	name    string
	offered bool           // what is unfinished there
	decided bool           // what is decided there is given to others
	also    []git.Checkout // what others have that is the same project
}

// record records what is new about the projects that are shared.
func (s *identities) record(ctx context.Context) error {
	share, err := team.LoadShare(s.lock.Dir())
	if err != nil {
		return err
	}
	names, err := team.LoadNames(s.lock.Dir())
	if err != nil {
		return err
	}
	words, err := team.LoadWords(s.lock.Dir())
	if err != nil {
		return err
	}
	projects := share.Projects
	if share.All {
		s.writer.mu.Lock()
		for p := range s.writer.projects { // those that this owner saw at work
			projects = append(slices.Clone(projects), p)
		}
		s.writer.mu.Unlock()
	}
	for _, p := range projects {
		said := chosen{names[p], s.passing || team.Handover.Has(share, p), team.Decisions.Has(share, p), words.Same(p)}
		wish := fmt.Sprint(said)
		if s.looked[p] == wish {
			continue
		}
		known, err := s.look(ctx, p, said)
		if err != nil {
			return err
		}
		if known {
			s.looked[p] = wish
			s.identified.Add(1)
		}
	}
	return nil
}

// look looks at a project and records it if the log says something else; false when the log does not know
// yet where it is.
func (s *identities) look(ctx context.Context, key string, said chosen) (known bool, err error) {
	var seen events.ProjectSeen
	sel := events.Selector{Project: key, Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}
	for e, err := range s.log.Events(ctx, events.Span{Until: s.archive.head.Load()}, sel) {
		if err != nil {
			return false, err
		}
		if ev, err := events.Open(e); err == nil {
			if is, ok := ev.(events.ProjectSeen); ok {
				seen = is
			}
		}
	}
	if seen.Root == "" {
		return false, nil
	}
	is, err := git.Look(ctx, seen.Root)
	if err != nil {
		return false, err
	}
	is.Name = said.name
	if is.Commits == nil && is.Remote == "" { // it is not there any more, or no repository: what is known stays
		is.Commits, is.Remote = seen.Commits, seen.Remote
	}
	if slices.Equal(is.Commits, seen.Commits) && is.Remote == seen.Remote && is.Name == seen.Name &&
		slices.EqualFunc(said.also, seen.Also, func(a git.Checkout, b events.Checkout) bool { return a.Equal(git.Checkout(b)) }) &&
		said.offered == seen.Handover && said.decided == seen.Decisions {
		return true, nil
	}
	seen.Commits, seen.Remote, seen.Name = is.Commits, is.Remote, is.Name
	seen.Also = nil
	for _, c := range said.also {
		seen.Also = append(seen.Also, events.Checkout(c))
	}
	seen.Handover, seen.Decisions = said.offered, said.decided
	d, err := draftOf(seen, events.Meta{ID: events.NewID(), At: time.Now().UnixNano(), Project: key})
	if err != nil {
		return false, err
	}
	return true, s.writer.append(ctx, d)
}
