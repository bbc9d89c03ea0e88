// Package catalogue keeps derived files of a log. A table has what lists show of sessions, so that the cost of a list depends on the length
// of the list and not on that of the log. The other files have the totals of audits, and the words of the log for searches.
//
// Each file names its log, is checked before use, and may be deleted at any time. Only the owner of a log writes the table and the words. A
// reader without a valid table makes one in memory, and shows the same.
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
	"journal/replay"
	"journal/replay/audit"
)

// Log provides the stored events, as journal.Log does.
type Log interface {
	Stream() string
	Stats(context.Context) (journal.Stats, error)
	Messages(context.Context, events.Span) iter.Seq2[record.Record, error]
	replay.Source
}

// Table describes the sessions of a log up to a sequence. It is not safe for concurrent use.
type Table struct {
	config   projections.Config
	stream   string
	seq      uint64 // of the newest record that was read
	newest   string // identifies that record (see nameOf)
	projects map[string]*Project
	names    map[string]string  // of projects, by key; nil if they must be made
	subjects map[string]subject // cache of parse
	saved    stored             // content of the file; Rows and Links are removed once all are decoded
	rows     map[key]*Row       // decoded and new rows
	rewound  map[*Row]bool      // rows whose session was rewound since they were folded
	links    projections.SessionsState
}

type key struct{ project, session string }

// Project describes a project for lists.
type Project struct {
	Key        string
	Root       string // its directory; empty if unknown
	Repository string // name of the repository if Root is a worktree, else empty
	Remote     string // of the repository; empty if unknown
	// Around is the sequence of the project's newest event that may change audits of all its sessions.
	Around uint64
}

// subject holds the session and the type of events in a subject.
type subject struct {
	row         *Row // of the session; nil if the events belong to none
	events.Type      // empty for a subject of no event
}

// errOtherLog is returned for the table of another log, or one made by other rules or parameters.
var errOtherLog = errors.New("the table is of another log")

// New returns an empty table of a log.
func New(c projections.Config, stream string) *Table {
	return &Table{config: c, stream: stream, projects: map[string]*Project{}, rows: map[key]*Row{}, rewound: map[*Row]bool{}, subjects: map[string]subject{}}
}

// stride is the number of records between two calls of show.
const stride = 10_000

// Forward adds the records of the log that the table lacks. show, if not nil, gets the progress. The error is that of the log, or errOtherLog.
func (t *Table) Forward(ctx context.Context, log Log, show func(done, total int64)) error {
	st, err := log.Stats(ctx)
	if err != nil {
		return fmt.Errorf("list the sessions: %w", err)
	}
	if log.Stream() != t.stream || st.Last < t.seq {
		return errOtherLog
	}
	// The newest record of the table is read again. It distinguishes this log from others.
	checked := t.seq == 0
	for r, err := range log.Messages(ctx, events.Span{After: max(t.seq, 1) - 1, Until: st.Last}) {
		switch {
		case err != nil:
			return fmt.Errorf("list the sessions: %w", err)
		case checked:
			t.add(r)
		case r.Seq != t.seq || nameOf(r) != t.newest:
			return errOtherLog
		}
		checked = true
		if show != nil && r.Seq%stride == 0 {
			show(int64(r.Seq), int64(st.Last))
		}
	}
	if !checked {
		return errOtherLog
	}
	return t.refoldRewound(ctx, log)
}

// refoldRewound folds the sessions that were rewound since they were folded.
func (t *Table) refoldRewound(ctx context.Context, log Log) error {
	for r := range t.rewound {
		if err := t.refold(ctx, log, r); err != nil {
			return fmt.Errorf("list the sessions: %w", err)
		}
		delete(t.rewound, r)
	}
	return nil
}

// refold folds a session again, without the events that a person took back.
func (t *Table) refold(ctx context.Context, log Log, r *Row) error {
	rewinds, err := replay.Rewinds(ctx, log, r.Project, r.ID, t.seq)
	if err != nil {
		return err
	}
	r.Title, r.Info, r.Pressure, r.Compactions, r.Facts, r.Tasks = "", projections.SessionState{}, projections.PressureState{}, 0, projections.CompactionFacts{}, nil
	for e, err := range log.Events(ctx, events.Span{Until: t.seq}, events.Selector{Project: r.Project, Session: r.ID}) {
		if err != nil {
			return err
		}
		if e.EchoOf != 0 || !readTypes()[e.Type] || rewinds.TakenBack(e.Meta, "") {
			continue
		}
		if ev, err := events.Open(e); err == nil { // otherwise the row is marked as bad
			r.fold(e, ev, t.config)
		}
	}
	return nil
}

// nameOf identifies a record.
func nameOf(r record.Record) string { return r.Subject + " " + r.ID }

