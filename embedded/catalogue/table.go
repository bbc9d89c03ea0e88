// Package catalogue keeps what lists tell of sessions in one table beside the log, so that a list
// costs what it shows and not what the log holds.
//
// The table follows from the log: it names what it was made of, is checked before it is used, and may
// be deleted at any time. Only the owner of a log writes it. Whoever finds none, or one of another log,
// another program or other bytes, makes it again in memory and tells the same.
package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
	"journal/replay/audit"
)

// Log is the log that a table is made of.
type Log interface {
	Stream() string
	Stats(context.Context) (journal.Stats, error)
	Messages(context.Context, events.Span) iter.Seq2[record.Record, error]
}

// Table tells of the sessions of a log up to a sequence. It is not safe for concurrent use.
type Table struct {
	config   projections.Config
	stream   string
	seq      uint64 // of the newest record that it knows
	at       string // what that one is, as nameOf says
	projects map[string]*Project
	names    map[string]string // of projects; nil: they are to be made
	subjects map[string]place  // each once
	saved    stored            // of its file: rows and links of before, until they are asked for
	rows     map[key]*Row      // that are not in saved, or were asked for
	links    projections.SessionsState
}

type key struct{ project, session string }

// Project is what lists tell of a project.
type Project struct {
	Key        string
	Root       string // its directory; empty: unknown
	Repository string // whose worktree its root is, empty when it is none
	Remote     string // what others know the repository by; empty: unknown
	// Around is the newest event that an audit of any of its sessions depends on, though it may be another's.
	Around uint64
}

// place is what a subject names.
type place struct {
	row *Row // nil for what is of no session
	events.Type
}

// errUnlike says that a table is not one of the log.
var errUnlike = errors.New("the table is one of another log")

// New gives the table of a log of which nothing was read.
func New(c projections.Config, stream string) *Table {
	return &Table{config: c, stream: stream, projects: map[string]*Project{}, rows: map[key]*Row{}, subjects: map[string]place{}}
}

// Seq is up to where the log was read.
func (t *Table) Seq() uint64 { return t.seq }

// stride is how many records are read between two looks at who waits.
const stride = 10_000

// Forward reads what the log holds more. show, which may be nil, is told how far that has come. The
// error is that of the log, or says that the table is not one of it.
func (t *Table) Forward(ctx context.Context, log Log, show func(done, total int64)) error {
	st, err := log.Stats(ctx)
	if err != nil {
		return fmt.Errorf("list the sessions: %w", err)
	}
	if log.Stream() != t.stream || st.Last < t.seq {
		return errUnlike
	}
	// The newest one that is known is read again: it tells this log from another.
	known := t.seq == 0
	for r, err := range log.Messages(ctx, events.Span{After: max(t.seq, 1) - 1, Until: st.Last}) {
		switch {
		case err != nil:
			return fmt.Errorf("list the sessions: %w", err)
		case known:
			t.see(r)
		case r.Seq != t.seq || nameOf(r) != t.at:
			return errUnlike
		}
		known = true
		if show != nil && r.Seq%stride == 0 {
			show(int64(r.Seq), int64(st.Last))
		}
	}
	if !known {
		return errUnlike
	}
	return nil
}

// nameOf tells a record from others.
func nameOf(r record.Record) string { return r.Subject + " " + r.ID }

// see takes the next record.
func (t *Table) see(r record.Record) {
	t.seq, t.at = r.Seq, nameOf(r)
	p := t.place(r.Subject)
	if p.row == nil && p.Type == "" {
		return
	}
	if p.row != nil {
		p.row.count(p.Type)
	}
	e, foreign, err := journal.Decode(r)
	if foreign {
		return
	}
	var ev events.Event
	if err == nil && e.EchoOf == 0 && reads()[e.Type] {
		ev, err = events.Open(e)
	}
	if err != nil {
		if p.row != nil {
			p.row.Bad, p.row.Last.Seq = true, r.Seq
		}
		return
	}
	t.around(e, ev)
	if p.row != nil {
		p.row.see(e, ev, t.config)
	}
}

