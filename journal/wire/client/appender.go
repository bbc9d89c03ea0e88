package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/sock"
)

// Budgets of an append (ADR-0018, ADR-0004 rules 11 and 12).
const (
	// appendWait bounds everything from connecting to the reply. Beyond it the
	// outcome is unknown and the events go to the spool under the same ids.
	appendWait = 250 * time.Millisecond
	// slowMemory is how long a timeout is remembered: a second one within it
	// means that the owner hangs.
	slowMemory = 10 * time.Second
	// hungWait is how long appenders spool at once after that, instead of each
	// waiting for its own timeout.
	hungWait = 2 * time.Second
	// startPoll is how often an asker looks whether the owner is up.
	startPoll = time.Millisecond
)

// Options configures an appender. The zero value appends to a running owner, else to the spool, and starts nothing.
type Options struct {
	// Start is called when nobody owns the log and events wait in the spool. It
	// makes an owner start, at most one however many callers there are, and
	// returns without waiting for it. Nil: the next hook or reader does it.
	Start func(dir string) error
	// Inline handles requests in this process instead, as the owner of the log
	// for that long. It returns ErrBusy when another process owns the log.
	Inline func(ctx context.Context, r wire.Request) (wire.Reply, error)
	// Pace gives the time that a budget lasts; nil: the budget itself. Tests make budgets longer, so that they pass on a busy
	// machine.
	Pace func(budget time.Duration) time.Duration
	// Tried says that journal-hook sent the owner the same report before and got no answer; nil: it did not.
	Tried *Tried
}

// Tried is an attempt to hand a report to the owner.
type Tried struct {
	Floor uint64 // Head, read before it
	Late  bool   // the owner did not answer in time: it is not asked to append again
}

// Appender hands events to the log of one directory. It keeps no connection
// between calls and may be used by many goroutines.
type Appender struct {
	dir     string
	spool   *spool.Dir
	options Options
}

// Open makes an appender for a journal directory. It touches nothing: the
// directory is made when something is appended.
func Open(dir string, o Options) *Appender {
	if o.Pace == nil {
		o.Pace = func(budget time.Duration) time.Duration { return budget }
	}
	return &Appender{dir: dir, spool: spool.Open(filepath.Join(dir, "spool")), options: o}
}

// About says what a Go program's events belong to.
type About struct {
	Session string // empty: events.None
	Lane    string // empty: the main thread
	Agent   string
	Root    string // path of the project; empty: none
	Project string // key of the project where its path is not known; empty: that of Root
	Turn    string
}

// Receipt says where events are.
type Receipt struct {
	Seqs    []uint64 // places in the log; nil when they wait in the spool
	Spooled bool
	Text    string // the answer that was owed
	To      string // whom it is for
	// Files says that the files of the request are in the log, or that nothing is
	// known against it: of those in the spool an owner of a version before would make
	// nothing.
	Files bool
}

