package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"journal/embedded/owner"
	"journal/embedded/ownership"
	"journal/embedded/rebuild"
	"journal/embedded/service"
	"journal/journal"
	"journal/journal/client"
	"journal/journal/disk"
	"journal/journal/hookrun"
	"journal/journal/logfile"
	"journal/journal/sock"
	"journal/journal/wire"
	"journal/projections"
)

// app is what the verbs share: where the journal is, and the world outside.
type app struct {
	dir    string
	in     *os.File
	out    io.Writer // the result; a display
	err    io.Writer // what a person should know beside it; a display
	getenv func(string) string
	asJSON bool // --json
	// colleague is --team: whose log is read instead of this one.
	colleague string
	// at is the one of them that is read now, nil for this log.
	at     *place
	noted  map[string]bool               // what was said by note
	titles map[projections.Target]string // of sessions that were named, for title
	// confined says that an agent runs a verb that it may be allowed: see agent.go.
	confined bool
	// pace says how long a budget lasts by the clock of this machine: as long as it
	// says, but in tests, which no busy machine may fail.
	pace func(budget time.Duration) time.Duration
}

func newApp() *app {
	hookrun.FindHome()
	a := &app{
		in: os.Stdin, out: &display{to: os.Stdout}, err: &display{to: os.Stderr}, getenv: os.Getenv,
		pace: func(budget time.Duration) time.Duration { return budget },
	}
	a.dir = hookrun.Dir(a.getenv)
	return a
}

// inlineWait bounds how long a hook waits for the lock in inline mode.
const inlineWait = 50 * time.Millisecond

// appender makes the appender that JOURNAL_OWNER asks for.
func (a *app) appender() *client.Appender { return a.agentCall().Open(service.Start, a.inline) }

// starter makes an owner start in the background; nil where JOURNAL_OWNER does
// not allow it.
func (a *app) starter() func(dir string) error {
	if hookrun.StartsNoOwner(a.getenv) {
		return nil
	}
	return service.Start
}

// agentCall is what a verb that an agent runs works with.
func (a *app) agentCall() hookrun.Env {
	e := hookrun.Env{Dir: a.dir, In: a.in, Out: verbatim(a.out), Getenv: a.getenv, Pace: a.pace, Appender: a.appender}
	if a.starter() != nil {
		e.Succeed = func() error { _, err := service.StartSuccessor(a.dir); return err }
	}
	return e
}

// succeedWait bounds the waiting of a verb for an owner of its own build. After it the
// older one answers.
const succeedWait = 3 * time.Second

// succeed has an owner of an older build make way before its log is read.
func (a *app) succeed(ctx context.Context) {
	if a.starter() == nil {
		return
	}
	started, err := service.StartSuccessor(a.dir)
	if err != nil {
		a.logger().Error("successor", "error", err.Error())
	}
	for late := time.Now().Add(succeedWait); started && ctx.Err() == nil && time.Now().Before(late) && ownership.Outdated(a.dir); {
		time.Sleep(time.Millisecond)
	}
}

// inline handles a request as the owner of the log, for as long as it takes.
func (a *app) inline(ctx context.Context, r wire.Request) (wire.Reply, error) {
	var reply wire.Reply
	c := a.ownerConfig()
	c.Brief = true
	err := service.With(ctx, a.dir, inlineWait, c, func(o *owner.Owner) error {
		reply = o.Handle(ctx, r)
		return nil
	})
	return reply, mendable(err)
}

// own runs f as the owner of the log.
func (a *app) own(ctx context.Context, f func(*owner.Owner) error) error {
	return mendable(service.With(ctx, a.dir, ownWait, a.ownerConfig(), f))
}

// mendable says what to do about a damaged store that could not be rebuilt.
func mendable(err error) error {
	if errors.Is(err, embedded.ErrSuspectStore) {
		return withHint(err, "journal repair")
	}
	return err
}

func (a *app) ownerConfig() owner.Config {
	return owner.Config{
		Logger: a.logger(), Version: version(), Idle: config.Idle(a.getenv), Command: a.command,
		Team: a.getenv("JOURNAL_TEAM"),
		Settings: func() owner.Settings {
			c, err := config.Load(a.getenv)
			if err != nil {
				a.logger().Error("configuration", "error", err.Error())
			}
			return owner.Settings{
				Fold: c.Fold(), Stop: c.Stop, NoGuidance: c.NoGuidance(), NoStart: c.NoStart(), Template: c.Template,
				Retention: retention(c.Retention),
			}
		},
	}
}

