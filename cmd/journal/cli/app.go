package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/journal/config"
	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/owner"
	"journal/embedded/owner/answers"
	"journal/embedded/rebuild"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/disk/logfile"
	"journal/journal/hookrun"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
	"journal/projections"
)

// App holds what the verbs share: the journal's directory, and access to the terminal, the environment and the owner.
type App struct {
	Terminal
	Dir string // directory of the journal
	// Colleague is the value of --team: the members whose logs are read. Empty means this log.
	Colleague    string
	titles       map[projections.Target]string // cache of Title
	cache        tableCache
	throughOwner bool // the log is read through a running owner
	// Confined limits verbs to the project of the agent that runs them (agent.go).
	Confined bool
	// Pace returns how long a time budget lasts: the budget itself, longer in tests, which must pass on a busy machine.
	Pace func(budget time.Duration) time.Duration
}

// NewApp returns the App of this process, from its environment.
func NewApp() *App {
	hookrun.FindHome()
	a := &App{
		Terminal: Terminal{In: os.Stdin, Out: &display{to: os.Stdout}, Err: &display{to: os.Stderr}, Getenv: os.Getenv},
		Pace:     func(budget time.Duration) time.Duration { return budget },
	}
	a.Dir = hookrun.Dir(a.Getenv)
	return a
}

// Appender returns an appender that starts an owner if none runs and JOURNAL_OWNER allows that.
func (a *App) Appender() *client.Appender { return a.HookEnv().Open(ownership.Start) }

// Starter returns the function that starts an owner in the background; nil if JOURNAL_OWNER does
// not allow that.
func (a *App) Starter() func(dir string) error {
	if hookrun.StartsNoOwner(a.Getenv) {
		return nil
	}
	return ownership.Start
}

// HookEnv returns what hookrun needs of this process; every verb that appends uses it.
func (a *App) HookEnv() hookrun.Env {
	e := hookrun.Env{
		Dir: a.Dir, In: a.In, Out: Verbatim(a.Out), Getenv: a.Getenv, Pace: a.Pace, Appender: a.Appender, Tried: hookrun.TakeTried(),
	}
	if a.Starter() != nil {
		e.ReplaceOwner = func() error { _, err := ownership.StartSuccessor(a.Dir); return err }
	}
	return e
}

// replaceWait bounds how long a verb waits until an owner of its own build has replaced an older one. After that the older
// one answers.
const replaceWait = 3 * time.Second

// replaceOutdatedOwner replaces a running owner of an older build, before its log is read. It waits up to replaceWait.
func (a *App) replaceOutdatedOwner(ctx context.Context) {
	if a.Starter() == nil {
		return
	}
	started, err := ownership.StartSuccessor(a.Dir)
	if err != nil {
		a.Logger().Error("successor", "error", err.Error())
	}
	if !started {
		return
	}
	for deadline := time.Now().Add(replaceWait); ctx.Err() == nil && time.Now().Before(deadline) && ownership.Outdated(a.Dir); {
		time.Sleep(time.Millisecond)
	}
}

// OwnerConfig returns the configuration for an owner of a log in this process.
func (a *App) OwnerConfig() owner.Config {
	return owner.Config{
		Logger: a.Logger(), Version: Version(), Idle: config.Idle(a.Getenv), Command: a.Command,
		Team: team.Link(a), Pace: a.Pace,
		Settings: func() owner.Settings {
			c, err := config.Load(a.Getenv)
			if err != nil {
				a.Logger().Error("configuration", "error", err.Error())
			}
			settings := answers.Settings{Fold: c.Fold(), Stop: c.Stop, NoGuidance: !c.Guidance, NoStart: !c.Start, Template: c.Template}
			return owner.Settings{Settings: settings, Retention: retention(c.Retention), Transcripts: c.Transcripts == "keep"}
		},
	}
}

// retention converts the configured retention for the owner; a project may be named by its
// directory.
func retention(c config.Retention) rebuild.Retention {
	r := rebuild.Retention{Age: time.Duration(c.Days) * Day, Bytes: uint64(c.Megabytes) * 1e6, Projects: map[string]time.Duration{}}
	for name, days := range c.Projects {
		if filepath.IsAbs(name) {
			name = client.ProjectKey(name)
		}
		r.Projects[name] = time.Duration(days) * Day
	}
	return r
}

// NoHomeProblem describes the problem of a user without a home directory; empty if there is none.
func NoHomeProblem(a *App) string {
	if !hookrun.IsHomeless(a.Dir) {
		return ""
	}
	return fmt.Sprintf("HOME is not set and the system knows no home of user %d, so the journal is in %s, which the system may empty", os.Getuid(), a.Dir)
}

