// Package owner implements the owner of a log. It joins the embedded server, the log, the spool and replay, and answers the
// requests of hooks and verbs.
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
	"journal/embedded/owner/answers"
	"journal/embedded/owner/intake"
	"journal/embedded/owner/transcripts"
	"journal/embedded/owner/tree"
	"journal/embedded/owner/writer"
	"journal/embedded/rebuild"
	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// Config configures an owner.
type Config struct {
	Logger  *slog.Logger  // required
	Version string        // of the program
	Idle    time.Duration // time without requests after which the owner leaves; 0 means that it stays
	Listen  string        // loopback address for plain NATS tools, empty for none
	Admin   bool          // NATS tools have the rights of clients of the unix socket: they may make the owner leave
	// Quiet is the time without events after which the newest segment of the second copy is sealed, which makes the segment smaller. 0 is a
	// minute.
	Quiet time.Duration
	Pace  wire.Pace // of the time budgets of hooks
	// Scrub configures the check of both copies while the owner is idle.
	Scrub writer.Scrub
	// Team returns the link to a team's hub, nil on a machine that belongs to no team. It is called once a second until it returns a link.
	// If the field is nil, the owner has no team.
	Team func(TeamConfig) Team
	// Command returns the command by which an agent runs the program, for texts that name it. The default is "journal".
	Command func() string
	// Settings returns the present configuration. It is called for each answer, so that a changed configuration counts at once (ADR-0029).
	Settings func() Settings
}

// Settings holds the configuration that a person can change.
type Settings struct {
	answers.Settings
	// Retention selects the old sessions to remove. It is read when the owner leaves because it was idle (ADR-0052).
	Retention rebuild.Retention
	// Transcripts is set if copies of the clients' transcripts are kept.
	Transcripts bool
}

// Owner serves one log. Handle may be called by many goroutines.
//
// The writer's lock guards the log and everything derived from it. The semaphore of a session reader (package transcripts) guards the
// reading of one transcript. A holder of the lock must not wait for a semaphore.
type Owner struct {
	config   Config
	lock     *ownership.Lock
	server   *embedded.Server
	lastStop embedded.StoreState // the record of the last stop
	log      *journal.Log
	records  *blocks.Reader // reads the files of the log

	writer   *writer.Writer
	copy     *writer.Archiver // the second copy
	intake   *intake.Intake
	answers  *answers.Answers
	reader   *transcripts.Reader
	receipts *transcripts.Receipts
	forks    *transcripts.Forks
	tree     *tree.Observer
	team     atomic.Pointer[Team]

	handlers *handlers
	started  time.Time    // time at which the owner started
	active   atomic.Int64 // time of the last request, ns since 1970
	problem  atomic.Pointer[problem]
	unread   sync.Map      // texts of the errors that reportUnread has reported
	retired  atomic.Bool   // see Retired
	leftIdle atomic.Bool   // see LeftIdle
	restore  Restore       // see Restore; only the team sets it, before Serve returns
	leave    chan struct{} // closed by Leave
	leaving  sync.Once     // closes leave
	checks   chan struct{} // requests for a health check; holds one
}

// Own makes this process the owner of the directory that the lock guards. After an error nothing runs. The lock stays with the
// caller in every case.
//
// If the log differs from the record of its last stop, Own reads every block and opens the log once more, because a temporary read
// failure, such as too many open files, is not damage (ADR-0012 rule 7). The error is an embedded.SuspectError if it still differs.
func Own(ctx context.Context, lock *ownership.Lock, c Config) (*Owner, error) {
	go record.Prepare() // saves the first answer a millisecond
	o, err := own(ctx, lock, c, embedded.StoreState{})
	if first, ok := errors.AsType[*mismatchError](err); ok {
		c.Logger.Warn("checking the store again", "reason", err)
		o, err = own(ctx, lock, c, first.remembered)
	}
	return o, err
}

