package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/spool"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay/live"
)

// Config configures an owner.
type Config struct {
	Logger  *slog.Logger // required
	Version string       // of the program
	Idle    time.Duration
	Listen  string // loopback address for plain NATS tools, empty for none
	Admin   bool   // those tools may make the owner leave
	// Brief is for an owner of one request, as each hook is in inline mode: what the
	// second copy lacks is written only when it is a whole group (ADR-0012 rule 8).
	Brief bool
	// Quiet is how long nothing comes before the second copy's newest segment is
	// sealed, which makes it smaller. The next event opens it again: 2 MiB at most are
	// packed anew. 0 is a minute.
	Quiet time.Duration
	// Scrub is how both copies are read while nobody asks anything.
	Scrub Scrub
	// Team is an invitation, or the path of one, for a machine that nobody has join and that will
	// be gone: all it records goes to the team's hub. Empty for others.
	Team string
	// Command is asked how an agent runs the program whenever a text names it; nil is
	// "journal".
	Command func() string
	// Settings is asked whenever an answer is derived, so that a changed
	// configuration counts at once (ADR-0029).
	Settings func() Settings
}

// Settings is what a person can configure about answers.
type Settings struct {
	Fold projections.Config
	// Stop says whom the advice at the end of a turn is for: person (also when
	// empty), model, or off (S1.2).
	Stop string
	// NoGuidance keeps silent towards the summariser of a compaction (S3.5).
	NoGuidance bool
	// NoStart keeps silent at the start of a session, but for an unfinished skill.
	NoStart bool
	// Retention says what of old sessions is not kept; it is asked when the owner has
	// left because it was idle (ADR-0052).
	Retention Retention
	// Template gives the source of a person's own recovery template for a
	// language, empty for the built-in one.
	Template func(lang string) string
}

// Retention is what a person can configure about old sessions; embedded/store/rebuild carries
// it out.
type Retention struct {
	Age      time.Duration            // 0: kept for ever
	Projects map[string]time.Duration // by project key
	Bytes    uint64                   // of the store; 0: no bound
}

// Owner serves one log. Handle may be called by many goroutines.
type Owner struct {
	config   Config
	lock     *ownership.Lock
	server   *embedded.Server
	closed   embedded.Opening // what is remembered of the last stop
	log      *journal.Log
	records  *blocks.Reader // the log where it is stored
	archive  *archiver      // the second copy
	spool    *spool.Dir
	writer   *writer
	handlers *handlers
	folds    *live.Folds
	chains   *live.Folds // one fold, of the sessions of the whole log
	uplink   *uplink     // to the team's hub
	since    time.Time

	// The writer's mu guards stuck, the reports in the spool that the log holds and that
	// cannot be removed, and ahead: something was stored while the spool could not be read.
	stuck map[string]bool
	ahead bool

	active atomic.Int64 // when something was asked last, ns
	// interrupt ends what only runs while nothing is asked; nil when nothing does.
	interrupt atomic.Pointer[context.CancelFunc]
	problem   atomic.Pointer[problem]
	retired   atomic.Bool
	rested    atomic.Bool
	leave     chan struct{}
	look      chan struct{} // whether the owner can go on; holds one
	left      sync.Once
}

// Own makes this process the owner of the directory that the lock guards. On an
// error nothing is left running; the lock is the caller's either way.
//
// A log that is not what is remembered of it is opened once more, and every block read before: what
// could not be read at one moment, with too many files open for one, is no damage (ADR-0012 rule 7).
func Own(ctx context.Context, lock *ownership.Lock, c Config) (*Owner, error) {
	go record.Prepare() // a millisecond that whoever waits for the first answer need not wait
	o, err := own(ctx, lock, c, embedded.Opening{})
	if first := (*unlikeError)(nil); errors.As(err, &first) {
		c.Logger.Warn("the store is looked at once more", "reason", err)
		o, err = own(ctx, lock, c, first.remembered)
	}
	return o, err
}

// own opens the log. remembered is what an opening before this one knew of a clean stop: it counts once.
func own(ctx context.Context, lock *ownership.Lock, c Config, remembered embedded.Opening) (*Owner, error) {
	server, err := embedded.Own(ctx, lock, embedded.Options{
		Logger: c.Logger, Listen: c.Listen, Admin: c.Admin, Version: c.Version, Head: client.Head(lock.Dir()),
	})
	if err != nil {
		return nil, err
	}
	o := &Owner{
		config: c, lock: lock, server: server, closed: server.Opening(), since: time.Now(),
		spool: spool.Open(filepath.Join(lock.Dir(), spoolName)), handlers: newHandlers(), leave: make(chan struct{}), look: make(chan struct{}, 1),
		stuck: map[string]bool{}, ahead: overtaken(lock.Dir()),
	}
	if remembered.Clean {
		o.closed = remembered
	}
	o.uplink = &uplink{Owner: o}
	o.touch()
	if err := o.open(ctx); err != nil {
		return nil, errors.Join(err, server.Discard())
	}
	return o, nil
}

