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
	fold   projections.Config // of the audits
	days   days
}

// card is one session in a list.
type card struct {
	catalogue.Activity
	Title, Name string // Name is the project's
	Info        projections.SessionState
	Pressure    projections.PressureState
	Compactions int
}

// read brings the table to the end of the log, or makes a new one if the log or the configuration is another. The caller
// holds the lock.
func (c *sessionList) read(ctx context.Context) error {
	fold := c.config.Fold()
	if c.table != nil && c.fold.Equal(fold) && c.table.Forward(ctx, c.log, nil) == nil {
		return nil
	}
	c.table = nil
	if _, err := c.log.Stats(ctx); err != nil { // opens the log, which has a name from then on
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
	words   string // each of them in the title, the project, the agent or the id
	project string // key
	all     bool   // also those in which nobody asked anything
}

func (q query) matches(a catalogue.Activity, r *catalogue.Row) bool {
	if q.project != "" && a.Project != q.project || !q.all && !a.Asked {
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

// folded returns a text as it is compared in a search, without its case and width.
func folded(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// rows returns copies of the sessions, the last active first.
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

// active selects the sessions that were active between two times.
func active(rows []catalogue.Row, from, to time.Time) (active []*catalogue.Row) {
	for i := range rows {
		if overlaps(&rows[i], from.UnixNano(), to.UnixNano()) {
			active = append(active, &rows[i])
		}
	}
	return active
}

// list returns at most n of the selected sessions, the last active first, from a position on, and how
// many there are in all.
func (c *sessionList) list(ctx context.Context, q query, from, n int) (found []card, total int, err error) {
	rows, err := c.rows(ctx)
	if err != nil {
		return nil, 0, err
	}
	for i := range rows {
		r := &rows[i]
		a := r.Activity()
		if !q.matches(a, r) {
			continue
		}
		if total++; total <= from || len(found) == n {
			continue
		}
		session := card{Activity: a, Name: c.projectName(r.Project), Title: r.Title, Info: r.Info, Pressure: r.Pressure, Compactions: r.Compactions}
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

// projects lists the projects as the table does.
func (c *sessionList) projects(ctx context.Context) ([]catalogue.Counted, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	return c.table.Projects(), nil
}

// lost returns what the compactions of a session lost, or without one those of the project's sessions, and how many
// sessions are not in it yet.
func (c *sessionList) lost(ctx context.Context, t projections.Target) (sum audit.Totals, left int, err error) {
	found := t.Session == ""
	left, err = c.audited(ctx, true, func(r *catalogue.Row) bool {
		found = found || r.Project == t.Project && r.ID == t.Session
		return r.Project == t.Project && (t.Session == "" || r.ID == t.Session)
	}, func(_ *catalogue.Row, session audit.Sum) { sum = sum.Plus(session.Totals) })
	if err == nil && !found {
		err = errNoSession
	}
	return sum, left, err
}

// auditTime bounds the time in which an answer begins audits.
const auditTime = 300 * time.Millisecond

// audited calls see with the audits of the wanted sessions that were compacted, and returns how many of these sessions have no
// valid audit. If more is set it first audits some of them, at least one and as many as auditTime allows.
func (c *sessionList) audited(ctx context.Context, more bool, wants func(*catalogue.Row) bool, see func(*catalogue.Row, audit.Sum)) (left int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return 0, err
	}
	table := c.table // another request may drop it during an audit
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
