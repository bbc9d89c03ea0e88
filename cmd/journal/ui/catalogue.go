package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
)

// sessionList knows what each session is about, and what its compactions lost. It is safe for concurrent use.
type sessionList struct {
	log    *reader
	config Config

	mu     sync.Mutex
	table  *catalogue.Table // nil: nothing was read
	audits *catalogue.Audits
	fold   projections.Config // of the audits and of decisions
	// decisions counts those of each project up to a sequence.
	decisions    map[string]projections.DecisionsState
	decisionsSeq uint64
	days         days
}

// card is one session in a list.
type card struct {
	catalogue.Activity
	Title, Name string // Name is the project's
	Info        projections.SessionState
	Pressure    projections.PressureState
	Compactions int
}

// read brings the table to the end of the log, or makes a new one for another log. The caller holds the lock.
func (c *sessionList) read(ctx context.Context) error {
	fold := c.config.Fold()
	if c.table != nil && c.fold.Equal(fold) && c.table.Forward(ctx, c.log, nil) == nil {
		return nil
	}
	c.table = nil
	if _, err := c.log.Stats(ctx); err != nil { // opens the log, which has a name from then on
		return err
	}
	table, err := catalogue.Of(ctx, c.config.Kept, c.log, &fold, nil)
	if err != nil {
		return err
	}
	c.table, c.fold, c.audits = table, fold, catalogue.OpenAudits(c.config.Kept, c.log, fold, c.config.Version)
	c.decisions, c.decisionsSeq = map[string]projections.DecisionsState{}, 0
	return nil
}

// query selects sessions.
type query struct {
	words   string // each in the first request, the project, the agent or the id
	project string // key
	agent   string
	from    int64 // ns since 1970 UTC: something happened in them since then; 0: any time
	until   int64 // and before then
	all     bool  // also those in which nobody asked anything
}

func (q query) wants(a catalogue.Activity, r *catalogue.Row) bool {
	switch {
	case q.project != "" && a.Project != q.project, q.agent != "" && a.Newest.Agent != q.agent, !q.all && !a.Asked:
		return false
	case q.from != 0 && !overlaps(r, q.from, q.until):
		return false
	}
	words := folded(strings.Join([]string{r.Title, a.Project, a.Newest.Agent, a.ID}, " "))
	for word := range strings.FieldsSeq(folded(q.words)) {
		if !strings.Contains(words, word) {
			return false
		}
	}
	return true
}

func folded(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// list returns at most n of the selected sessions, the last active first, from a position on, and how
// many there are in all.
func (c *sessionList) list(ctx context.Context, q query, from, n int) (found []card, total int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, 0, err
	}
	for _, r := range c.table.Rows() {
		a := r.Activity()
		if !q.wants(a, r) {
			continue
		}
		if total++; total <= from || len(found) == n {
			continue
		}
		session := card{Activity: a, Name: c.table.Name(r.Project), Title: r.Title, Info: r.Info, Pressure: r.Pressure, Compactions: r.Compactions}
		session.Info.Agent = cmp.Or(session.Info.Agent, a.Newest.Agent)
		found = append(found, session)
	}
	return found, total, nil
}

// project returns the name and the directory of a project; empty: unknown.
func (c *sessionList) project(key string) (name, root string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.table == nil && c.read(context.Background()) != nil {
		return catalogue.PlainName(key), ""
	}
	return c.table.Name(key), c.table.Project(key).Root
}

// projectName names a project.
func (c *sessionList) projectName(key string) string {
	name, _ := c.project(key)
	return name
}