func (o *Owner) open(ctx context.Context) error {
	js, err := jetstream.New(o.server.Conn())
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	if o.log, err = journal.CreateLog(ctx, js); err != nil {
		return err
	}
	o.records = embedded.Records(o.lock.Dir(), o.log.Stream())
	o.log = o.log.Through(o.records)
	o.folds = live.New(o.log, liveLanes, needed()...)
	o.chains = live.New(o.log, 1, projections.Sessions)
	st, err := o.log.Stats(ctx)
	if err != nil {
		return err
	}
	if err := o.whole(ctx, st); err != nil {
		return err
	}
	o.writer = newWriter(o)
	if err := o.writer.remember(ctx, st.Last); err != nil {
		return err
	}
	o.writeHead()
	o.archive = newArchiver(archivePath(o.lock.Dir()), o.log, st.Last, o.lock.Intact, o.trouble)
	o.archive.quiet = cmp.Or(o.config.Quiet, archiveQuiet)
	if o.config.Brief {
		o.archive.brief()
	} else {
		o.archive.start()
	}
	o.writer.archive = o.archive
	return nil
}

// command is how an agent runs the program, for a text that names it.
func (o *Owner) command() string {
	if o.config.Command == nil {
		return "journal"
	}
	return o.config.Command()
}

// spoolName is the spool's directory inside a journal directory.
const spoolName = "spool"

// liveLanes is how many lanes' folds are kept: those of a few sessions at work
// with their subagents. One of 1,000 events takes some hundred kilobytes.
const liveLanes = 32

// Log is the log that is owned.
func (o *Owner) Log() *journal.Log { return o.log }

// URL is where plain NATS tools connect, empty without Config.Listen.
func (o *Owner) URL() string { return o.server.ClientURL() }

// WriteContext writes the NATS context named journal for those tools and gives
// its path. It is removed when the owner closes.
func (o *Owner) WriteContext() (string, error) {
	dir, err := embedded.ContextDir()
	if err != nil {
		return "", err
	}
	return o.server.WriteContext(dir)
}

// Close stops the server cleanly. The error is ownership.ErrReplaced when the
// directory is not ours any more; then the process has to end at once.
func (o *Owner) Close() error {
	o.handlers.close(0) // of an owner that did not serve there are none
	o.writeHead()
	ctx, cancel := context.WithTimeout(context.Background(), archiveClose)
	defer cancel()
	if err := o.archive.close(ctx); err != nil {
		o.trouble(err)
	}
	// The newest message, which need not be an event: a guest's holds a place too.
	st, err := o.log.Stats(ctx)
	if err == nil {
		var hash string
		hash, err = o.hashOf(ctx, st.Last)
		o.server.SetHead(st.Last, hash)
	}
	if err != nil {
		o.trouble(err) // the next owner compares less
	}
	if o.lock.Intact() {
		if err := o.records.Save(indexEvents); err != nil {
			o.trouble(err) // the next owner reads more
		}
	}
	return o.server.Close()
}

// indexEvents is how many events are new when the file of the index is written
// again: reading so many takes some milliseconds, and the file has 8 bytes for every
// event there is.
const indexEvents = 10_000

func (o *Owner) touch() {
	o.active.Store(time.Now().UnixNano())
	if stop := o.interrupt.Load(); stop != nil {
		(*stop)()
	}
}

// trouble notes what went wrong for the log file and for `journal status`. What
// goes wrong again with every tick is logged once.
func (o *Owner) trouble(err error) {
	is := &problem{err.Error(), time.Now()}
	if was := o.problem.Swap(is); was == nil || was.text != is.text {
		o.config.Logger.Error("owner", "error", is.text)
	}
}

// problem is what went wrong last, and when. What lasts goes wrong again with the next
// tick; what has not for problemAge is over.
type problem struct {
	text string
	at   time.Time
}

const problemAge = time.Minute

// over says whether the owner got on without it since.
func (p *problem) over(now time.Time) bool { return p == nil || now.Sub(p.at) > problemAge }
