// Package colleagues exchanges summaries of projects among the owners of a team: the writer folds its own log
// (Summarizer), the reader keeps what concerns its own projects (Poller). Of a project whose context both share that is
// what sessions decided and left unfinished, and who continues it (J.9): names of skills, ports and plans, persons and
// times, never a prompt or an answer.
package colleagues

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/facts"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/git"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// Summarizer implements upload.Summarizer for a log. It is for one goroutine.
type Summarizer struct {
	log      *journal.Log
	dir      string // with the table of sessions
	projects []Project
	read     uint64 // number up to which projects were read
	folds    map[string]*projections.Fold
}

// NewSummarizer returns the summarizer of the log of a journal directory.
func NewSummarizer(dir string, log *journal.Log) *Summarizer {
	return &Summarizer{log: log, dir: dir, folds: map[string]*projections.Fold{}}
}

// Summaries implements upload.Summarizer.
func (t *Summarizer) Summaries(ctx context.Context, share team.Share, until uint64) (all []facts.Summary, err error) {
	until = max(until, t.read) // folds do not go back
	projects, err := addProjects(ctx, t.log, events.Span{After: t.read, Until: until}, t.projects)
	if err != nil {
		return nil, fmt.Errorf("summarize projects: %w", err)
	}
	t.projects, t.read = projects, until
	for _, p := range t.projects {
		summary := facts.Summary{Listing: catalogue.Listing{Project: p.Key}, Identity: p.Identity, Context: share.SharesContext(p.Key)}
		if !summary.Context && !share.SharesEvents(p.Key) {
			continue
		}
		if err := t.fold(ctx, &summary, until); err != nil {
			return nil, fmt.Errorf("summarize %s: %w", p.Key, err)
		}
		all = append(all, summary)
	}
	return all, nil
}

// AddRows implements upload.Summarizer.
func (t *Summarizer) AddRows(ctx context.Context, share team.Share, all []facts.Summary) ([]facts.Summary, error) {
	table, err := catalogue.Of(ctx, t.dir, t.log, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("summarize sessions: %w", err)
	}
	for _, r := range table.Sessions() {
		if share.SharesEvents(r.Project) && !slices.ContainsFunc(all, func(t facts.Summary) bool { return t.Project == r.Project }) {
			all = append(all, facts.Summary{Listing: catalogue.Listing{Project: r.Project}})
		}
	}
	for i := range all {
		addRows(&all[i], table, share.SharesEvents(all[i].Project))
	}
	return all, nil
}

// maxRows bounds the sessions in a summary.
const maxRows = 200

// addRows adds the newest sessions of a project whose events are shared, and when each session with unfinished work was
// active last: now, if the table lacks newest events of the session.
func addRows(summary *facts.Summary, t *catalogue.Table, shared bool) {
	var rows []catalogue.Listed
	for _, r := range t.Rows() {
		if r.Project == summary.Project {
			rows = append(rows, t.Listed(r))
		}
	}
	for i := range summary.Left {
		o := &summary.Left[i]
		o.Last, o.Ended = time.Now().UnixNano(), o.Session == events.None
		if n := slices.IndexFunc(rows, func(s catalogue.Listed) bool { return s.ID == o.Session && s.Seq >= o.AsOf }); n >= 0 {
			o.Last, o.Ended = rows[n].Last, rows[n].Ended
		}
	}
	if !shared {
		return // titles quote what was asked
	}
	p := t.Project(summary.Project)
	summary.Repository, summary.Name = p.Repository, t.Name(p.Key)
	summary.Sessions = rows[:min(len(rows), maxRows)]
	summary.More = len(rows) - len(summary.Sessions)
}

// fold adds decisions and unfinished work to the summary of a project, if its context is shared.
func (t *Summarizer) fold(ctx context.Context, summary *facts.Summary, until uint64) error {
	if !summary.Context {
		delete(t.folds, summary.Project)
		return nil
	}
	f := t.folds[summary.Project]
	if f == nil {
		f = projections.NewFold(projections.Target{Project: summary.Project}, projections.Config{}, Needs...)
		t.folds[summary.Project] = f
	}
	if err := replay.Forward(ctx, brief{t.log}, f, until); err != nil {
		return err
	}
	summary.List, summary.Left, summary.Taken = decided(f), offers(f), projections.Handovers.In(f).Taken
	*summary = bounded(*summary)
	return nil
}