// Logger returns a logger that writes to the journal's log file.
func (a *App) Logger() *slog.Logger { return logfile.Logger(a.Dir) }

// ownWait bounds how long a verb waits for the lock of the log in order to read, if JOURNAL_OWNER forbids to start an owner.
const ownWait = 30 * time.Second

// ErrNoJournal means that the journal's directory does not exist.
var ErrNoJournal = errors.New("there is no journal")

// CheckJournal returns an error if the journal's directory does not exist (ErrNoJournal) or cannot be read.
func (a *App) CheckJournal() error {
	d, err := disk.OpenDir(a.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return WithHint(fmt.Errorf("%w in %s yet", ErrNoJournal, a.Dir), "journal install")
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the journal directory %s is a file: %w", a.Dir, syscall.ENOTDIR)
	case err != nil:
		return fmt.Errorf("the journal directory cannot be read: %w", err)
	}
	return d.Close()
}

// Read drains the spool into the log and runs f on the log. It uses the running owner, starts one, or owns the log until f
// returns, as JOURNAL_OWNER allows. On a disk that takes no writes no owner can run: f then reads the log from its files.
// With --team, f runs on each of the colleagues' logs instead.
func (a *App) Read(ctx context.Context, f func(*journal.Log) error) error {
	if a.Colleague != "" {
		return team.Read(ctx, a, f, nil)
	}
	return a.ReadOwn(ctx, f)
}

// ReadOwn is Read for this log, without regard to --team.
func (a *App) ReadOwn(ctx context.Context, f func(*journal.Log) error) error {
	if err := a.CheckJournal(); err != nil {
		return err
	}
	a.replaceOutdatedOwner(ctx)
	nc, waiting, err := service.Reach(ctx, a.Dir, a.Starter())
	if a.Starter() == nil && errors.Is(err, sock.ErrNoOwner) {
		return a.readAsOwner(ctx, f)
	}
	if nc == nil {
		return a.readOffline(ctx, WithHint(err, "journal status"), f)
	}
	defer nc.Close()
	if err != nil {
		return WithHint(err, "journal status")
	}
	if waiting != "" {
		a.Note("events wait in the spool: " + waiting)
	}
	log, err := a.logOver(ctx, nc)
	if err != nil {
		return err
	}
	a.throughOwner = true
	return f(log)
}

// readAsOwner owns the log until f returns. If it cannot own the log, it uses readOffline.
func (a *App) readAsOwner(ctx context.Context, f func(*journal.Log) error) error {
	opened := false
	err := service.With(ctx, a.Dir, ownWait, a.OwnerConfig(), func(o *owner.Owner) error {
		opened = true
		if err := o.Drain(ctx); err != nil {
			a.Note("events wait in the spool: " + err.Error())
		}
		return f(a.PastMalformed(o.Log(), ""))
	})
	if err == nil || opened {
		return err
	}
	return a.readOffline(ctx, err, f)
}

// readOffline runs f on the log's files if the disk takes no writes. On any other disk, and after the end of ctx, it returns why,
// the error because of which no owner could be used.
func (a *App) readOffline(ctx context.Context, why error, f func(*journal.Log) error) error {
	if ctx.Err() != nil || embedded.Writable(a.Dir) == nil {
		return why
	}
	log, err := copies.Offline(ctx, a.Dir)
	if err != nil {
		return errors.Join(why, err)
	}
	a.Note(fmt.Sprintf("the disk takes no writes, so no owner can run: the log is read from its files, without what waits in the spool (%v)", why))
	return f(a.PastMalformed(log, ""))
}

// OwnersLog opens the log of the running owner. If none runs, start starts one; nil starts none. end closes the connection,
// and is never nil.
func (a *App) OwnersLog(ctx context.Context, start func(dir string) error) (log *journal.Log, end func(), err error) {
	nc, err := service.Connect(ctx, a.Dir, start)
	if err != nil {
		return nil, func() {}, err
	}
	if log, err = a.logOver(ctx, nc); err != nil {
		nc.Close()
	}
	return log, nc.Close, err
}

// logOver opens the log through a connection to its owner.
func (a *App) logOver(ctx context.Context, nc *nats.Conn) (*journal.Log, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	log, err := journal.OpenLog(ctx, js)
	if err != nil {
		return nil, err
	}
	return a.PastMalformed(log.Through(embedded.Records(a.Dir, log.Stream())), ""), nil
}

// PastMalformed returns the log with readers that skip stored bytes that cannot be read. A note names each of them once, after
// whose, which is "MEMBER/DEVICE: " for a colleague's log.
func (a *App) PastMalformed(log *journal.Log, whose string) *journal.Log {
	return log.PastMalformed(func(err error) { a.Note("left out: " + whose + err.Error()) })
}
