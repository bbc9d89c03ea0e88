package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/agents"
	"journal/journal/agents/install"
	"journal/journal/disk"
	"journal/journal/hookrun"
	"journal/journal/wire/client"
	"journal/projections"
)

// TargetFlags select the session of a verb. All empty, they select the default that the help of each flag names.
type TargetFlags struct {
	Session, Project, Lane string
	isNew                  bool // --new: the log need not know the session
}

// Add adds --session, --project and --lane to a verb.
func (t *TargetFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&t.Session, "session", "", "session id or unique prefix (default: JOURNAL_SESSION, the agent's own variable, else the project's newest)")
	c.Flags().StringVar(&t.Project, "project", "", "project directory or key (default: the agent's own variable, the git top level, the working directory)")
	c.Flags().StringVar(&t.Lane, "lane", "", "subagent id; the main lane when empty")
}

// AddNew is Add for a verb that records; it also adds --new.
func (t *TargetFlags) AddNew(c *cobra.Command) {
	t.Add(c)
	if !strings.Contains(c.Long, exits) {
		c.Long = cmp.Or(c.Long, c.Short) + exits + " 0 durable; 1 refused or not durable; 2 usage."
	}
	c.Flags().BoolVar(&t.isNew, "new", false, "--session is a whole id, which the journal need not know yet")
}

// Args returns the flags that select the same session, as words of a shell, each after a blank.
func (t TargetFlags) Args() (flags string) {
	for _, f := range []struct{ name, value string }{{"session", t.Session}, {"project", t.Project}, {"lane", t.Lane}} {
		if f.value != "" {
			flags += " --" + f.name + " " + install.Quote(f.value)
		}
	}
	return flags
}

// Root returns the directory of the project that a verb is about. flag is the value of --project, which is returned as it is.
func (a *App) Root(flag string) string {
	if flag != "" {
		return flag
	}
	cwd, _ := os.Getwd() // empty if the directory was removed
	project, _ := agents.FromEnvironment(a.Getenv)
	return agents.Root(project, cwd)
}

// SessionGiven returns the session that --session or the environment names; empty if neither does.
func (a *App) SessionGiven(flag string) string {
	return cmp.Or(flag, a.Getenv("JOURNAL_SESSION"), a.agentSession())
}