// own implements one attempt of Own. remembered is the record of a clean stop that the first attempt read and removed; it is the zero value
// in the first attempt.
func own(ctx context.Context, lock *ownership.Lock, c Config, remembered embedded.StoreState) (*Owner, error) {
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
		config: c, lock: lock, server: server, lastStop: server.StoreState(), started: time.Now(),
		handlers: newHandlers(), leave: make(chan struct{}), checks: make(chan struct{}, 1),
	}
	if remembered.Clean {
		o.lastStop = remembered
	}
	o.touch()
	if err := o.open(ctx); err != nil {
		return nil, errors.Join(err, server.Discard())
	}
	return o, nil
}

// open opens the log and creates the parts of the owner.
func (o *Owner) open(ctx context.Context) error {
	js, err := jetstream.New(o.server.Conn())
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	if o.log, err = journal.CreateLog(ctx, js); err != nil {
		return err
	}
	o.records = embedded.Records(o.lock.Dir(), o.log.Stream())
	o.log = o.log.Through(o.records).PastMalformed(o.reportUnread)
	st, err := o.log.Stats(ctx)
	if err != nil {
		return err
	}
	if err := o.verifyLog(ctx, st); err != nil {
		return err
	}
	o.reportError(o.removeStrays(ctx, js))
	o.connect(st.Last)
	if err := o.writer.Remember(ctx, st.Last); err != nil {
		return err
	}
	o.writeHead()
	o.copy.Start()
	return nil
}

// removeStrays removes consumers of the log that deliver to a subject outside of _INBOX, such as the subject of a request to the owner.
// Clients that may create consumers can subscribe only to inboxes, so nobody waits for such deliveries. The error names the removed
// consumers.
func (o *Owner) removeStrays(ctx context.Context, js jetstream.JetStream) error {
	stream, err := js.Stream(ctx, o.log.Stream())
	if err != nil {
		return fmt.Errorf("list the log's consumers: %w", err)
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
		return fmt.Errorf("remove stray consumers: %w", err)
	}
	if len(found) > 0 {
		err = fmt.Errorf("removed consumers that a NATS client had left behind: %s", strings.Join(found, "; "))
	}
	return err
}

// connect creates the parts of an owner whose log ends at sequence last.
func (o *Owner) connect(last uint64) {
	dir := o.lock.Dir()
	o.copy = writer.NewArchiver(writer.ArchivePath(dir), o.log, last, o.config.Quiet, o.lock.Intact, o.reportError)
	o.writer = writer.New(writer.Config{
		Log: o.log, Dirs: embedded.StreamIn(dir, o.log.Stream()).DirSyncer(), Dir: dir, Note: o.copy.Note,
		OnError: o.reportError, Healthy: o.server.Healthy, OnUnhealthy: o.requestCheck,
	})
	sessions := answers.NewSessions(o.log)
	o.intake = intake.New(o.lock, o.log, o.writer, sessions, o.reportError)
	o.answers = answers.New(answers.Config{
		Log: o.log, Writer: o.writer, Sessions: sessions, Settings: func() answers.Settings { return o.config.Settings().Settings },
		Command: o.config.Command, OnError: o.reportError,
		Team: func() answers.Team { return o.joined() },
	})
	o.receipts = transcripts.NewReceipts(o.log, o.writer, o.lock.Dir())
	o.reader = transcripts.NewReader(o.log, o.writer, o.receipts, dir, !o.lastStop.Clean, o.config.Pace, o.reportError)
	o.forks = transcripts.NewForks(o.log, o.writer, o.reportError)
	o.tree = tree.New(o.log, o.writer, dir, o.config.Pace, o.answers.Prepare, o.reportError)
	o.writer.Connect(o.reader.Repeats, o.receipts, o.reader, o.forks, o.tree, o.answers)
	o.join()
}