// choices returns the agents and projects that a list can be filtered by, the last active first.
func (c *sessionList) choices(ctx context.Context) (agents []string, projects []projectRow, err error) {
	projects, err = c.projects(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.table == nil {
		return nil, nil, err
	}
	for _, r := range c.table.Rows() {
		if a := r.Newest().Agent; a != "" && !slices.Contains(agents, a) {
			agents = append(agents, a)
		}
	}
	return agents, projects, err
}

// projects lists the projects as the table does.
func (c *sessionList) projects(ctx context.Context) (rows []projectRow, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	for _, p := range c.table.Projects() {
		rows = append(rows, projectRow{Counted: p})
	}
	return rows, c.decided(ctx, rows)
}

// decided counts the decisions of projects that hold. The caller holds the lock.
func (c *sessionList) decided(ctx context.Context, rows []projectRow) error {
	var sel []events.Selector
	for _, read := range projections.Decisions.Reads() {
		sel = append(sel, events.Selector{Type: read.Type})
	}
	rewound := map[string]bool{} // projects
	sel = append(sel, events.Selector{Type: events.TypeOf[events.ConversationRewound]()})
	for e, err := range c.log.Events(ctx, events.Span{After: c.decisionsSeq, Until: c.table.Seq()}, sel...) {
		if err != nil {
			return err
		}
		if e.Type == events.TypeOf[events.ConversationRewound]() {
			rewound[e.Project] = true
		} else if ev, err := events.Open(e); err == nil && e.EchoOf == 0 {
			c.decisions[e.Project] = projections.Decisions.Next(c.decisions[e.Project], projections.Project, ev, projections.At{Meta: e.Meta, Target: projections.Target{Project: e.Project}})
		}
	}
	for key := range rewound {
		state, err := replay.State(ctx, c.log, projections.Target{Project: key}, projections.Config{}, projections.Decisions, c.table.Seq())
		if err != nil {
			return err
		}
		c.decisions[key] = state
	}
	c.decisionsSeq = c.table.Seq()
	for i := range rows {
		for d := range c.decisions[rows[i].Key].All() {
			if d.Holds() {
				rows[i].Decisions++
			}
		}
	}
	return nil
}

// lost returns what the compactions of a session lost, or without one those of the project's sessions, and how many
// sessions are not in it yet.
func (c *sessionList) lost(ctx context.Context, t projections.Target) (sum audit.Totals, left int, err error) {
	found := t.Session == ""
	left, err = c.audited(ctx, time.Second, func(r *catalogue.Row) bool {
		found = found || r.Project == t.Project && r.ID == t.Session
		return r.Project == t.Project && (t.Session == "" || r.ID == t.Session)
	}, func(_ *catalogue.Row, session audit.Sum) { sum = sum.Plus(session.Totals) })
	if err == nil && !found {
		err = errNoSession
	}
	return sum, left, err
}

// audited audits the wanted sessions that were compacted, at least one and as many as it can in some time, calls see with
// each, and returns how many are left. A session without new events is not audited again.
func (c *sessionList) audited(ctx context.Context, limit time.Duration, wants func(*catalogue.Row) bool, see func(*catalogue.Row, audit.Sum)) (left int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return 0, err
	}
	table := c.table // another request may drop it during an audit
	rows := slices.DeleteFunc(table.Rows(), func(r *catalogue.Row) bool { return !wants(r) || !r.Compacted })
	audits, end := c.audits, time.Now().Add(limit)
	for i, r := range rows {
		known, ok := audits.Known(table, r)
		if !ok && i > 0 && time.Now().After(end) {
			left++
			continue
		}
		if !ok {
			if known, err = c.audit(ctx, audits, catalogue.MarkOf(table, r), projections.Target{Project: r.Project, Session: r.ID}); err != nil {
				break
			}
		}
		see(r, known)
	}
	if err := audits.Save(); err != nil {
		c.config.Logger.Warn("audits", "error", err.Error()) // they will be made again
	}
	return left, err
}

// audit audits a session. The caller holds the lock, which audit releases meanwhile.
func (c *sessionList) audit(ctx context.Context, audits *catalogue.Audits, mark catalogue.Mark, t projections.Target) (audit.Sum, error) {
	fold := c.fold
	c.mu.Unlock()
	report, err := audit.Audit(ctx, c.log, t, fold)
	c.mu.Lock()
	if err != nil {
		return audit.Sum{}, err
	}
	audits.Put(mark, report)
	return report.Sum(), nil
}