// decided returns the newest decisions that hold, newest first. It leaves out weak ones, which nobody recorded on purpose.
func decided(f *projections.Fold) (all []team.Decision) {
	for d := range projections.Decisions.In(f).List.Backward() {
		if len(all) == maxDecided {
			break
		}
		if d.Holds() && !d.Weak {
			all = append(all, team.Decision{
				Session: d.Session, Seq: d.Seq, At: int64(d.At), Text: d.Text, Question: d.Question,
			})
		}
	}
	return all
}

// Needs are the folds that LeftIn and Summarizer read.
var Needs = []projections.Projection{projections.Skills, projections.Ports, projections.Handovers, projections.Decisions, projections.Plans}

// Left is the unfinished work of a session.
type Left struct {
	Skill projections.PhaseState // inactive for none
	Ports []projections.PortState
	Plan  projections.SessionPlan // open; its Seq is 0 for none
	AsOf  uint64                  // newest event number about them
}

// LeftIn returns what each session of a project has left unfinished, by a fold of Needs.
func LeftIn(f *projections.Fold) map[string]Left {
	all := map[string]Left{}
	for _, s := range projections.Skills.In(f) {
		all[s.Session] = Left{Skill: s.Phase, AsOf: s.Phase.Seq}
	}
	for _, p := range projections.Ports.In(f).AllRunning("") {
		l := all[p.Session]
		l.Ports, l.AsOf = append(l.Ports, p), max(l.AsOf, p.Seq)
		all[p.Session] = l
	}
	for _, p := range projections.Plans.In(f) {
		if p.Open() {
			l := all[p.Session]
			l.Plan, l.AsOf = p, max(l.AsOf, p.Seq)
			all[p.Session] = l
		}
	}
	return all
}

// offers returns what sessions left unfinished, the newest first.
func offers(f *projections.Fold) (all []recovery.Offer) {
	for session, left := range LeftIn(f) {
		o := recovery.Offer{Session: session, AsOf: left.AsOf, Plan: left.Plan.Title}
		if left.Skill.Active() {
			o.Skill, o.Phase, o.PhaseName = left.Skill.Skill, left.Skill.Phase, left.Skill.Name
		}
		for _, p := range left.Ports {
			o.Ports = append(o.Ports, recovery.OfferPort{ID: p.ID, Title: p.Title, Progress: p.Progress})
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b recovery.Offer) int {
		return cmp.Or(cmp.Compare(b.AsOf, a.AsOf), cmp.Compare(a.Session, b.Session))
	})
	return all
}

// Project identifies a project of a log.
type Project struct {
	Key      string
	Identity git.Identity
	Context  bool // its decisions and unfinished work are shared
}

// Projects lists the projects of a log.
func Projects(ctx context.Context, src replay.Source) ([]Project, error) {
	return addProjects(ctx, src, events.Span{}, nil)
}

// addProjects returns a list of projects with what a span of a log records of them. known is not changed.
func addProjects(ctx context.Context, src replay.Source, span events.Span, known []Project) ([]Project, error) {
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
	maxOffers    = 20  // sessions with unfinished work, of one project
	maxPorts     = 8   // of one session
	maxDecided   = 20  // decisions of one project, the newest
	nameUnits    = 80  // UTF-16 units of a name or title
	decidedUnits = 600 // UTF-16 units of a decision, and of a question
)

const (
	// readUnits bounds a text that is folded, in UTF-16 units: twice the bound of a shared one, from which white space is removed.
	readUnits = 2 * decidedUnits
	// readWhole bounds the events that are folded as they are, in bytes.
	readWhole = 2 << 10
)

// brief is a log whose long texts are cut to what is ever shared: the folds live as long as the owner.
type brief struct{ replay.Source }

// Events implements replay.Source.
func (b brief) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range b.Source.Events(ctx, span, sel...) {
			if len(e.Body) > readWhole { // empty with an error
				e.More = nil // no fold reads it
				e, err = events.MapEnvelope(e, func(s string) string { return text.CutUnits(s, readUnits) })
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// short is line for a name or title.
func short(s string) string { return line(s, nameUnits) }

// line puts a text on one line of at most so many UTF-16 units, without characters that control a terminal or the direction of
// writing. Tags of clients stay: texts for agents escape them.
func line(s string, units int) string { return text.CutUnits(text.Printable(text.Line(s)), units) }