// verifyLog compares the log with the record of its last stop. The error is a mismatchError if they differ.
func (o *Owner) verifyLog(ctx context.Context, st journal.Stats) error {
	reason, err := writer.CompareWithLastStop(ctx, o.log, st, o.lock.Dir(), o.lastStop, o.reportError)
	if err != nil || reason == "" {
		return err
	}
	return &mismatchError{&embedded.SuspectError{Reason: reason}, o.lastStop}
}

// mismatchError is returned for a log that differs from the record of its last stop, although the server opened it.
type mismatchError struct {
	suspect    *embedded.SuspectError
	remembered embedded.StoreState
}

func (e *mismatchError) Error() string { return e.suspect.Error() }

func (e *mismatchError) Unwrap() error { return e.suspect }

// Log returns the owned log.
func (o *Owner) Log() *journal.Log { return o.log }

// Drain appends the events in the spool, and records in the log how many could not even be spooled.
func (o *Owner) Drain(ctx context.Context) error { return o.intake.Drain(ctx) }

// URL returns the address for plain NATS tools, empty without Config.Listen.
func (o *Owner) URL() string { return o.server.ClientURL() }

// WriteContext writes the NATS context named journal for plain NATS tools and returns its path. The owner removes it when it
// closes.
func (o *Owner) WriteContext() (string, error) {
	dir, err := embedded.ContextDir()
	if err != nil {
		return "", err
	}
	return o.server.WriteContext(dir)
}

// Close completes the second copy, as far as writer.ArchiveWait allows, and stops the server cleanly. It returns ownership.ErrReplaced if
// another owner has the directory; then the process must end at once.
func (o *Owner) Close() error {
	o.handlers.close(0) // refuses requests if Serve was never called; Serve itself has waited for its handlers
	o.writeHead()
	ctx, cancel := context.WithTimeout(context.Background(), writer.ArchiveWait)
	defer cancel()
	o.reportError(o.copy.Close(ctx))
	o.reportError(o.saveHead(ctx)) // after an error the next owner compares less
	if o.lock.Intact() {
		o.reportError(o.records.Save(indexEvents)) // after an error the next owner reads more
	}
	return o.server.Close()
}

// saveHead records the newest message of the log for the next owner. That message need not be an event: a NATS client can have others
// stored (record.Record.IsForeign).
func (o *Owner) saveHead(ctx context.Context) error {
	st, err := o.log.Stats(ctx)
	if err != nil {
		return err
	}
	hash, err := writer.HashOf(ctx, o.log, st.Last)
	o.server.SetHead(o.log.Stream(), st.Last, hash)
	return err
}

// indexEvents is the number of new events after which the index file is written again. Reading that many takes some
// milliseconds, and the file has 8 bytes for every event.
const indexEvents = 10_000

// touch records that a request arrived.
func (o *Owner) touch() { o.active.Store(time.Now().UnixNano()) }

// idleFor returns the time since the last request.
func (o *Owner) idleFor() time.Duration { return time.Since(time.Unix(0, o.active.Load())) }

// reportError records an error, unless it is nil, for the log file and for `journal status`. Equal errors in a row are logged once.
func (o *Owner) reportError(err error) {
	if err == nil {
		return
	}
	p := &problem{err.Error(), time.Now()}
	if last := o.problem.Swap(p); last == nil || last.text != p.text {
		o.config.Logger.Error("owner", "error", p.text)
	}
}

// reportUnread reports the error of stored bytes that cannot be read, once: readers skip them.
func (o *Owner) reportUnread(err error) {
	if _, known := o.unread.LoadOrStore(err.Error(), true); !known {
		o.reportError(err)
	}
}

// problem is an error of the owner with its time.
type problem struct {
	text string
	at   time.Time
}

// problemAge is the age after which a problem counts as over: most problems that last are reported again sooner.
const problemAge = time.Minute

// passed reports whether the problem is over. A nil problem is over.
func (p *problem) passed(now time.Time) bool { return p == nil || now.Sub(p.at) > problemAge }
