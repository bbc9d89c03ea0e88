// Package owner is the one process that owns a log. It joins the embedded server, the log, the spool and replay, and answers
// the requests of hooks and verbs.
package owner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/catalogue"
	"journal/embedded/owner/answers"
	"journal/embedded/owner/hub"
	"journal/embedded/owner/intake"
	"journal/embedded/owner/transcripts"
	"journal/embedded/owner/tree"
	"journal/embedded/owner/writer"
	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/team/upload"
	"journal/journal/wire/client"
)

// Config configures an owner.
type Config struct {
	Logger  *slog.Logger // required
	Version string       // of the program
	Idle    time.Duration
	Listen  string // loopback address for plain NATS tools, empty for none
	Admin   bool   // those tools may make the owner leave
	// Brief is for an owner that serves one request, as each hook does in inline mode. It writes only whole groups
	// to the second copy (ADR-0012 rule 8).
	Brief bool
	// Quiet is the silence after which the newest segment of the second copy is sealed, which makes it smaller. The next
	// event opens it again and packs 2 MiB at most. 0 is a minute.
	Quiet time.Duration
	// Pace returns how long a hook's time budget lasts; nil: the budget itself.
	Pace func(time.Duration) time.Duration
	// Scrub configures the check of both copies while the owner is idle.
	Scrub writer.Scrub
	// Team is an invitation to a team, or its path, for a temporary machine such as one of CI: everything that it records
	// goes to the team's hub. Empty on other machines.
	Team string
	// Command gives the command by which an agent runs the program, for texts that name it; nil is "journal".
	Command func() string
	// Settings is called for each answer, so that a changed configuration counts at once (ADR-0029).
	Settings func() Settings
}

// Settings is what a person can configure.
type Settings struct {
	answers.Settings
	// Retention says which old sessions are removed. It is read when the owner leaves because it was idle (ADR-0052).
	Retention Retention
}

// Retention says which old sessions are removed; embedded/rebuild does so.
type Retention struct {
	Age      time.Duration            // 0: kept for ever
	Projects map[string]time.Duration // by project key
	Bytes    uint64                   // of the store; 0: no bound
}

// Owner serves one log. Handle may be called by many goroutines.
//
// The writer's lock guards what is stored and everything derived from it. A reader's turn guards the reading of one
// transcript. A holder of the lock must not wait for a turn.
type Owner struct {
	activity

	config  Config
	lock    *ownership.Lock
	server  *embedded.Server
	closed  embedded.Opening // what is remembered of the last stop
	log     *journal.Log
	records *blocks.Reader // the log where it is stored

	writer   *writer.Writer
	copy     *writer.Archiver // the second copy
	intake   *intake.Intake
	answers  *answers.Answers
	reader   *transcripts.Reader
	receipts *transcripts.Receipts
	forks    *transcripts.Forks
	tree     *tree.Observer
	hub      *hub.Hub

	handlers *handlers
	since    time.Time
	problem  atomic.Pointer[problem]
	retired  atomic.Bool
	rested   atomic.Bool
	missing  atomic.Pointer[upload.Missing]
	leave    chan struct{}
	look     chan struct{} // whether the owner can go on; holds one
	left     sync.Once
}

// Own makes this process the owner of the directory that the lock guards. On an
// error nothing is left running; the lock is the caller's either way.
//
// If the log differs from what is remembered of it, every block is read and the log is opened once more: a temporary failure
// to read, such as too many open files, is not damage (ADR-0012 rule 7).
func Own(ctx context.Context, lock *ownership.Lock, c Config) (*Owner, error) {
	go record.Prepare() // saves the first answer a millisecond
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
	if c.Command == nil {
		c.Command = func() string { return "journal" }
	}
	o := &Owner{
		config: c, lock: lock, server: server, closed: server.Opening(), since: time.Now(),
		handlers: newHandlers(), leave: make(chan struct{}), look: make(chan struct{}, 1),
	}
	if remembered.Clean {
		o.closed = remembered
	}
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
	o.log = o.log.Through(catalogue.WithCommon(o.lock.Dir(), o.log.Stream(), o.records))
	st, err := o.log.Stats(ctx)
	if err != nil {
		return err
	}
	if err := o.whole(ctx, st); err != nil {
		return err
	}
	o.trouble(o.removeStrays(ctx, js))
	o.connect(st.Last)
	if err := o.writer.Remember(ctx, st.Last); err != nil {
		return err
	}
	o.writeHead()
	if o.config.Brief {
		o.copy.Brief()
	} else {
		o.copy.Start()
	}
	return nil
}

// removeStrays removes consumers of the log that deliver to subjects of the server or the owner: nobody who may make one
// can hear what it delivers there, and it would be taken for a request. The error names what was removed.
func (o *Owner) removeStrays(ctx context.Context, js jetstream.JetStream) error {
	stream, err := js.Stream(ctx, o.log.Stream())
	if err != nil {
		return fmt.Errorf("look for stray consumers: %w", err)
	}
	var found []string
	all := stream.ListConsumers(ctx)
	for c := range all.Info() {
		if to := c.Config.DeliverSubject; to != "" && !strings.HasPrefix(to, "_INBOX.") {
			found = append(found, fmt.Sprintf("%s, which delivered to %s", c.Name, to))
			err = errors.Join(err, stream.DeleteConsumer(ctx, c.Name))
		}
	}
	if err := errors.Join(err, all.Err()); err != nil {
		return fmt.Errorf("look for stray consumers: %w", err)
	}
	if len(found) > 0 {
		err = fmt.Errorf("consumers that a NATS client had left were removed: %s", strings.Join(found, "; "))
	}
	return err
}

