package colleagues

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/facts"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// Summarizer folds a log into the summaries that colleagues get. It is safe for concurrent use.
type Summarizer struct {
	log *journal.Log
	dir string // with the table of sessions

	mu       sync.Mutex // guards what follows
	projects []Project
	read     uint64 // number up to which projects were read
	folds    map[string]*projections.Fold
	last     map[string]catalogue.Listed // by project and session, which left something when it was listed last
}

// NewSummarizer makes the teller of the log of a journal directory.
func NewSummarizer(dir string, log *journal.Log) *Summarizer {
	return &Summarizer{log: log, dir: dir, folds: map[string]*projections.Fold{}, last: map[string]catalogue.Listed{}}
}

// Summaries returns the summary of each project of a share, by the log up to an event number at least. Without rows it leaves out the
// sessions, which take a look at the table of them all.
func (t *Summarizer) Summaries(ctx context.Context, share team.Share, until uint64, rows bool) ([]facts.Summary, error) {
	all, err := t.folded(ctx, share, until)
	if err == nil && rows {
		all, err = t.listed(ctx, share, all)
	}
	if err != nil {
		return nil, fmt.Errorf("tell colleagues: %w", err)
	}
	return all, nil
}

// folded returns the summaries of the projects of a share without sessions.
func (t *Summarizer) folded(ctx context.Context, share team.Share, until uint64) (all []facts.Summary, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	until = max(until, t.read) // what was folded is not folded back
	projects, err := onward(ctx, t.log, events.Span{After: t.read, Until: until}, t.projects)
	if err != nil {
		return nil, err
	}
	t.projects, t.read = projects, until
	for _, p := range t.projects {
		summary := facts.Summary{Project: p.Key, Is: p.Is, Context: share.SharesContext(p.Key)}
		if !summary.Context && !share.SharesEvents(p.Key) {
			continue
		}
		if err := t.fold(ctx, &summary, until); err != nil {
			return nil, err
		}
		all = append(all, summary)
	}
	return all, nil
}

// listed adds the rows of sessions of projects whose events are shared, also of those of which nothing else is shared.
func (t *Summarizer) listed(ctx context.Context, share team.Share, all []facts.Summary) ([]facts.Summary, error) {
	table, err := catalogue.Of(ctx, t.dir, t.log, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range table.Sessions() {
		if share.SharesEvents(r.Project) && !slices.ContainsFunc(all, func(t facts.Summary) bool { return t.Project == r.Project }) {
			all = append(all, facts.Summary{Project: r.Project})
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range all {
		rows := list(&all[i], table)
		if !share.SharesEvents(all[i].Project) { // titles quote what was asked
			all[i] = facts.Summary{Project: all[i].Project, Is: all[i].Is, Context: true, Left: all[i].Left, Taken: all[i].Taken, List: all[i].List}
		}
		for _, s := range rows {
			if slices.ContainsFunc(all[i].Left, func(o recovery.Offer) bool { return o.Session == s.ID }) {
				t.last[all[i].Project+"/"+s.ID] = s
			}
		}
		t.date(&all[i])
	}
	return all, nil
}

// fold adds what was decided and left unfinished in a project whose context is shared.
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
	t.date(summary)
	return nil
}

// date sets when the session of each unfinished work was active last: now, if it was not listed since.
func (t *Summarizer) date(summary *facts.Summary) {
	for i, o := range summary.Left {
		s, listed := t.last[summary.Project+"/"+o.Session]
		if !listed || s.Seq < o.AsOf {
			s = catalogue.Listed{Last: time.Now().UnixNano()}
		}
		summary.Left[i].Last, summary.Left[i].Ended = s.Last, s.Ended || o.Session == events.None
	}
}

// decided returns the newest decisions that hold, newest first. It leaves out what was
// read out of prose, because nobody recorded it on purpose.
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

// Needs are the folds of a project that Left reads.
var Needs = []projections.Projection{projections.Skills, projections.Ports, projections.Handovers, projections.Decisions, projections.Plans}

// Left is the unfinished work of a session.
type Left struct {
	Skill projections.PhaseState // not active: none
	Ports []projections.PortState
	Plan  projections.LeftPlan // open; without a sequence: none
	AsOf  uint64               // newest event number about them
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

// shortOf returns the first ports' names.
func shortOf(ports []string) (all []string) {
	for _, p := range ports[:min(len(ports), maxPorts)] {
		all = append(all, short(p))
	}
	return all
}

// maxRows bounds the sessions in a summary.
const maxRows = 200

// list adds the rows of the newest sessions, and returns all of them.
func list(summary *facts.Summary, t *catalogue.Table) (all []catalogue.Listed) {
	p := t.Project(summary.Project)
	summary.Root, summary.Repository, summary.Name = p.Root, p.Repository, t.Name(p.Key)
	for _, r := range t.Rows() {
		if r.Project == summary.Project {
			all = append(all, t.Listed(r))
		}
	}
	summary.Sessions = all[:min(len(all), maxRows)]
	summary.More = len(all) - len(summary.Sessions)
	return all
}

const (
	// readUnits bounds a text that is read, in UTF-16 units: twice the bound of a shared one, from which white space is
	// removed.
	readUnits = 2 * decidedUnits
	// readWhole bounds the events that are kept as they are, in bytes.
	readWhole = 2 << 10
)

// brief is a log whose long texts are cut to what is ever shared.
type brief struct{ replay.Source }

func (b brief) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range b.Source.Events(ctx, span, sel...) {
			if err == nil && len(e.Body) > readWhole {
				e.More = nil // nothing folds it
				e, err = events.MapEnvelope(e, func(s string) string { return text.CutUnits(s, readUnits) })
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
