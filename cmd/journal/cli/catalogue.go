package cli

import (
	"context"

	"journal/embedded/catalogue"
	"journal/journal"
	"journal/projections"
	"journal/replay/search"
)

// listed is the table of sessions of the log that a verb reads.
type listed struct {
	log   *journal.Log
	table *catalogue.Table // nil: none is kept
}

// Catalogue returns what lists tell of the sessions of a log that a verb reads, as of its end. Where no
// table is kept it is made, which reads all of the log.
func Catalogue(ctx context.Context, a *App, log *journal.Log) (*catalogue.Table, error) {
	if t := a.kept(ctx, log); t != nil {
		return t, nil
	}
	show, end := a.ProgressOf("sessions read from", func(n uint64) string { return Counted(n, "event") })
	defer end()
	t, err := catalogue.Of(ctx, a.catalogueDir(), log, nil, show)
	if err == nil {
		a.listed = listed{log, t}
	}
	return t, err
}

// kept returns the table of a log that is kept, nil where a list would have to read all of the log.
func (a *App) kept(ctx context.Context, log *journal.Log) *catalogue.Table {
	if a.listed.log != log && log != nil {
		a.listed = listed{log, catalogue.Kept(ctx, a.catalogueDir(), log)}
	}
	return a.listed.table
}

// catalogueDir is where a table of the log that is read may be, empty where none is kept.
func (a *App) catalogueDir() string {
	if a.At != nil {
		return ""
	}
	return a.Dir
}

// Words returns what looks up what is kept of the words of a log that a verb searches (search.Options).
func Words(ctx context.Context, a *App, log *journal.Log) func(from, to uint64) []*search.Mesh {
	return catalogue.Words(ctx, a.catalogueDir(), log)
}

// Audits returns the audits that are kept of a log that a verb reads.
func Audits(a *App, log *journal.Log, c projections.Config) *catalogue.Audits {
	return catalogue.OpenAudits(a.catalogueDir(), log, c, Version())
}

// SaveAudits keeps audits for the next time, where the log has an owner. The audits hold though they cannot be
// kept, so that is only noted.
func SaveAudits(a *App, audits *catalogue.Audits) {
	if !a.owned {
		return
	}
	if err := audits.Save(); err != nil {
		a.Logger().Warn("audits", "error", err.Error())
	}
}
