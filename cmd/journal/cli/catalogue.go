package cli

import (
	"context"
	"errors"
	"fmt"

	"journal/embedded/catalogue"
	"journal/journal"
	"journal/projections"
	"journal/replay/search"
)

// tableCache holds the table of the sessions of one log.
type tableCache struct {
	log   *journal.Log
	table *catalogue.Table // nil if the log has no stored table
}

// Catalogue returns the table of the sessions of a log, as of its end. If no table is stored, it reads the whole log to make
// one.
func Catalogue(ctx context.Context, a *App, log *journal.Log) (*catalogue.Table, error) {
	if t := a.cachedTable(ctx, log); t != nil {
		return t, nil
	}
	show, end := a.Progress("sessions read")
	defer end()
	t, err := catalogue.Of(ctx, a.catalogueDir(), log, nil, show)
	if err != nil {
		return t, err
	}
	a.cache = tableCache{log, t}
	return t, nil
}

// cachedTable returns the table of a log, from the cache or from its file; nil if no table is stored.
func (a *App) cachedTable(ctx context.Context, log *journal.Log) *catalogue.Table {
	if a.cache.log != log {
		a.cache = tableCache{log, catalogue.Cached(ctx, a.catalogueDir(), log)}
	}
	return a.cache.table
}

// NamesProject reports whether a flag names the project with this key: by directory, key, name, or the name of its
// repository. An empty flag names every project.
func NamesProject(a *App, t *catalogue.Table, project, flag string) bool {
	return NamesKey(a, project, t.Name(project), t.Project(project).Repository, flag)
}

// NamesKey is NamesProject for a project whose name and repository are known.
func NamesKey(a *App, project, name, repository, flag string) bool {
	switch flag {
	case "", name, catalogue.PlainName(project), repository:
		return true
	}
	return project == a.ProjectKey(flag)
}

// ErrNoProject means that the log holds nothing of the project that a flag names.
var ErrNoProject = errors.New("the journal knows no project")

// CheckProject returns an error if a flag names a project of which the log holds nothing. An empty flag is no error.
func (a *App) CheckProject(ctx context.Context, log *journal.Log, flag string) error {
	if flag == "" {
		return nil
	}
	t, err := Catalogue(ctx, a, log)
	if err != nil {
		return err
	}
	var names []string
	for _, key := range t.Keys() {
		if NamesProject(a, t, key, flag) {
			return nil
		}
		names = append(names, t.Name(key))
	}
	return WithHint(fmt.Errorf("%w %q%s", ErrNoProject, flag, DidYouMean(flag, names)), "journal sessions")
}

// catalogueDir returns the directory that holds the derived files of the log that is read. It is empty for a colleague's log,
// which has none here.
func (a *App) catalogueDir() string {
	if a.Copy != nil {
		return ""
	}
	return a.Dir
}

// Words returns the functions that open and close the index of a log's words (search.Options.Index).
func Words(ctx context.Context, a *App, log *journal.Log) (open func() search.Index, end func()) {
	return catalogue.Words(ctx, a.catalogueDir(), log)
}

// Audits opens the stored audits of a log's sessions.
func Audits(a *App, log *journal.Log, c projections.Config) *catalogue.Audits {
	return catalogue.OpenAudits(a.catalogueDir(), log, c, Version())
}

// SaveAudits stores audits if the log is read through an owner. An error is only logged, because audits can be computed
// again.
func SaveAudits(a *App, audits *catalogue.Audits) {
	if !a.throughOwner {
		return
	}
	if err := audits.Save(); err != nil {
		a.Logger().Warn("audits", "error", err.Error())
	}
}
