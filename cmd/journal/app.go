package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/journal/config"
	"journal/cmd/journal/logfile"
	"journal/embedded"
	"journal/embedded/owner"
	"journal/journal"
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
	a.dir = defaultDir(a.getenv)
	return a
}

// defaultDir is $JOURNAL_DIR, else journal in the XDG state directory.
func defaultDir(getenv func(string) string) string {
	if d := getenv("JOURNAL_DIR"); d != "" {
		return d
	}
	if d := getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "journal")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		// Without a home the person has to name a directory; a hook's trouble
		// goes to the log in the temporary directory.
		return filepath.Join(os.TempDir(), fmt.Sprintf("journal-%d", os.Getuid()), "state")
	}
	return filepath.Join(home, ".local", "state", "journal")
}

// mode is how this process may become an owner (JOURNAL_OWNER).
func (a *app) mode() string { return a.getenv("JOURNAL_OWNER") }

const (
	modeInline     = "inline"
	modeNeverSpawn = "never-spawn"
)

// inlineWait bounds how long a hook waits for the lock in inline mode
// (DECISIONS 2.3 rule 15).
const inlineWait = 50 * time.Millisecond

// appender makes the appender that JOURNAL_OWNER asks for.
func (a *app) appender() *journal.Appender {
	var o journal.Options
	switch a.mode() {
	case modeInline:
		o.Inline = a.inline
	case modeNeverSpawn:
	default:
		o.Start = startOwner
	}
	return journal.Open(a.dir, o)
}

// startOwner makes an owner of the directory start unless one is there or could
// not start a moment ago. The lock is taken here and handed to the new process,
// so that of twenty callers one starts one (DECISIONS 2.3 rule 1).
func startOwner(dir string) error {
	if reason, _, recent := embedded.Failed(dir); recent {
		return fmt.Errorf("the owner could not start: %s", reason)
	}
	if err := embedded.Prepare(dir); err != nil {
		return err
	}
	lock, err := embedded.TryLock(dir)
	if errors.Is(err, embedded.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	return embedded.Spawn(lock, []string{exe, "owner", "--dir", dir}, ownerEnv(os.Environ()))
}

// ownerEnv is what of a hook's environment its owner gets. An agent passes its
// credentials on to hooks (CLIENTS part 1 section 6); the owner, which outlives
// the session, has no use for them.
func ownerEnv(env []string) []string {
	var kept []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "JOURNAL_") && name != "JOURNAL_SESSION",
			strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "LC_"),
			slices.Contains([]string{"HOME", "PATH", "LANG", "TZ", "TMPDIR", "USER", "SYSTEMROOT", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP"}, name):
			kept = append(kept, v)
		}
	}
	return kept
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
	if err := embedded.Prepare(a.dir); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	lock, err := embedded.LockWithin(waiting, a.dir)
	if errors.Is(err, embedded.ErrLocked) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", journal.ErrBusy, a.dir)
	}
	if err != nil {
		return err
	}
	o, err := a.ownLog(ctx, lock, a.ownerConfig())
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	err = f(o)
	if closing := o.Close(); errors.Is(closing, embedded.ErrReplaced) {
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
		if a.mode() == modeInline || a.mode() == modeNeverSpawn {
			if !embedded.Held(a.dir) {
				return nil, errInline
			}
		} else if !started || !embedded.Held(a.dir) {
			if err := startOwner(a.dir); err != nil {
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

// language is that of texts for the agent, JOURNAL_LANG, else the locale's: its first
// word, ko of ko_KR.UTF-8. Who makes the text knows which languages there are.
func language(getenv func(string) string) string {
	tag := cmp.Or(getenv("JOURNAL_LANG"), getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
	if i := strings.IndexAny(tag, "_-.@"); i >= 0 {
		tag = tag[:i]
	}
	return strings.ToLower(tag)
}