// add adds the next record.
func (t *Table) add(r record.Record) {
	t.seq, t.newest = r.Seq, nameOf(r)
	if r.IsForeign() {
		t.saved.Foreign++
		t.saved.FirstForeign = cmp.Or(t.saved.FirstForeign, r.Seq)
	}
	s := t.parse(r)
	if s.row == nil && s.Type == "" {
		return
	}
	if s.row != nil {
		s.row.count(s.Type)
	}
	e, foreign, err := journal.Decode(r)
	if foreign {
		return
	}
	var ev events.Event // nil if no fold reads it
	needed := err == nil && e.EchoOf == 0 && readTypes()[e.Type]
	if needed {
		ev, err = events.Open(e)
	}
	if err != nil {
		if s.row != nil {
			s.row.Bad, s.row.Last.Seq = true, r.Seq
		}
		return
	}
	t.addToProject(e, ev)
	if s.row != nil {
		s.row.add(e, ev, t.config)
		if e.Type == events.TypeOf[events.ConversationRewound]() {
			t.rewound[s.row] = true
		}
	}
}

// parse returns the session and the type in a record's subject. It adds the row of a new session.
func (t *Table) parse(r record.Record) subject {
	s, cached := t.subjects[r.Subject]
	if cached {
		return s
	}
	if parts, ok := journal.SubjectOf(r); ok {
		s.Type = parts.Type
		if parts.Session != events.None {
			if s.row = t.Row(parts.Project, parts.Session); s.row == nil {
				s.row = &Row{Session: journal.Session{Project: parts.Project, ID: parts.Session}}
				t.rows[key{parts.Project, parts.Session}] = s.row
			}
		}
	}
	t.subjects[r.Subject] = s
	return s
}

// readTypes returns the types of events that the table decodes.
var readTypes = sync.OnceValue(func() map[events.Type]bool {
	all := readBy(folded...)
	all[events.TypeOf[events.ProjectSeen]()] = true
	return all
})

// linkTypes returns the types of events that may change links.
var linkTypes = sync.OnceValue(func() map[events.Type]bool { return readBy(projections.Sessions) })

// readBy returns the types of events that some projections read of a session or of the whole log.
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

// folded lists the projections that rows contain.
var folded = []projections.Projection{projections.SessionInfo, projections.LastCompact, projections.Pressure, projections.Sessions, projections.Todos}

// addToProject adds an event to its project and to the links. ev is nil if no fold reads it.
func (t *Table) addToProject(e events.Envelope, ev events.Event) {
	if e.EchoOf != 0 {
		return
	}
	if audit.CrossesSessions(e.Type) {
		t.Project(e.Project).Around = e.Seq
	}
	if seen, ok := ev.(events.ProjectSeen); ok && e.Session == events.None {
		p := t.Project(e.Project)
		p.Root, p.Repository, p.Remote = cmp.Or(seen.Root, p.Root), cmp.Or(seen.Repository, p.Repository), cmp.Or(seen.Remote, p.Remote)
		t.names = nil
	}
	if ev != nil && linkTypes()[e.Type] {
		t.links = projections.Sessions.Next(t.Links(), projections.User, ev, projections.At{Meta: e.Meta, Config: t.config})
	}
}

// Project returns a project. It adds the project to the table if it is new.
func (t *Table) Project(key string) *Project {
	if t.projects[key] == nil {
		t.projects[key] = &Project{Key: key}
	}
	return t.projects[key]
}

// Row returns a session, nil if the log does not have it.
func (t *Table) Row(project, session string) *Row {
	if r := t.rows[key{project, session}]; r != nil {
		return r
	}
	t.find(project, session) // decodes its row, if there is one
	return t.rows[key{project, session}]
}

// Named finds a session as journal.FindSession does, in its main project.
func (t *Table) Named(prefix string) (journal.Session, error) {
	session, _, _ := strings.Cut(prefix, "~") // without the part
	n := t.find("", session)
	for n < len(t.saved.Ends) && strings.HasPrefix(t.storedRow(n).ID, session) { // storedRow decodes the row for sessions
		n++
	}
	return journal.FindSession(journal.InMainProjects(t.sessions()), prefix)
}

// Rows returns all rows, the most recently active first. Activity is by the reporters' clock, because an import appends old events.
func (t *Table) Rows() []*Row {
	return slices.SortedFunc(maps.Values(t.allRows()), func(a, b *Row) int {
		x, y := a.Newest(), b.Newest()
		return cmp.Or(cmp.Compare(y.At, x.At), cmp.Compare(y.Seq, x.Seq), cmp.Compare(a.Project, b.Project), cmp.Compare(a.ID, b.ID))
	})
}

// Sessions returns all sessions by project and id.
func (t *Table) Sessions() []journal.Session {
	t.allRows()
	return t.sessions()
}

// sessions returns the sessions with decoded rows, by project and id.
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
