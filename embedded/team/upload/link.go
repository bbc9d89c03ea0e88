// Package upload copies the shared events of a log to the hub of a team (team.Copy), and publishes facts. It pushes chunks over one
// connection, each under the condition that the hub's newest chunk is the one before. The log itself is the queue. No hook waits for an
// upload: errors are logged, and in [team.Status].
package upload

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// Config configures a Link. All fields are required but Summarizer.
type Config struct {
	Dir    string // journal directory, whose owner this process is
	Member team.Membership
	Log    string // the log's stream
	Source Source
	Head   func() uint64 // newest sequence of the log
	// Grown receives a value when the log may have grown. Its sender does not wait.
	Grown <-chan struct{}
	// Ticks is the clock of checks of the share and the log while the log does not grow.
	Ticks <-chan time.Time
	// Repairs counts the repairs of the log.
	Repairs func(context.Context) (uint64, error)
	// Summarizer makes the facts for colleagues. Nil: none are published.
	Summarizer Summarizer
	// Restore has the log rewritten with the events that only the hub's copy has, and ends this link for that. It does not wait.
	Restore func(Missing)
	Logger  *slog.Logger
}

// Summarizer folds a log into the facts for colleagues.
type Summarizer interface {
	// Summaries returns the summary of each project of a share, by the log up to an event number at least, without the rows
	// of sessions.
	Summaries(ctx context.Context, share team.Share, until uint64) ([]facts.Summary, error)
	// AddRows returns the summaries with the rows of sessions, and when each unfinished session was active last.
	AddRows(ctx context.Context, share team.Share, all []facts.Summary) ([]facts.Summary, error)
}

// Source is the log that is shared; journal.Log is one.
type Source interface {
	// Stored returns the records in a span, in order and without gaps.
	Stored(ctx context.Context, span events.Span) iter.Seq2[record.Record, error]
}

const (
	// debounce is the time from an append until the push, so that events in quick succession share a chunk, and pushEvery the shortest
	// time from a push until one that another append causes.
	debounce  = 100 * time.Millisecond
	pushEvery = 500 * time.Millisecond
	// backoffFirst and backoffMost bound the pause after a session that failed.
	backoffFirst = 500 * time.Millisecond
	backoffMost  = 10 * time.Second
	// statusEvery bounds the age of the status that others read.
	statusEvery = 10 * time.Second
	// raftWait is the time for which several nodes keep removed bytes in their Raft logs: they compact them every
	// two to three minutes.
	raftWait = 4 * time.Minute
)

var (
	// errRestartSession ends a session because something that it was made with has changed, or a node of the hub lacked messages. The next
	// one begins after debounce.
	errRestartSession = errors.New("the link begins again")
	// errRolledBack is returned if the hub has events of this device that its log lacks: the log was restored from an older
	// backup, lost its end, or another machine goes on as this device. Nothing at the hub is removed, because it may be the only
	// copy (session.reconcile).
	errRolledBack = errors.New("the hub has of this device what its log has not")
	// errRefused is returned if the hub answers and refuses a request.
	errRefused = errors.New("the hub does not take it")
)

// Link is a laptop's link to its hub.
type Link struct {
	Config
	// Only the goroutine of Run uses these fields.
	copy    team.Copy
	status  team.Status
	written team.Status // the status that was last written

	hubSeq atomic.Uint64             // see AtHub
	busy   atomic.Bool               // see Busy
	conn   atomic.Pointer[nats.Conn] // see Conn
}

// New returns a link that does nothing before Run.
func New(c Config) *Link { return &Link{Config: c} }

// AtHub returns the event number up to which the hub has everything that is shared.
func (l *Link) AtHub() uint64 { return l.hubSeq.Load() }

// Busy reports whether the hub is reached, and does not have everything yet or has too much.
func (l *Link) Busy() bool { return l.busy.Load() }

// Conn returns the connection to the hub, nil while there is none.
func (l *Link) Conn() *nats.Conn { return l.conn.Load() }

// Run keeps the link until ctx ends. No goroutine of it runs after that.
func (l *Link) Run(ctx context.Context) {
	l.status = team.Status{Team: l.Member.Team, Member: l.Member.Name, Device: l.Member.Device}
	if before, err := team.LoadStatus(l.Dir); err == nil {
		l.status.Contact, l.status.Hub = before.Contact, before.Hub
	}
	l.status.Head = l.Head()
	l.copy, _ = team.LoadCopy(l.Dir)  // choose reads it again, and returns the error
	if l.status.Head < l.status.Hub { // the status is of a longer log
		l.status.Hub = 0
	}
	backoff := backoffFirst
	for ctx.Err() == nil {
		began := time.Now()
		err := l.runSession(ctx)
		if ctx.Err() != nil {
			break
		}
		if time.Since(began) > backoffMost { // the session worked for a while
			backoff = backoffFirst
		}
		if errors.Is(err, errRestartSession) {
			wait(ctx, debounce)
			continue
		}
		l.status.Head = l.Head()
		l.fail(err)
		wait(ctx, backoff)
		backoff = min(2*backoff, backoffMost)
	}
	l.status.Connected = false
	l.writeStatus()
}

