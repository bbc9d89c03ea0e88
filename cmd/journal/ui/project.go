package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"journal/cmd/journal/page"
	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
)

// serveProjects lists the projects, the last active first.
func (s *Server) serveProjects(w http.ResponseWriter, r *http.Request) error {
	rows, err := s.list.projects(r.Context())
	if err != nil {
		return err
	}
	return s.show(w, r, "projects", s.say(r)("projects", nil), "projects", rows)
}

// projectView is the page of a project.
type projectView struct {
	Key, Root string        // Root is its directory; empty: unknown
	Figures   []page.Figure // nil: there is no such project
	Path      string
	Recent    sessionsView   // the last active sessions
	Decisions []decisionView // the newest
	Held      int            // number of decisions that hold
	Older     int            // number of decisions that are not shown
	Ports     projections.PortsState
	Notes     []projections.FlowEntry // the newest, newest first
	Learnings []projections.Learning  // the newest, newest last
	NotesN    int                     // number of all notes
	LearningN int                     // number of all learnings
}

// projectWork holds the files that a project changed most, and its recurring failures.
type projectWork struct {
	Files    []changedFile
	Failures []knowledge.Recurrence
}

// changedFile is a file and how often it was written or edited.
type changedFile struct {
	Path string
	N    int
}

const (
	shownRecent = 6  // bound of the sessions on the page
	shownFiles  = 12 // bound of the changed files on the page
)

// mostChanged lists the files that were written most often, with paths relative to a root.
func mostChanged(written map[string]int, root string) (all []changedFile) {
	for path, n := range written {
		all = append(all, changedFile{shortPath(root, path), n})
	}
	slices.SortFunc(all, func(a, b changedFile) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Path, b.Path)) })
	return all[:min(len(all), shownFiles)]
}

// recent fills in the figures and the last active sessions of a project. If the log has no such project, it leaves Figures nil.
func (s *Server) recent(r *http.Request, v *projectView) error {
	cards, total, err := s.cards(r.Context(), query{project: v.Key}, 0, shownRecent)
	if err != nil {
		return err
	}
	v.Recent.Total, v.Recent.Cards = total, cards
	projects, err := s.list.projects(r.Context())
	if err != nil {
		return err
	}
	for _, p := range projects {
		if p.Key == v.Key {
			v.Figures = []page.Figure{
				{Name: "tokens-month", Path: s.base + "/cost?days=30&figure=1&project=" + url.QueryEscape(v.Key)}, {Name: "lost", Class: "gone", Path: v.Path + "/lost?figure=lost"},
				{Name: "restored", Class: "back", Path: v.Path + "/lost?figure=restored"},
				{Name: "compactions", Value: page.FormatCount(p.Compactions)}, {Name: "sessions", Value: page.FormatCount(p.Sessions)}, {Name: "open", Value: page.FormatCount(p.Open)},
			}
		}
	}
	return nil
}

// shownNotes bounds each of these lists on the page of a project: decisions, notes, learnings, failures.
const shownNotes = 50

// decisionView is a decision with those that it replaced, the newest first.
type decisionView struct {
	projections.DecisionState
	Path   string // of its session
	Before []projections.DecisionState
}

// serveProject shows a project: its figures, last active sessions, decisions, ports, notes and learnings.
func (s *Server) serveProject(w http.ResponseWriter, r *http.Request) error {
	v := projectView{Key: r.PathValue("project"), Path: s.base + projectPath(r.PathValue("project"))}
	f := projections.NewFold(projections.Target{Project: v.Key}, s.config.Fold(), projections.Decisions, projections.Ports, projections.Flow, projections.Stock)
	rewinds, err := replay.Rewinds(r.Context(), s.log, v.Key, "", 0)
	if err != nil {
		return err
	}
	f.SetRewinds(rewinds)
	for e, err := range s.log.Events(r.Context(), events.Span{}, replay.Selectors(f)...) {
		if err != nil {
			return err
		}
		f.Apply(e)
	}
	if err := s.recent(r, &v); err != nil {
		return err
	}
	if v.Figures == nil {
		return missingError("no such project")
	}
	v.Decisions, v.Held = s.decisions(v.Key, projections.Decisions.In(f))
	v.Ports = projections.Ports.In(f)
	v.Notes, v.Learnings = projections.Flow.In(f).Entries, projections.Stock.In(f).Learnings
	v.NotesN, v.LearningN = len(v.Notes), len(v.Learnings)
	v.Notes, v.Learnings = v.Notes[:min(len(v.Notes), shownNotes)], v.Learnings[max(0, len(v.Learnings)-shownNotes):]
	v.Older = max(0, len(v.Decisions)-shownNotes)
	v.Decisions = v.Decisions[:len(v.Decisions)-v.Older]
	name, root := s.list.project(v.Key)
	v.Root = root
	return s.show(w, r, "project", name, "projects", v)
}

// workEvents bounds the part of the log in which a project's files and failures are counted: so many events back from the
// project's newest one, because reading a million events takes a second.
const workEvents = 250_000

// serveWork serves the files of a project that were written most often, and its recurring failures, both of the last
// workEvents. The page of the project requests it.
func (s *Server) serveWork(w http.ResponseWriter, r *http.Request) error {
	key := r.PathValue("project")
	rewinds, err := replay.Rewinds(r.Context(), s.log, key, "", 0)
	if err != nil {
		return err
	}
	rows, err := s.list.rows(r.Context())
	if err != nil {
		return err
	}
	var span events.Span
	for _, row := range rows {
		if row.Project == key {
			span.Until = max(span.Until, row.Last.Seq)
		}
	}
	span.After = span.Until - min(span.Until, workEvents)
	var failures knowledge.Recurrences
	written := map[string]int{}
	selector := func(t events.Type) events.Selector { return events.Selector{Project: key, Type: t} }
	for e, err := range s.log.Events(r.Context(), span, selector(events.TypeOf[events.CommandRan]()), selector(events.TypeOf[events.FileWritten]())) {
		if err != nil {
			return err
		}
		if rewinds.TakenBack(e.Meta, "") {
			continue
		}
		if file, ok := events.As[events.FileWritten](e); ok && e.EchoOf == 0 {
			written[file.Path]++
		} else if err := failures.See(e); err != nil {
			return err
		}
	}
	_, root := s.list.project(key)
	all := failures.All()
	return s.write(w, r, "project-work", projectWork{mostChanged(written, root), all[:min(len(all), shownNotes)]})
}

// decisions lists the decisions that hold and the retracted ones, the newest first. Each has the decisions that it replaced, also
// indirectly. held is the number of those that hold.
func (s *Server) decisions(project string, state projections.DecisionsState) (all []decisionView, held int) {
	replaced := map[uint64][]projections.DecisionState{} // by the sequence of the decision that replaced them
	for d := range state.All() {
		if d.Replaced != 0 {
			replaced[d.Replaced] = append(replaced[d.Replaced], d)
		}
	}
	for d := range state.Backward() {
		if d.Replaced != 0 {
			continue
		}
		view := decisionView{DecisionState: d, Path: s.path(projections.Target{Project: project, Session: d.Session})}
		for queue := []uint64{d.Seq}; len(queue) > 0; queue = queue[1:] {
			for _, before := range replaced[queue[0]] {
				view.Before = append(view.Before, before)
				queue = append(queue, before.Seq)
			}
			delete(replaced, queue[0]) // each is shown once
		}
		slices.SortFunc(view.Before, func(a, b projections.DecisionState) int { return cmp.Compare(b.Seq, a.Seq) })
		if d.Holds() {
			held++
		}
		all = append(all, view)
	}
	return all, held
}
