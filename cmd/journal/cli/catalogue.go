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

// cachedTable holds the table of sessions of the log that a verb reads.
type cachedTable struct {
	log   *journal.Log
	table *catalogue.Table // nil: none is kept
}

// Catalogue returns the table of the sessions of a log, as of its end. If none is kept it
// makes one, which reads the whole log.
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
	a.cache = cachedTable{log, t}
	return t, nil
}

// cachedTable returns the kept table of a log, nil if a list would have to read the whole log.
func (a *App) cachedTable(ctx context.Context, log *journal.Log) *catalogue.Table {
	if a.cache.log != log && log != nil {
		a.cache = cachedTable{log, catalogue.Cached(ctx, a.catalogueDir(), log)}
	}
	return a.cache.table
}

// OfProject reports whether a flag names a project: by directory, key, name, or the name of its
// repository. An empty flag names all.
func OfProject(a *App, t *catalogue.Table, project, flag string) bool {
	return Named(a, flag, project, t.Name(project), t.Project(project).Repository)
}

// Named reports whether a flag names the project with this key, name and repository.
func Named(a *App, flag, project, name, repository string) bool {
	switch flag {
	case "", name, catalogue.PlainName(project), repository:
		return true
	}
	return project == a.ProjectKey(flag)
}

// errNoProject is the error of a flag that names a project of which the log holds nothing.
var errNoProject = errors.New("the journal knows no project")

// CheckProject returns an error if a flag names a project of which the log holds nothing.
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
		if OfProject(a, t, key, flag) {
			return nil
		}
		names = append(names, t.Name(key))
	}
	return WithHint(fmt.Errorf("%w %q%s", errNoProject, flag, DidYouMean(flag, names)), "journal sessions")
}

// catalogueDir returns the directory of the table of the log that is read, empty if none is kept.
func (a *App) catalogueDir() string {
	if a.Copy != nil {
		return ""
	}
	return a.Dir
}

// Words returns functions that open the kept words of a log (search.Options), and close them.
func Words(ctx context.Context, a *App, log *journal.Log) (open func() search.Index, end func()) {
	return catalogue.Words(ctx, a.catalogueDir(), log)
}

// Audits returns the kept audits of a log.
func Audits(a *App, log *journal.Log, c projections.Config) *catalogue.Audits {
	return catalogue.OpenAudits(a.catalogueDir(), log, c, Version())
}

// SaveAudits saves audits for the next time if the log has an owner. An error is only logged: the audits are valid
// without it.
func SaveAudits(a *App, audits *catalogue.Audits) {
	if !a.owned {
		return
	}
	if err := audits.Save(); err != nil {
		a.Logger().Warn("audits", "error", err.Error())
	}
}