// wait waits for a time, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// fail reports the error of a session: in the status, and in the log file if it is a new one.
func (l *Link) fail(err error) {
	if text := err.Error(); text != l.status.Problem {
		l.Logger.Warn("team", "error", text)
		l.status.Problem = text
	}
	l.status.Connected = false
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	l.status.Refused = untrusted || errors.Is(err, team.ErrRefused) || errors.Is(err, errRefused) || errors.Is(err, dial.ErrNoStream)
	l.writeStatus()
}

// choose decides which copy the hub is to have, and saves it.
func (l *Link) choose(ctx context.Context) error {
	before, noCopy := team.LoadCopy(l.Dir)
	share, noShare := team.LoadShare(l.Dir)
	repairs, err := l.Repairs(ctx)
	if err = cmp.Or(noCopy, noShare, err); err != nil {
		return err
	}
	l.copy = before.Next(journal.Epoch(l.Log), repairs, share)
	if l.copy.Number != before.Number {
		l.status.Hub = 0
	}
	return l.copy.Save(l.Dir)
}

// session is a connection to the hub, for one copy.
type session struct {
	*Link
	nc       *nats.Conn
	key      nkeys.KeyPair
	gone     chan struct{} // is closed with the connection
	own      *writer       // of the newest copy
	subjects []string      // in the stream of the member, as of listCopies

	published publishedFacts
}

// runSession connects to the hub, and uploads until something changes or fails. Its error is never nil.
func (l *Link) runSession(ctx context.Context) error {
	until := l.Head() // later events may be under another share than choose reads
	if err := l.choose(ctx); err != nil {
		return err
	}
	key, err := l.Member.Key.Pair()
	if err != nil {
		return fmt.Errorf("the team's key: %w", err)
	}
	v := &session{Link: l, key: key, gone: make(chan struct{})}
	v.nc, err = dial.Connect(ctx, l.Member.Member, l.Member.Hub, l.Member.Key, nats.Name("journal"),
		nats.PingInterval(dial.PingInterval), nats.MaxPingsOutstanding(1), nats.ClosedHandler(func(*nats.Conn) { close(v.gone) }))
	if err != nil {
		return err
	}
	defer v.nc.Close()
	defer l.conn.Store(nil)
	err = v.settle(ctx, until)
	if errors.Is(err, errRolledBack) {
		err = v.reconcile(ctx, err)
	}
	if err != nil {
		return err
	}
	l.conn.Store(v.nc)
	return v.run(ctx)
}

// run pushes new events until something changes or fails.
func (v *session) run(ctx context.Context) error {
	for {
		began, until := time.Now(), v.Head()
		share, err := team.LoadShare(v.Dir)
		if err != nil {
			return err
		}
		if !share.Same(v.copy.Share) {
			return errRestartSession
		}
		v.status.Connected, v.status.Head = true, until
		if err := v.push(ctx, until); err != nil {
			return err
		}
		if err := v.publishFacts(ctx, v.own.done); err != nil {
			return err
		}
		v.writeStatus()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.gone:
			return fmt.Errorf("the hub is not reached: %w", cmp.Or(v.nc.LastError(), nats.ErrConnectionClosed))
		case <-v.Ticks:
		case <-v.Grown:
			wait(ctx, max(debounce, pushEvery-time.Since(began)))
		}
	}
}

// noteProgress writes to the status up to which event number the hub has the log, and that there is no problem.
func (v *session) noteProgress() {
	done := v.own.done
	v.status.Hub, v.status.Head = done, max(done, v.Head())
	v.status.Connected, v.status.Contact = true, time.Now()
	v.status.Problem, v.status.Refused = "", false
	v.hubSeq.Store(done)
	v.writeStatus()
}

// writeStatus writes the status for verbs, if it changed or is old.
func (l *Link) writeStatus() {
	st, now := &l.status, time.Now()
	st.Copy, st.Pending, st.Behind = l.copy.Number, l.copy.Pending(now), 0
	if l.copy.Share.None() {
		st.Copy, st.Hub = 0, 0
	}
	if st.Copy > 0 && st.Head > st.Hub {
		st.Behind = st.Head - st.Hub
	}
	l.busy.Store(st.Connected && st.Behind+uint64(len(l.copy.Erase())) > 0)
	timeless := l.status
	timeless.At, timeless.Contact = l.written.At, l.written.Contact
	if timeless == l.written && now.Sub(l.written.At) < statusEvery {
		return
	}
	st.At = now
	l.written = l.status
	if err := st.Save(l.Dir); err != nil {
		l.Logger.Warn("team", "error", err.Error())
	}
}