// place gives what a subject names.
func (t *Table) place(subject string) place {
	p, known := t.subjects[subject]
	if known {
		return p
	}
	if s, ok := journal.SubjectOf(subject); ok {
		p.Type = s.Type
		if s.Session != events.None {
			if p.row = t.Row(s.Project, s.Session); p.row == nil {
				p.row = &Row{Session: journal.Session{Project: s.Project, ID: s.Session}}
				t.rows[key{s.Project, s.Session}] = p.row
			}
		}
	}
	t.subjects[subject] = p
	return p
}

// reads says which types somebody opens.
var reads = sync.OnceValue(func() map[events.Type]bool {
	all := readBy(folded...)
	all[events.TypeOf[events.ProjectSeen]()] = true
	return all
})

// links says which types may change links.
var links = sync.OnceValue(func() map[events.Type]bool { return readBy(projections.Sessions) })

func readBy(ps ...projections.Projection) map[events.Type]bool {
	all := map[events.Type]bool{}
	for _, p := range ps {
		for _, r := range p.Reads() {
			if r.Scope <= projections.Session || r.Scope == projections.User {
				all[r.Type] = true
			}
		}
	}
	return all
}

// folded are the projections that a row has something of.
var folded = []projections.Projection{projections.SessionInfo, projections.LastCompact, projections.Pressure, projections.Sessions, projections.Todos}

// around takes what an event tells beyond its session.
func (t *Table) around(e events.Envelope, ev events.Event) {
	if e.EchoOf != 0 {
		return
	}
	if audit.Around(e.Type) {
		t.Project(e.Project).Around = e.Seq
	}
	if seen, ok := ev.(events.ProjectSeen); ok && e.Session == events.None {
		p := t.Project(e.Project)
		p.Root, p.Repository, p.Remote = cmp.Or(seen.Root, p.Root), cmp.Or(seen.Repository, p.Repository), cmp.Or(seen.Remote, p.Remote)
		t.names = nil
	}
	if ev != nil && links()[e.Type] {
		t.links = projections.Sessions.Next(t.Links(), projections.User, ev, projections.At{Meta: e.Meta, Config: t.config})
	}
}

// Project gives what is known of a project.
func (t *Table) Project(key string) *Project {
	if t.projects[key] == nil {
		t.projects[key] = &Project{Key: key}
	}
	return t.projects[key]
}

// Row gives a session, nil for one that the log does not hold.
func (t *Table) Row(project, session string) *Row {
	if r := t.rows[key{project, session}]; r != nil {
		return r
	}
	t.find(session, project) // which looks at its row, if there is one
	return t.rows[key{project, session}]
}

// Named finds a session as journal.Named does, where it is at home.
func (t *Table) Named(given string) (journal.Session, error) {
	session, _, _ := strings.Cut(given, "~")
	for n := t.find(session, ""); n < len(t.saved.Ends) && strings.HasPrefix(t.row(n).ID, session); n++ {
	}
	return journal.Named(journal.AtHome(slices.DeleteFunc(t.sessions(), func(s journal.Session) bool { return !strings.HasPrefix(s.ID, session) })), given)
}

// Rows lists the sessions, those first in which something happened last. That goes by the times of the
// reporters: an import appends what is long past.
func (t *Table) Rows() []*Row {
	return slices.SortedFunc(maps.Values(t.whole()), func(a, b *Row) int {
		x, y := a.Newest(), b.Newest()
		return cmp.Or(cmp.Compare(y.At, x.At), cmp.Compare(y.Seq, x.Seq), cmp.Compare(a.Project, b.Project), cmp.Compare(a.ID, b.ID))
	})
}

// Sessions lists the sessions as the log does, by project and id.
func (t *Table) Sessions() []journal.Session {
	t.whole()
	return t.sessions()
}

// sessions lists those whose rows were asked for.
func (t *Table) sessions() []journal.Session {
	all := make([]journal.Session, 0, len(t.rows))
	for _, r := range t.rows {
		all = append(all, r.Session)
	}
	slices.SortFunc(all, func(a, b journal.Session) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.ID, b.ID))
	})
	return all
}
