// Package upload copies what is shared of a log to the hub of a team (team.Copy): it pushes chunks of it over one
// connection of a client, each under the condition that the hub's newest is the one that it follows. The log
// itself is the queue. Nobody waits for any of it: errors are logged, and in [team.Status].
package upload

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
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

// Config configures a link. All fields are required but Summarizer and Ticks.
type Config struct {
	Dir    string // journal directory, whose owner this process is
	Member team.Membership
	Log    string // the log's stream
	Source Source
	Head   func() uint64 // newest sequence of the log
	// Grown receives when the log may have grown. Senders do not wait for a receiver.
	Grown <-chan struct{}
	// Ticks is a clock for looks although nothing grew. Nil: each second.
	Ticks <-chan time.Time
	// Repairs counts the repairs of the log.
	Repairs func(context.Context) (uint64, error)
	// Summarizer makes the facts for colleagues. Nil: none are published.
	Summarizer Summarizer
	// Return has the log written anew with what it lacks of the hub's copy, and this link ended for that. It does not wait.
	Return func(Missing)
	Logger *slog.Logger
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
	// look lies between the growing of the log and the next push, so that what comes at once goes together, and
	// lookIdle between two looks at what is shared.
	look     = 100 * time.Millisecond
	lookIdle = time.Second
	// live is the least between two pushes while the log grows: each is a chunk.
	live = 500 * time.Millisecond

	pauseFirst = 500 * time.Millisecond
	pauseMost  = 10 * time.Second
	// statusEvery bounds the age of the status that others read.
	statusEvery = 10 * time.Second
	// raftWait is the time for which several nodes keep removed bytes in their Raft logs: they compact them every
	// two to three minutes.
	raftWait = 4 * time.Minute
)

var (
	// errRestartSession ends a session for the next: something that it was made with has changed.
	errRestartSession = errors.New("the link begins anew")
	// errRolledBack is returned if the hub has events of this device that its log lacks: the log was restored from an older
	// backup, lost its end, or another machine goes on as this one. Nothing at the hub is removed, for it may be all that
	// is left (session.mend).
	errRolledBack = errors.New("the hub has of this device what its log has not")
	// errRefused is returned if the hub answered, and refuses what comes.
	errRefused = errors.New("the hub does not take it")
)

// Link is a laptop's link to its hub.
type Link struct {
	Config
	copy    team.Copy
	status  team.Status
	written team.Status // the last one
	hubSeq  atomic.Uint64
	busy    atomic.Bool
	conn    atomic.Pointer[nats.Conn]
}

// New makes a link that does nothing before Run.
func New(c Config) *Link { return &Link{Config: c} }

// AtHub is the number up to which the hub has everything that is shared.
func (l *Link) AtHub() uint64 { return l.hubSeq.Load() }

// Busy reports whether the hub is reached, and does not have everything yet or has too much.
func (l *Link) Busy() bool { return l.busy.Load() }

// Conn returns the connection to the hub, to ask it more; nil while there is none.
func (l *Link) Conn() *nats.Conn { return l.conn.Load() }

// Run keeps the link until ctx ends. It returns when nothing of it is left running.
func (l *Link) Run(ctx context.Context) {
	l.status = team.Status{Team: l.Member.Team, Member: l.Member.Name, Device: l.Member.Device}
	if before, err := team.LoadStatus(l.Dir); err == nil {
		l.status.Contact, l.status.Hub = before.Contact, before.Hub
	}
	l.status.Head = l.Head()
	l.copy, _ = team.LoadCopy(l.Dir)  // choose reads it again, and returns the error
	if l.status.Head < l.status.Hub { // what the hub had then was of a longer log
		l.status.Hub = 0
	}
	pause := pauseFirst
	for ctx.Err() == nil {
		began := time.Now()
		err := l.session(ctx)
		if ctx.Err() != nil {
			break
		}
		if time.Since(began) > pauseMost {
			pause = pauseFirst
		}
		if errors.Is(err, errRestartSession) {
			wait(ctx, look)
			continue
		}
		l.status.Head = l.Head()
		l.trouble(err)
		wait(ctx, pause)
		pause = min(2*pause, pauseMost)
	}
	l.status.Connected = false
	l.writeStatus()
}

// wait waits, but not beyond ctx.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// trouble reports what ended a session: once in the log file, and in the status.
func (l *Link) trouble(err error) {
	if text := err.Error(); text != l.status.Problem {
		l.Logger.Warn("team", "error", text)
		l.status.Problem = text
	}
	l.status.Connected = false
	caused := func(cause error) bool { return errors.Is(err, cause) }
	l.status.Refused = slices.ContainsFunc([]error{team.ErrRefused, errRefused, dial.ErrNothingThere}, caused) ||
		errors.As(err, new(x509.UnknownAuthorityError)) || errors.As(err, new(x509.HostnameError)) ||
		errors.As(err, new(x509.CertificateInvalidError))
	l.writeStatus()
}

// choose decides which copy the hub is to have.
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

// session is a link while it stands.
type session struct {
	*Link
	nc   *nats.Conn
	key  nkeys.KeyPair
	gone chan struct{} // closed with the connection
	at   place
	all  []string // subjects of which the hub has something of the member's, as of look
	done uint64   // number up to which all that is shared is at the hub

	informed informed
}

// session keeps one connection, for one copy. Its error is never nil.
func (l *Link) session(ctx context.Context) error {
	until := l.Head() // what comes after it may be for fewer than are chosen now
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
		err = v.mend(ctx, err)
	}
	if err != nil {
		return err
	}
	l.conn.Store(v.nc)
	return v.run(ctx)
}

// run pushes what comes until something changed or failed.
func (v *session) run(ctx context.Context) error {
	ticks := v.Ticks
	if ticks == nil {
		tick := time.NewTicker(lookIdle)
		defer tick.Stop()
		ticks = tick.C
	}
	for {
		began, until := time.Now(), v.Head()
		if share, err := team.LoadShare(v.Dir); err == nil && !share.Same(v.copy.Share) {
			return errRestartSession
		}
		v.status.Connected, v.status.Head = true, until
		if v.done < until && !v.copy.Share.None() {
			if err := v.push(ctx, until); err != nil {
				return err
			}
		}
		if err := v.inform(ctx, v.done); err != nil {
			return err
		}
		v.writeStatus()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.gone:
			return fmt.Errorf("the hub is not reached: %w", cmp.Or(v.nc.LastError(), nats.ErrConnectionClosed))
		case <-ticks:
		case <-v.Grown:
			wait(ctx, max(look, live-time.Since(began)))
		}
	}
}

// answered remembers that the hub has everything that is shared up to a number.
func (v *session) answered(done uint64) {
	v.done = done
	v.status.Hub, v.status.Head = done, max(done, v.Head())
	v.status.Connected, v.status.Contact = true, time.Now()
	v.status.Problem, v.status.Refused = "", false
	v.hubSeq.Store(done)
	v.writeStatus()
}

// writeStatus writes the status for others when it changed.
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
	same := l.status
	same.At, same.Contact = l.written.At, l.written.Contact
	if same == l.written && now.Sub(l.written.At) < statusEvery {
		return
	}
	st.At = now
	l.written = l.status
	if err := st.Save(l.Dir); err != nil {
		l.Logger.Warn("team", "error", err.Error())
	}
}
