package catalogue

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"journal/embedded/store/blocks"
	"journal/journal/disk"
	"journal/projections"
	"journal/replay/audit"
)

// AuditsName is the name of the file of audits in a journal directory.
const AuditsName = "audits"

// Audits caches the totals of sessions' audits. An audit is made again if its session, the events around it in the
// project, or the rules of audits changed. It contains no words of a session, nor its name. It is not safe for
// concurrent use.
type Audits struct {
	path    string
	kind    string
	log     Log
	config  projections.Config
	known   map[[sha256.Size]byte]audited
	changed bool
}

// audited is the audit of one session, and the state of the log that it was made of.
type audited struct {
	Last, Around uint64
	Sum          audit.Sum
}

// storedAudits is the content of the file.
type storedAudits struct {
	Stream string
	Config projections.Config
	Rows   map[string]audited
}

// OpenAudits returns the audits of a log that are kept in a directory, empty for none. program is the version of the program:
// each version makes its own audits.
func OpenAudits(dir string, log Log, c projections.Config, program string) *Audits {
	a := &Audits{log: log, config: c, kind: fmt.Sprintf("journal audits 2 %d of %s%s", audit.Rules, program, formOf(storedAudits{})), known: map[[sha256.Size]byte]audited{}}
	if dir == "" {
		return a
	}
	a.path = filepath.Join(dir, AuditsName)
	var s storedAudits
	if open(a.path, a.kind, &s) == nil && s.Stream == log.Stream() && s.Config.Equal(c) {
		for name, one := range s.Rows {
			a.known[[sha256.Size]byte([]byte(name))] = one
		}
	}
	return a
}

// Mark identifies the state of the log that an audit of a session is made of.
type Mark struct {
	name [sha256.Size]byte
	made audited
}

// MarkOf returns the mark of a session. Take it before the audit: events that come meanwhile then outdate the audit.
func MarkOf(t *Table, r *Row) Mark {
	return Mark{sha256.Sum256([]byte(r.Project + "\x00" + r.ID)), audited{Last: r.Last.Seq, Around: t.Project(r.Project).Around}}
}

// Known returns the audit of a session, if it is up to date. A session without a compaction needs none.
func (a *Audits) Known(t *Table, r *Row) (audit.Sum, bool) {
	if !r.Compacted && !r.Bad {
		return audit.Sum{}, true
	}
	now := MarkOf(t, r)
	one, ok := a.known[now.name]
	return one.Sum, ok && one.Last == now.made.Last && one.Around == now.made.Around
}

// Put adds an audit.
func (a *Audits) Put(m Mark, r audit.Report) {
	m.made.Sum = r.Sum()
	a.known[m.name], a.changed = m.made, true
}

// Save writes the audits to the file, if there is a directory and anything is new. If two processes save at once, the
// later one wins.
func (a *Audits) Save() error {
	if a.path == "" || !a.changed {
		return nil
	}
	s := storedAudits{Stream: a.log.Stream(), Config: a.config, Rows: map[string]audited{}}
	for name, one := range a.known {
		s.Rows[string(name[:])] = one
	}
	b, err := packed(nil, s)
	if err != nil {
		return fmt.Errorf("keep the audits: %w", err)
	}
	if err := disk.Replace(a.path, blocks.WholePaged(a.kind, b), 0o600); err != nil {
		return fmt.Errorf("keep the audits: %w", err)
	}
	a.changed = false
	return nil
}
