package ui

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"journal/embedded/catalogue"
	"journal/projections"
	"journal/replay/audit"
)

// sessionList caches the table of sessions, the audits of their compactions, and the work of sessions on a day. It is safe for
// concurrent use.
type sessionList struct {
	log    *reader
	config Config

	mu     sync.Mutex
	table  *catalogue.Table // nil: it must be read
	audits *catalogue.Audits
	fold   projections.Config // the configuration with which table and audits were opened
	days   days
}

// read brings the table to the end of the log. If the configuration changed, or the table cannot be brought there, as that of another
// log, it opens a new one. The caller holds the lock.
func (c *sessionList) read(ctx context.Context) error {
	fold := c.config.Fold()
	if c.table != nil && c.fold.Equal(fold) && c.table.Forward(ctx, c.log, nil) == nil {
		return nil
	}
	c.table = nil
	if _, err := c.log.Stats(ctx); err != nil { // opens the log: before that, c.log has no stream
		return err
	}
	table, err := catalogue.Of(ctx, c.config.Dir, c.log, &fold, nil)
	if err != nil {
		return err
	}
	c.table, c.fold, c.audits = table, fold, catalogue.OpenAudits(c.config.Dir, c.log, fold, c.config.Version)
	return nil
}

// query selects sessions.
type query struct {
	words   string // each must be in the title, the project, the agent or the id
	project string // key
	all     bool   // also those in which nobody asked anything
}

// matches reports whether the query selects a session.
func (q query) matches(r *catalogue.Row) bool {
	if q.project != "" && r.Project != q.project {
		return false
	}
	if !q.all && !r.Asked {
		return false
	}
	described := folded(strings.Join([]string{r.Title, r.Project, r.Newest().Agent, r.ID}, " "))
	for word := range strings.FieldsSeq(folded(q.words)) {
		if !strings.Contains(described, word) {
			return false
		}
	}
	return true
}

// folded returns a text for comparisons, without differences of case and width.
func folded(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// rows returns copies of the rows of all sessions, the last active first.
func (c *sessionList) rows(ctx context.Context) (rows []catalogue.Row, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	for _, r := range c.table.Rows() {
		rows = append(rows, *r)
	}
	return rows, nil
}

// active returns the rows of the sessions that were active between two times.
func active(rows []catalogue.Row, from, to time.Time) (found []*catalogue.Row) {
	for i := range rows {
		if overlaps(&rows[i], from, to) {
			found = append(found, &rows[i])
		}
	}
	return found
}

// list returns at most n of the sessions that a query selects, the last active first, without the first from of them. total is
// the number of all selected sessions.
func (c *sessionList) list(ctx context.Context, q query, from, n int) (found []catalogue.Row, total int, err error) {
	rows, err := c.rows(ctx)
	if err != nil {
		return nil, 0, err
	}
	for i := range rows {
		if !q.matches(&rows[i]) {
			continue
		}
		if total++; total > from && len(found) < n {
			found = append(found, rows[i])
		}
	}
	return found, total, nil
}

// project returns the name and the directory of a project. The directory is empty if it is unknown.
func (c *sessionList) project(key string) (name, root string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.table == nil && c.read(context.Background()) != nil {
		return catalogue.PlainName(key), ""
	}
	return c.table.Name(key), c.table.Project(key).Root
}

// projectName returns the name of a project.
func (c *sessionList) projectName(key string) string {
	name, _ := c.project(key)
	return name
}

// projects lists the projects as the table does.
func (c *sessionList) projects(ctx context.Context) ([]catalogue.Counted, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	return c.table.Projects(), nil
}

// lost returns the totals of a session's audit. If t names no session, it returns the sum over the project's sessions. left is
// the number of sessions that are not audited yet, so that the sum lacks them. The error is errNoSession if there is none.
func (c *sessionList) lost(ctx context.Context, t projections.Target) (sum audit.Totals, left int, err error) {
	found := false
	wants := func(r *catalogue.Row) bool {
		wanted := r.Project == t.Project && (t.Session == "" || r.ID == t.Session)
		found = found || wanted
		return wanted
	}
	left, err = c.eachAudit(ctx, true, wants, func(_ *catalogue.Row, session audit.Sum) { sum = sum.Plus(session.Totals) })
	if err != nil || found {
		return sum, left, err
	}
	return sum, left, errNoSession
}

// auditTime bounds the time that one answer spends on audits: after it no further audit begins.
const auditTime = 300 * time.Millisecond

// eachAudit calls see with the audit of each wanted session that was compacted, if it is cached. left is the number of these
// sessions without a cached audit. If more is set, it audits some of those: as many as auditTime allows, and at least the newest
// session.
func (c *sessionList) eachAudit(ctx context.Context, more bool, wants func(*catalogue.Row) bool, see func(*catalogue.Row, audit.Sum)) (left int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return 0, err
	}
	table := c.table // another request may replace c.table during an audit
	rows := slices.DeleteFunc(table.Rows(), func(r *catalogue.Row) bool { return !wants(r) || !r.Compacted })
	audits, end := c.audits, time.Now().Add(auditTime)
	for i, r := range rows {
		known, ok := audits.Cached(table, r)
		if !ok && (!more || i > 0 && time.Now().After(end)) {
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
		c.config.Logger.Warn("audits", "error", err.Error()) // the audits will be made again
	}
	return left, err
}

// audit audits a session and caches the audit. The caller holds the lock; audit releases it while it reads the log.
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
