package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/journal/config"
	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/ownership"
	"journal/journal"
	"journal/journal/client"
	"journal/journal/hookrun"
	"journal/journal/logfile"
	"journal/journal/sock"
	"journal/journal/wire"
)

// app is what the verbs share: where the journal is, and the world outside.
type app struct {
	dir    string
	in     *os.File
	out    io.Writer
	err    io.Writer
	getenv func(string) string
	noted  map[string]bool // what was said by note
}

// note tells a person something beside the result, once.
func (a *app) note(s string) {
	if a.noted[s] {
		return
	}
	if a.noted == nil {
		a.noted = map[string]bool{}
	}
	a.noted[s] = true
	fmt.Fprintf(a.err, "note: %s\n", s)
}

func newApp() *app {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
	a.dir = hookrun.Dir(a.getenv)
	return a
}

// inlineWait bounds how long a hook waits for the lock in inline mode
// (DECISIONS 2.3 rule 15).
const inlineWait = 50 * time.Millisecond

// appender makes the appender that JOURNAL_OWNER asks for.
func (a *app) appender() *client.Appender {
	return hookrun.Appender(a.dir, a.getenv, a.startOwner, a.inline)
}

// startOwner makes this program the owner of a directory, in a process of its own.
func (a *app) startOwner(dir string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return ownership.Start(dir, exe)
}

// agentCall is what a verb that an agent runs works with.
func (a *app) agentCall() hookrun.Env {
	return hookrun.Env{Dir: a.dir, In: a.in, Out: a.out, Getenv: a.getenv, Appender: a.appender}
}

// inline handles a request as the owner of the log, for as long as it takes.
func (a *app) inline(ctx context.Context, r wire.Request) (wire.Reply, error) {
	var reply wire.Reply
	err := a.own(ctx, inlineWait, func(o *owner.Owner) error {
		reply = o.Handle(ctx, r)
		return nil
	})
	return reply, err
}

// own runs f as the owner of the log.
func (a *app) own(ctx context.Context, wait time.Duration, f func(*owner.Owner) error) error {
	if err := ownership.Prepare(a.dir); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	lock, err := ownership.LockWithin(waiting, a.dir)
	if errors.Is(err, ownership.ErrLocked) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", client.ErrBusy, a.dir)
	}
	if err != nil {
		return err
	}
	o, err := a.ownLog(ctx, lock, a.ownerConfig())
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	err = f(o)
	if closing := o.Close(); errors.Is(closing, ownership.ErrReplaced) {
		return errors.Join(err, closing)
	} else if closing != nil {
		err = errors.Join(err, closing)
	}
	return errors.Join(err, lock.Release())
}

func (a *app) ownerConfig() owner.Config {
	return owner.Config{
		Logger: a.logger(), Version: version(), Idle: a.idle(),
		Settings: func() owner.Settings {
			c, err := config.Load(a.getenv)
			if err != nil {
				a.logger().Error("configuration", "error", err.Error())
			}
			return owner.Settings{Fold: c.Fold(), Windows: c.Windows, Stop: c.Stop, NoGuidance: c.NoGuidance(), Template: c.Template}
		},
	}
}

// idle is how long an owner stays without being asked (DECISIONS 3.22).
func (a *app) idle() time.Duration {
	if d, err := time.ParseDuration(a.getenv("JOURNAL_IDLE")); err == nil && d > 0 {
		return d
	}
	return 10 * time.Minute
}

func (a *app) logger() *slog.Logger { return logfile.Logger(a.dir) }

// openWait bounds how long a reading verb waits for an owner to come up: a
// store of millions of events that was not closed cleanly is read through.
const openWait = 30 * time.Second

// errNoJournal says that nothing was ever recorded in the directory.
var errNoJournal = errors.New("there is no journal")

// read runs f on the log with everything in it that waits in the spool. It uses
// the running owner, starts one, or is the owner meanwhile, as JOURNAL_OWNER
// says.
func (a *app) read(ctx context.Context, f func(*journal.Log) error) error {
	if _, err := os.Stat(a.dir); errors.Is(err, os.ErrNotExist) {
		return withHint(fmt.Errorf("%w in %s yet", errNoJournal, a.dir), "journal install")
	}
	nc, err := a.connect(ctx)
	if errors.Is(err, errInline) {
		return a.own(ctx, openWait, func(o *owner.Owner) error {
			if err := o.Drain(ctx); err != nil {
				return err
			}
			return f(o.Log())
		})
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := a.drained(ctx, nc); err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	log, err := journal.OpenLog(ctx, js)
	if err != nil {
		return err
	}
	return f(log.Through(embedded.Records(a.dir, log.Stream())))
}

func (a *app) drained(ctx context.Context, nc *nats.Conn) error {
	m, err := nc.RequestWithContext(ctx, wire.Drain, nil)
	if err != nil {
		return withHint(fmt.Errorf("ask the owner: %w", err), "journal status")
	}
	var reply wire.Reply
	if err := wire.Decode(m.Data, &reply); err != nil {
		return err
	}
	if reply.Error != "" {
		fmt.Fprintf(a.err, "note: events wait in the spool: %s\n", reply.Error)
	}
	return nil
}

// errInline says that this process has to be the owner itself.
var errInline = errors.New("no owner, and none may be started")

// connect reaches the running owner or starts one.
func (a *app) connect(ctx context.Context) (*nats.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	for started := false; ; {
		nc, err := journal.Connect(ctx, a.dir)
		if err == nil {
			return nc, nil
		}
		if !errors.Is(err, sock.ErrNoOwner) {
			return nil, withHint(err, "journal status")
		}
		if hookrun.StartsNoOwner(a.getenv) {
			if !ownership.Held(a.dir) {
				return nil, errInline
			}
		} else if !started || !ownership.Held(a.dir) {
			if err := a.startOwner(a.dir); err != nil {
				return nil, withHint(err, "journal status")
			}
			started = true
		}
		select {
		case <-ctx.Done():
			return nil, withHint(fmt.Errorf("the owner of %s did not come up within %v", a.dir, openWait), "journal status")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// printJSON prints one JSON document.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