// connect makes the parts that work on a log that ends at a sequence.
func (o *Owner) connect(last uint64) {
	dir := o.lock.Dir()
	o.copy = writer.NewArchiver(writer.ArchivePath(dir), o.log, last, o.config.Quiet, o.lock.Intact, o.trouble)
	o.writer = writer.New(writer.Config{
		Log: o.log, Names: embedded.StreamIn(dir, o.log.Stream()).Names(), Dir: dir, Stored: o.copy.Note,
		Trouble: o.trouble, Healthy: o.server.Healthy, Ill: o.lookNow,
	})
	all := answers.NewSessions(o.log)
	o.intake = intake.New(o.lock, o.log, o.writer, all, o.trouble)
	o.answers = answers.New(answers.Config{
		Log: o.log, Writer: o.writer, Sessions: all, Dir: dir, Settings: func() answers.Settings { return o.config.Settings().Settings },
		Command: o.config.Command, Logger: o.config.Logger, Trouble: o.trouble,
	})
	o.receipts = transcripts.NewReceipts(o.log, o.writer)
	o.reader = transcripts.NewReader(o.log, o.writer, o.receipts, dir, !o.closed.Clean, o.config.Pace, o.trouble)
	o.forks = transcripts.NewForks(o.log, o.writer, o.trouble)
	o.tree = tree.New(o.log, o.writer, dir, o.config.Pace, o.answers.Prepare, o.trouble)
	o.writer.Connect(o.reader.Repeats, o.receipts, o.reader, o.forks, o.tree, o.answers)
	o.hub = &hub.Hub{Config: hub.Config{
		Dir: dir, Intact: o.lock.Intact, Log: o.log, Copy: o.copy, Writer: o.writer, Invitation: o.config.Team,
		Return: func(m upload.Missing) { o.missing.Store(&m); o.Leave() },
		Logger: o.config.Logger, Trouble: o.trouble,
	}}
}

// whole compares the log with what is remembered of it. The error is an embedded.SuspectError, in an unlikeError.
func (o *Owner) whole(ctx context.Context, st journal.Stats) error {
	reason, err := writer.MissingRecords(ctx, o.log, st, o.lock.Dir(), o.closed, o.trouble)
	if err != nil || reason == "" {
		return err
	}
	return &unlikeError{&embedded.SuspectError{Dir: o.lock.Dir(), Reason: reason}, o.closed}
}

// unlikeError means that the server opened a log that differs from what is remembered of it.
type unlikeError struct {
	suspect    *embedded.SuspectError
	remembered embedded.Opening
}

func (e *unlikeError) Error() string { return e.suspect.Error() }
func (e *unlikeError) Unwrap() error { return e.suspect }

// Log returns the owned log.
func (o *Owner) Log() *journal.Log { return o.log }

// Drain appends what waits in the spool, and records how many events could not even be spooled.
func (o *Owner) Drain(ctx context.Context) error { return o.intake.Drain(ctx) }

// URL returns the address for plain NATS tools, empty without Config.Listen.
func (o *Owner) URL() string { return o.server.ClientURL() }

// WriteContext writes the NATS context named journal for those tools and returns
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
	o.handlers.close(0) // without Serve there are none
	o.writeHead()
	ctx, cancel := context.WithTimeout(context.Background(), writer.ArchiveWait)
	defer cancel()
	o.trouble(o.copy.Close(ctx))
	// The newest message need not be an event: a guest's message has a sequence too.
	st, err := o.log.Stats(ctx)
	if err == nil {
		var hash string
		hash, err = writer.HashOf(ctx, o.log, st.Last)
		o.server.SetHead(o.log.Stream(), st.Last, hash)
	}
	o.trouble(err) // the next owner compares less
	if o.lock.Intact() {
		o.trouble(o.records.Save(indexEvents)) // the next owner reads more
	}
	return o.server.Close()
}

// indexEvents is the number of new events after which the index file is written
// again: reading that many takes some milliseconds, and the file has 8 bytes for every
// event.
const indexEvents = 10_000

// activity knows when something was last asked.
type activity struct {
	active atomic.Int64 // then, ns
	// interrupt ends idle work; nil for none.
	interrupt atomic.Pointer[context.CancelFunc]
}

func (a *activity) touch() {
	a.active.Store(time.Now().UnixNano())
	if stop := a.interrupt.Load(); stop != nil {
		(*stop)()
	}
}

// Unasked returns for how long nothing has been asked.
func (a *activity) Unasked() time.Duration { return time.Since(time.Unix(0, a.active.Load())) }

// Interrupt makes the next request call stop; nil for nothing.
func (a *activity) Interrupt(stop *context.CancelFunc) { a.interrupt.Store(stop) }

// trouble notes an error, if there is one, for the log file and for `journal status`. An error that
// repeats with every tick is logged once.
func (o *Owner) trouble(err error) {
	if err == nil {
		return
	}
	is := &problem{err.Error(), time.Now()}
	if was := o.problem.Swap(is); was == nil || was.text != is.text {
		o.config.Logger.Error("owner", "error", is.text)
	}
}

// problem is the last error, and when it came. A lasting error comes again with the next
// tick; after problemAge without one it is over.
type problem struct {
	text string
	at   time.Time
}

const problemAge = time.Minute

// over reports whether the owner got on without it since.
func (p *problem) over(now time.Time) bool { return p == nil || now.Sub(p.at) > problemAge }