// Append redacts the texts of events and hands them over as one report, in
// their order. When it returns without an error they are durable: in the log,
// or in the spool that the log's owner drains (J.1). After ErrRefused nothing of
// the report is kept; after ErrUndelivered it is kept nowhere.
func (a *Appender) Append(ctx context.Context, about About, es ...events.Event) (Receipt, error) {
	meta := events.Meta{
		At: time.Now().UnixNano(), Agent: about.Agent, Session: about.Session, Lane: about.Lane,
		Project: cmp.Or(about.Project, ProjectKey(about.Root)), Turn: about.Turn, Rules: int(redact.RuleSet),
	}
	if len(es) == 0 {
		return Receipt{}, nil
	}
	clean := make([]events.Event, len(es))
	for i, e := range es {
		clean[i] = events.MapText(e, redact.Text)
	}
	envelopes, err := Report(meta, nil, clean...)
	if err != nil {
		return Receipt{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	r, err := NewRequest(envelopes, about.Root)
	if err != nil {
		return Receipt{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return a.Send(ctx, r, 0)
}

// Report makes the envelopes of the events that one hook gave: the first is the
// cause of the others and carries what the hook said beyond them. Its id is that of about,
// a new one when that is empty; the others' follow from it, so that who reports again
// reports the same events.
func Report(about events.Meta, more []byte, es ...events.Event) ([]events.Envelope, error) {
	var all []events.Envelope
	about.ID = cmp.Or(about.ID, events.NewID())
	for i, e := range es {
		m := about
		m.N = i
		if i > 0 {
			m.ID, m.Cause = events.FurtherID(about.ID, strconv.Itoa(i)), about.ID
		}
		env, err := events.Wrap(e, m)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			env.More = more
		}
		all = append(all, env)
	}
	return all, nil
}

// NewRequest makes the request for one report. The error is
// events.ErrNotAppendable for what the owner does not take (events.TakenFrom): without an
// owner nobody else would refuse them before they are spooled.
func NewRequest(report []events.Envelope, root string) (wire.Request, error) {
	r := wire.Request{Wire: wire.Version, Root: root}
	for _, e := range report {
		if !events.TakenFrom(e.Agent, e.Type) {
			return wire.Request{}, fmt.Errorf("%w: %s", events.ErrNotAppendable, e.Type)
		}
		b, err := events.Encode(e)
		if err != nil {
			return wire.Request{}, err
		}
		r.Events = append(r.Events, b)
	}
	return r, nil
}

// Send hands a request to the owner, or to the spool when the owner is absent,
// hung, of another version, or behind (ADR-0001): what finished earlier has to
// come earlier in the log, so nobody overtakes a spool that is not empty. wait
// bounds the waiting for an answer that is owed. The error is ErrPaused while a
// person does not want the project recorded.
func (a *Appender) Send(ctx context.Context, r wire.Request, wait time.Duration) (Receipt, error) {
	if PausedAt(a.dir, r.Root) {
		return Receipt{}, ErrPaused
	}
	// Read before the first try: an event that the owner stored without our
	// knowing lies after it.
	r.Floor = Head(a.dir)
	tried := a.options.Tried
	if tried != nil {
		r.Floor = tried.Floor
		r = again(r)
	}
	var direct error
	// A spool that cannot be read counts as empty: the owner says so, and drains it first
	// once it can.
	switch empty, err := a.spool.Empty(); {
	case err == nil && !empty:
		direct = errBehind
	case a.hung():
		direct = errHung
	case tried != nil && tried.Late:
		direct = errLate
		a.noteLate()
	default:
		var receipt Receipt
		receipt, direct = a.deliver(ctx, r, max(appendWait, wait))
		if direct == nil || errors.Is(direct, ErrRefused) {
			return receipt, direct
		}
	}
	return a.put(ctx, r, wait, direct)
}

// deliver hands a request to the owner. The error is ErrRefused when trying again is in vain.
func (a *Appender) deliver(ctx context.Context, r wire.Request, budget time.Duration) (Receipt, error) {
	reply, err := a.handle(ctx, r, budget)
	switch {
	case err != nil:
		return Receipt{}, err
	case reply.Refused:
		return Receipt{}, fmt.Errorf("%w: %s", ErrRefused, reply.Error)
	case reply.Error != "":
		return Receipt{}, errors.New(reply.Error)
	}
	return Receipt{Seqs: reply.Seqs, Text: reply.Text, To: reply.To, Files: reply.Files}, nil
}

var (
	errBehind = errors.New("events wait in the spool")
	errHung   = errors.New("the owner hangs")
	errLate   = errors.New("the owner did not answer in time")
)

// again is a request for what may have been claimed for the asker already.
func again(r wire.Request) wire.Request {
	if r.Owed != nil {
		owed := *r.Owed
		owed.Again = true
		r.Owed = &owed
	}
	return r
}

// Save puts a request into the spool and does nothing else.
func (a *Appender) Save(r wire.Request) error {
	id, err := requestID(r)
	if err != nil {
		return err
	}
	r.Owed = nil // an answer is worth nothing when its asker is gone
	body, err := wire.Encode(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	switch _, err = a.spool.Put(id, spool.Msgpack, body); {
	case errors.Is(err, spool.ErrTooLarge):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUndelivered, err)
	}
	return nil
}

// put spools a request, sees to an owner, and asks it for what is owed.
func (a *Appender) put(ctx context.Context, r wire.Request, wait time.Duration, direct error) (Receipt, error) {
	if err := a.Save(r); errors.Is(err, ErrUndelivered) {
		return a.insist(ctx, r, wait, direct, err)
	} else if err != nil {
		return Receipt{}, fmt.Errorf("%w; before that: %w", err, direct)
	}
	receipt := Receipt{Spooled: true, Files: true}
	if errors.Is(direct, errHung) {
		return receipt, nil
	}
	if a.options.Start != nil {
		if err := a.options.Start(a.dir); err != nil {
			return receipt, nil // the events are safe; the reason is in the owner's own record
		}
	}
	if r.Owed == nil || wait <= 0 {
		return receipt, nil
	}
	if !errors.Is(direct, errBehind) { // then nobody was asked
		r = again(r)
	}
	r.Events, r.Files = nil, nil
	ctx, cancel := context.WithTimeout(ctx, a.options.Pace(wait))
	defer cancel()
	for {
		reply, err := a.handle(ctx, r, 0)
		if err == nil && reply.Error == "" {
			receipt.Text, receipt.To, receipt.Files = reply.Text, reply.To, reply.Files
			return receipt, nil
		}
		if !errors.Is(err, sock.ErrNoOwner) && !errors.Is(err, ErrBusy) {
			return receipt, nil
		}
		if a.options.Start == nil && errors.Is(err, sock.ErrNoOwner) {
			return receipt, nil // nobody here starts one
		}
		select {
		case <-ctx.Done():
			return receipt, nil
		case <-time.After(startPoll):
		}
		// An owner that was leaving may have been in the way of a new one.
		if a.options.Start != nil {
			if err := a.options.Start(a.dir); err != nil {
				return receipt, nil
			}
		}
	}
}

// handle makes one request, in this process or to the owner, who may take that
// long; 0 is as long as ctx lasts.
func (a *Appender) handle(ctx context.Context, r wire.Request, budget time.Duration) (wire.Reply, error) {
	if a.options.Inline != nil {
		reply, err := a.options.Inline(ctx, r)
		if !errors.Is(err, ErrBusy) {
			return reply, err
		}
	}
	if budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.options.Pace(budget))
		defer cancel()
	}
	x, err := newExchange(ctx, a.dir)
	if err != nil {
		a.timedOut(err, budget)
		return wire.Reply{}, err
	}
	defer x.close()
	body, err := wire.Encode(r)
	if err != nil {
		return wire.Reply{}, err
	}
	answer, err := x.request(wire.Append, body)
	if err != nil {
		a.timedOut(err, budget)
		return wire.Reply{}, fmt.Errorf("ask the owner: %w", err)
	}
	var reply wire.Reply
	if err := wire.Decode(answer, &reply); err != nil {
		return wire.Reply{}, fmt.Errorf("answer of the owner: %w", err)
	}
	if reply.Error != "" && reply.Wire < wire.Version {
		// An older owner makes way for one that understands (ADR-0004 rule 8).
		_ = x.tell(wire.Retire, strconv.AppendInt(nil, wire.Version, 10))
	}
	return reply, nil
}

func requestID(r wire.Request) (string, error) {
	if len(r.Events) == 0 {
		return "", fmt.Errorf("%w: no events", ErrRefused)
	}
	e, err := events.Decode(r.Events[0], 0)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return e.ID, nil
}

// Head reads the head sequence that the last owner of a directory left: the log
// reaches at least so far. 0 is unknown.
func Head(dir string) uint64 {
	b, err := disk.ReadFile(filepath.Join(dir, "head"), 1<<10)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// timedOut remembers that the owner did not answer within a budget. The files are marks
// whose age is all they say. Without a budget somebody asked from behind the spool: an
// owner that drains it may take its time, and does not hang.
func (a *Appender) timedOut(err error, budget time.Duration) {
	if budget == 0 {
		return
	}
	var late net.Error // a connection that opens and says nothing
	timeout := errors.As(err, &late) && late.Timeout()
	if !timeout && !errors.Is(err, context.DeadlineExceeded) {
		return
	}
	a.noteLate()
}

// noteLate leaves the mark of an owner that did not answer in time.
func (a *Appender) noteLate() {
	mark := "owner.slow"
	if young(filepath.Join(a.dir, mark), slowMemory) {
		mark = "owner.hung"
	}
	// Without the mark the next appender waits for its own timeout; no more.
	_ = disk.WriteFile(filepath.Join(a.dir, mark), nil, 0o600)
}

func (a *Appender) hung() bool { return young(filepath.Join(a.dir, "owner.hung"), hungWait) }

func young(path string, age time.Duration) bool {
	fi, err := os.Lstat(path)
	return err == nil && time.Since(fi.ModTime()) < age
}

// ReportOf makes the envelopes of the events that a hook means, in their order. key is the
// occurrence key: what two reports of one fact have in common. id is that of the first
// event, and the others' follow from it; empty makes a new one.
func ReportOf(id string, h events.Hook, key string) ([]events.Envelope, error) {
	about := MetaOf(h, key, ProjectKey(h.Root))
	about.ID = id
	return Report(about, h.Rest, events.Recognise(h)...)
}

// MetaOf says what the events of a hook belong to. project is the key of the project at the
// hook's root.
func MetaOf(h events.Hook, key, project string) events.Meta {
	return events.Meta{
		At: h.At, Agent: h.Agent, Session: h.Session, Lane: h.Lane, Project: project,
		Turn: h.Turn, PID: h.PID, Key: key, Rules: int(redact.RuleSet),
	}
}
