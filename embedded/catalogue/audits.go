package catalogue

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"

	"journal/journal/disk"
	"journal/projections"
	"journal/replay/audit"
)

// AuditsName is the name of the file of audits in a journal directory.
const AuditsName = "audits"

// Audits caches the totals of sessions' audits. An audit is outdated if its session has changed, or events of the project on which it
// depends, or the rules of audits. The file contains no words of a session and no name. Audits is not safe for concurrent use.
type Audits struct {
	path    string // of the file, empty for none
	kind    string // of the file: names the rules, the program and the form of the content
	log     Log
	config  projections.Config
	cached  map[string]audited // by Mark.name
	changed bool               // since the file was read or written
}

// audited is the audit of one session, and the state of the log from which it was made.
type audited struct {
	Last, LastProjectEvent uint64 // sequences of the session's newest event, and of Project.Around
	Sum                    audit.Sum
}

// storedAudits is the content of the file.
type storedAudits struct {
	Stream string
	Config projections.Config
	Rows   map[string]audited // by Mark.name
}

// OpenAudits returns the cached audits of a log in a directory. If dir is empty, nothing is read or saved. program is the version of the
// program: each version makes its own audits.
func OpenAudits(dir string, log Log, c projections.Config, program string) *Audits {
	a := &Audits{log: log, config: c, kind: fmt.Sprintf("journal audits 2 %d of %s%s", audit.Rules, program, formOf(storedAudits{})), cached: map[string]audited{}}
	if dir == "" {
		return a
	}
	a.path = filepath.Join(dir, AuditsName)
	var s storedAudits
	if open(a.path, a.kind, &s) == nil && s.Stream == log.Stream() && s.Config.Equal(c) {
		maps.Copy(a.cached, s.Rows)
	}
	return a
}

// Mark identifies a session, and the state of the log from which its audit is made.
type Mark struct {
	name  string  // digest of project and session
	state audited // without Sum
}

// MarkOf returns the mark of a session. Call it before the audit is made: then events that arrive during the audit make the result
// outdated.
func MarkOf(t *Table, r *Row) Mark {
	name := sha256.Sum256([]byte(r.Project + "\x00" + r.ID))
	return Mark{string(name[:]), audited{Last: r.Last.Seq, LastProjectEvent: t.Project(r.Project).Around}}
}

// Cached returns the totals of a session's audit. ok is false if there are none or they are outdated. A session without a compaction has
// the zero value.
func (a *Audits) Cached(t *Table, r *Row) (sum audit.Sum, ok bool) {
	if !r.Compacted && !r.Bad {
		return audit.Sum{}, true
	}
	mark := MarkOf(t, r)
	entry, ok := a.cached[mark.name]
	return entry.Sum, ok && entry.Last == mark.state.Last && entry.LastProjectEvent == mark.state.LastProjectEvent
}

// Put adds the totals of an audit. The mark was made before the audit.
func (a *Audits) Put(m Mark, r audit.Report) {
	m.state.Sum = r.Sum()
	a.cached[m.name], a.changed = m.state, true
}

// Save writes the audits to the file, if there is a file and an audit was added. If two processes save at once, the later one wins.
func (a *Audits) Save() error {
	if a.path == "" || !a.changed {
		return nil
	}
	s := storedAudits{Stream: a.log.Stream(), Config: a.config, Rows: a.cached}
	if err := save(disk.Replace, a.path, a.kind, s); err != nil {
		return fmt.Errorf("save the audits: %w", err)
	}
	a.changed = false
	return nil
}