// ProjectKey returns the key of a project in the log that is being read. flag is the value of --project, a directory or a key.
// If it is empty, the project is that of Root.
func (a *App) ProjectKey(flag string) string {
	if flag == "" || strings.ContainsAny(flag, `/\`) || IsDirectory(flag) { // an imported session may be from Windows
		return a.Copy.key(client.ProjectKey(a.Root(flag)))
	}
	return flag
}

// IsDirectory reports whether a path is that of an existing directory.
func IsDirectory(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// ProjectIn is ProjectKey, but flag may also be a name that exactly one project of the log has. A directory that is written as a
// path, or that the log knows, comes before such a name. To a confined verb, which may read one project, only a directory or key
// names it.
func (a *App) ProjectIn(ctx context.Context, log *journal.Log, flag string) string {
	key := a.ProjectKey(flag)
	isPath := flag == "." || flag == ".." || strings.ContainsAny(flag, `/\`)
	if flag == "" || a.Confined || isPath && IsDirectory(flag) {
		return key
	}
	if table, err := Catalogue(ctx, a, log); err == nil {
		return table.KeyOf(flag, key)
	}
	return key
}

// Target finds the session that a verb is about, or one of its lanes. The session events.None stands for the events that belong
// only to the project.
func (a *App) Target(ctx context.Context, log *journal.Log, t TargetFlags) (projections.Target, error) {
	var s journal.Session
	var err error
	switch given := a.SessionGiven(t.Session); given {
	case events.None:
		s = journal.Session{Project: a.ProjectIn(ctx, log, t.Project), ID: given}
	case "":
		s, err = a.defaultSession(ctx, log, t.Project)
	default:
		s, err = SessionNamed(ctx, a, log, given)
	}
	if err != nil {
		return projections.Target{}, err
	}
	if err := a.checkReach(ctx, log, s, "read"); err != nil {
		return projections.Target{}, err
	}
	if err := checkLane(ctx, log, s, t.Lane); err != nil {
		return projections.Target{}, err
	}
	return projections.Target{Project: s.Project, Session: s.ID, Lane: t.Lane}, nil
}

// defaultSession returns the newest session of a project, and prints a note with it. flag is the value of --project.
func (a *App) defaultSession(ctx context.Context, log *journal.Log, flag string) (journal.Session, error) {
	s, err := newestOf(ctx, a, log, a.ProjectIn(ctx, log, flag))
	switch {
	case err == nil:
		a.Note("newest session of " + s.Project + ": " + SessionName(ctx, a, log, s.Project, s.ID))
	case errors.Is(err, journal.ErrNoSession) && a.ProjectKey(flag) != flag: // a directory says more than its key
		err = fmt.Errorf("%w in %s", journal.ErrNoSession, a.Root(flag))
	}
	return s, WithHint(err, "journal sessions")
}

// checkLane returns an error if a session has no such lane, so that a typo does not look like a subagent without events.
func checkLane(ctx context.Context, log *journal.Log, s journal.Session, lane string) error {
	if lane == "" || s.ID == events.None {
		return nil
	}
	var lanes []string
	for e, err := range log.Events(ctx, events.Span{}, events.Selector{Session: s.ID}) {
		if err != nil {
			return Damaged(err)
		}
		task, _ := events.As[events.SubagentTasked](e) // of a subagent without events of its own only the task may be recorded
		for _, found := range []string{e.Lane, task.Lane} {
			if found == lane {
				return nil
			}
			if found != "" && !slices.Contains(lanes, found) {
				lanes = append(lanes, found)
			}
		}
	}
	message := lane
	if len(lanes) > 0 {
		message += "; it has: " + strings.Join(lanes, ", ")
	}
	return WithHint(fmt.Errorf("session %s has no subagent %s", journal.ShortID(s.ID), OneLine(message)), "journal log"+TargetFlags{Session: s.ID}.Args())
}

// recordingSession returns the session that a verb records in, events.None for the project alone. The log must know a session
// that a flag names, and its lane, so that a typo begins none. It need not know those of the agent's own session, because a verb
// may be faster than the first hook.
func (a *App) recordingSession(c *cobra.Command, t TargetFlags) (string, error) {
	given := a.SessionGiven(t.Session)
	switch {
	case t.isNew && t.Session == "":
		return "", Usage(errors.New("--new needs --session, the id of the session that begins"))
	case given == "":
		return newestSession(a, c, t)
	case t.isNew && !a.Confined, given == events.None, a.isOwnSession(t) && needsNoLookup(a, given):
		return given, nil // used without asking the log
	}
	err := a.Read(c.Context(), func(log *journal.Log) error {
		s, err := SessionNamed(c.Context(), a, log, given)
		switch {
		case err != nil:
			return err
		case t.isNew && s.ID != given:
			return nil // a new session, although its id begins like another
		}
		given = s.ID
		if a.isOwnSession(t) {
			return nil // the environment is trusted, and a verb may be faster than the first hook of a lane
		}
		if err := a.checkReach(c.Context(), log, s, "record in"); err != nil {
			return err
		}
		return checkLane(c.Context(), log, s, t.Lane)
	})
	switch {
	case err == nil:
		return given, nil
	case t.isNew && !errors.Is(err, errNotForAgents): // the session of --new need not be known
		return given, nil
	case a.isOwnSession(t) && !errors.As(err, new(*journal.AmbiguousError)):
		return given, nil // the log does not know the session, or cannot be read
	case errors.Is(err, ErrNoJournal):
		err = fmt.Errorf("%w %s: %w", journal.ErrNoSession, given, err)
	}
	if errors.Is(err, journal.ErrNoSession) {
		err = WithHint(err, "journal sessions, or --new to begin that session")
	}
	return given, err
}

// mayBegin reports whether the log need not know the session of the flags.
func (a *App) mayBegin(t TargetFlags) bool {
	return t.isNew || a.isOwnSession(t)
}

// isOwnSession reports whether --session is missing or repeats the session of the environment.
func (a *App) isOwnSession(t TargetFlags) bool {
	return a.SessionGiven(t.Session) == a.SessionGiven("")
}

// needsNoLookup reports whether a session id from the environment is used without asking the log: it is the agent's own, it
// looks like a whole UUID, or no owner may be started.
func needsNoLookup(a *App, id string) bool {
	uuid := len(id) == 36 && id[8] == '-' && id[13] == '-' && id[18] == '-' && id[23] == '-'
	return id == a.agentSession() || uuid || hookrun.StartsNoOwner(a.Getenv)
}

// LockEmptyDirectory takes the lock of the journal directory for a verb that restores a log. If the directory exists, it must be
// empty, except for the owner's files and the names in allowed.
func LockEmptyDirectory(a *App, verb string, allowed ...string) (*ownership.Lock, error) {
	entries, err := disk.ReadDir(a.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(d fs.DirEntry) bool { // an earlier restore that failed left owner.lock
		return strings.HasPrefix(d.Name(), "owner.") || slices.Contains(allowed, d.Name())
	})
	if len(entries) > 0 {
		move := "journal stop && mv " + install.Quote(a.Dir) + " " + install.Quote(a.Dir+".old")
		return nil, WithHint(fmt.Errorf("%s is not empty", a.Dir), "JOURNAL_DIR=… journal "+verb+" FILE, or move it away: "+move)
	}
	if err := ownership.Prepare(a.Dir); err != nil {
		return nil, err
	}
	lock, err := ownership.TryLock(a.Dir)
	return lock, WithHint(err, "journal status")
}

// Selection selects events of the log; the zero value selects all.
type Selection struct {
	Session string // id or unique prefix
	Project string // directory, key or name
	Type    string
}

// Selectors returns a list with the selector of a Selection. For the zero value the list is empty, which selects all events.
func Selectors(ctx context.Context, a *App, log *journal.Log, f Selection) ([]events.Selector, error) {
	sel := events.Selector{Type: events.Type(f.Type)}
	if f.Project != "" {
		sel.Project = a.ProjectIn(ctx, log, f.Project)
	}
	if f.Session != "" {
		t, err := a.Target(ctx, log, TargetFlags{Session: f.Session})
		if err != nil {
			return nil, err
		}
		sel.Session = t.Session
	}
	if sel == (events.Selector{}) {
		return nil, nil
	}
	return []events.Selector{sel}, nil
}

// CheckType returns an error if an event type is not declared. The error names the nearest declared types. An empty type is no
// error.
func CheckType(typ string) error {
	var names []string
	for _, d := range events.Declared() {
		names = append(names, string(d.Name))
	}
	if typ == "" || slices.Contains(names, typ) {
		return nil
	}
	return fmt.Errorf("no event has the type %q%s", typ, cmp.Or(DidYouMean(typ, names), " (journal events lists them)"))
}