// retention gives what is configured in the owner's terms; a project may be named by its
// directory.
func retention(c config.Retention) owner.Retention {
	r := owner.Retention{Age: time.Duration(c.Days) * day, Bytes: uint64(c.Megabytes) * 1e6, Projects: map[string]time.Duration{}}
	for name, days := range c.Projects {
		if filepath.IsAbs(name) {
			name = client.ProjectKey(name)
		}
		r.Projects[name] = time.Duration(days) * day
	}
	return r
}

// homeless says what is wrong with a journal of a user who has no home; empty when nothing is.
func (a *app) homeless() string {
	if !hookrun.IsHomeless(a.dir) {
		return ""
	}
	return fmt.Sprintf("HOME is not set and the system knows no home of user %d, so the journal is in %s, which the system may empty", os.Getuid(), a.dir)
}

func (a *app) logger() *slog.Logger { return logfile.Logger(a.dir) }

// ownWait bounds how long a reading verb waits for the lock where it may start no
// owner (JOURNAL_OWNER).
const ownWait = 30 * time.Second

// errNoJournal says that nothing was ever recorded in the directory.
var errNoJournal = errors.New("there is no journal")

// isThere says whether anything was ever recorded.
func (a *app) isThere() error {
	d, err := disk.OpenDir(a.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return withHint(fmt.Errorf("%w in %s yet", errNoJournal, a.dir), "journal install")
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the journal directory %s is a file: %w", a.dir, syscall.ENOTDIR)
	case err != nil:
		return fmt.Errorf("the journal directory cannot be read: %w", err)
	}
	return d.Close()
}

// read runs f on the log with everything in it that waits in the spool. It uses
// the running owner, starts one, or is the owner meanwhile, as JOURNAL_OWNER
// says. On a disk that takes no writes no owner can run, and f reads what there is.
func (a *app) read(ctx context.Context, f func(*journal.Log) error) error {
	if a.colleague != "" {
		return a.readTeam(ctx, f)
	}
	return a.readOwn(ctx, f)
}

// readOwn is read of this log, whatever --team says.
func (a *app) readOwn(ctx context.Context, f func(*journal.Log) error) error {
	if err := a.isThere(); err != nil {
		return err
	}
	a.succeed(ctx)
	nc, err := service.Connect(ctx, a.dir, a.starter())
	if a.starter() == nil && errors.Is(err, sock.ErrNoOwner) {
		owned := false
		err := a.own(ctx, func(o *owner.Owner) error {
			owned = true
			if err := o.Drain(ctx); err != nil {
				a.note("events wait in the spool: " + err.Error())
			}
			return f(o.Log())
		})
		if err == nil || owned {
			return err
		}
		return a.readOffline(ctx, err, f)
	}
	if err != nil {
		return a.readOffline(ctx, withHint(err, "journal status"), f)
	}
	defer nc.Close()
	left, err := service.Drain(ctx, nc)
	if err != nil {
		return withHint(err, "journal status")
	}
	if left != "" {
		a.note("events wait in the spool: " + left)
	}
	log, err := a.logOver(ctx, nc)
	if err != nil {
		return err
	}
	return f(log)
}

// readOffline is read without an owner, on a disk that takes no writes. why is what keeps
// one from running; it is the error on any other disk.
func (a *app) readOffline(ctx context.Context, why error, f func(*journal.Log) error) error {
	if ctx.Err() != nil || embedded.Writable(a.dir) == nil {
		return why
	}
	log, err := rebuild.Offline(ctx, a.dir)
	if err != nil {
		return errors.Join(why, err)
	}
	a.note(fmt.Sprintf("the disk takes no writes, so that nobody can own the log: it is read from its files, without what waits in the spool (%v)", why))
	return f(log)
}

// logOver opens the log of the owner that a connection leads to.
func (a *app) logOver(ctx context.Context, nc *nats.Conn) (*journal.Log, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	log, err := journal.OpenLog(ctx, js)
	if err != nil {
		return nil, err
	}
	return log.Through(embedded.Records(a.dir, log.Stream())), nil
}
