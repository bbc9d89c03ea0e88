package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"journal/embedded/catalogue"
	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
)

// sessionList knows what each session is about, and what its compactions lost. It is safe for concurrent use.
type sessionList struct {
	log    *reader
	config Config

	mu     sync.Mutex
	table  *catalogue.Table // nil: nothing was read
	audits *catalogue.Audits
	fold   projections.Config // that both are of
	days   days
}

// card is one session in a list.
type card struct {
	journal.Activity
	Title, Name string // the name is the project's
	Info        projections.SessionState
	Pressure    projections.PressureState
	Compactions int
}

// read moves the table to the end of the log, and makes another of another log. The caller holds the lock.
func (c *sessionList) read(ctx context.Context) error {
	fold := c.config.Fold()
	if c.table != nil && c.fold.Equal(fold) && c.table.Forward(ctx, c.log, nil) == nil {
		return nil
	}
	c.table = nil
	if _, err := c.log.Stats(ctx); err != nil { // reaches the log, which has a name from then on
		return err
	}
	table, err := catalogue.Of(ctx, c.config.Kept, c.log, &fold, nil)
	if err == nil {
		c.table, c.fold, c.audits = table, fold, catalogue.OpenAudits(c.config.Kept, c.log, fold, c.config.Version)
	}
	return err
}

// query is which sessions are looked for.
type query struct {
	words   string // each in the first request, the project, the agent or the id
	project string // key
	agent   string
	from    int64 // ns since 1970 UTC: something happened in them from then on; 0: whenever
	until   int64 // and before then
	all     bool  // also those in which nobody asked anything
}

func (q query) wants(a journal.Activity, r *catalogue.Row) bool {
	switch {
	case q.project != "" && a.Project != q.project, q.agent != "" && a.Newest.Agent != q.agent, !q.all && !a.Asked:
		return false
	case q.from != 0 && (a.Newest.At < q.from || r.Began >= q.until):
		return false
	}
	title := r.Title
	said := folded(strings.Join([]string{title, a.Project, a.Newest.Agent, a.ID}, " "))
	for word := range strings.FieldsSeq(folded(q.words)) {
		if !strings.Contains(said, word) {
			return false
		}
	}
	return true
}

func folded(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// list gives the sessions that are looked for from one on, those first in which something
// happened last, at most n, and how many there are.
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
		one := card{Activity: a, Name: c.name(r.Project), Title: r.Title, Info: r.Info, Pressure: r.Pressure, Compactions: r.Compactions}
		one.Info.Agent = cmp.Or(one.Info.Agent, a.Newest.Agent)
		found = append(found, one)
	}
	return found, total, nil
}

// name gives the name of a project, of a worktree behind that of its repository. The caller holds the lock.
func (c *sessionList) name(key string) string {
	name := projectName(key)
	if repo := c.table.Project(key).Repository; repo != "" && repo != name {
		return repo + "/" + name
	}
	return name
}

// projectName is name for whoever does not hold the lock, once the table was read.
func (c *sessionList) projectName(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name(key)
}

// choices gives the agents and the projects that a list can be about, those first in which something happened last.
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

// projects lists the projects, those first in which something happened last, worktrees of one repository together.
func (c *sessionList) projects(ctx context.Context) (rows []projectRow, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	for _, r := range c.table.Rows() {
		i := slices.IndexFunc(rows, func(p projectRow) bool { return p.Key == r.Project })
		if i < 0 {
			i = len(rows)
			rows = append(rows, projectRow{Key: r.Project, Name: c.name(r.Project), Repository: cmp.Or(c.table.Project(r.Project).Repository, projectName(r.Project)), At: r.Newest().At})
		}
		if rows[i].Root = cmp.Or(rows[i].Root, r.Info.Root); r.Asked {
			rows[i].Sessions++
			rows[i].Compactions += r.Compactions
		}
	}
	first := map[string]int{}
	for i, p := range rows {
		if _, known := first[p.Repository]; !known {
			first[p.Repository] = i
		}
	}
	slices.SortStableFunc(rows, func(a, b projectRow) int { return first[a.Repository] - first[b.Repository] })
	return rows, nil
}

// lost says what the compactions of a session lost. A session that nobody works on is not audited again.
func (c *sessionList) lost(ctx context.Context, t projections.Target) (audit.Totals, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return audit.Totals{}, err
	}
	r := c.table.Row(t.Project, t.Session)
	if r == nil {
		return audit.Totals{}, errNoSession
	}
	if known, ok := c.audits.Known(c.table, r); ok {
		return known.Totals, nil
	}
	mark, audits, fold := catalogue.MarkOf(c.table, r), c.audits, c.fold
	c.mu.Unlock()
	report, err := audit.Audit(ctx, c.log, t, fold)
	c.mu.Lock()
	if err != nil {
		return audit.Totals{}, err
	}
	audits.Put(mark, report)
	if err := audits.Save(); err != nil {
		c.config.Logger.Warn("audits", "error", err.Error()) // it is made again
	}
	return report.Totals, nil
}
