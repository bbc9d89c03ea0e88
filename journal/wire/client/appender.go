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
	// appendWait bounds everything from connecting to the reply. After it the outcome is unknown, and the events go to the spool
	// under the same ids.
	appendWait = 250 * time.Millisecond
	// slowMemory is the time after a timeout in which a second timeout means that the owner hangs.
	slowMemory = 10 * time.Second
	// hungWait is the time for which appenders spool at once after the owner was found to hang, without a timeout for each of them.
	hungWait = 2 * time.Second
	// startPoll is the interval at which a caller checks whether the owner is up.
	startPoll = time.Millisecond
)

// Options configures an appender. The zero value appends to a running owner, else to the spool, and starts nothing.
type Options struct {
	// Start is called if the owner did not get a request, unless the owner hangs. It starts an owner unless an owner runs, a single one for
	// any number of callers, and does not wait for it. If Start is nil, the next hook or reader starts the owner.
	Start func(dir string) error
	Pace  wire.Pace
	// Tried is an earlier attempt, by journal-hook, to hand the same report to the owner; nil if there was none.
	Tried *Tried
}

// Tried is an attempt to hand a report to the owner that the owner did not answer.
type Tried struct {
	Floor uint64 // result of Head before the attempt
	Late  bool   // the owner did not answer in time; the report goes to the spool
}

// Appender hands events to the log of one directory. It keeps no connection between calls and may be used by many goroutines.
type Appender struct {
	dir     string
	spool   *spool.Dir
	options Options
}

// Open returns an appender for a journal directory. It touches no file: the directory is created with the first append.
func Open(dir string, o Options) *Appender {
	return &Appender{dir: dir, spool: spool.Open(filepath.Join(dir, "spool")), options: o}
}

// About names the session and the project of a Go program's events.
type About struct {
	Session string // empty: events.None
	Lane    string // empty: the main lane
	Agent   string
	Root    string // path of the project; empty: none
	Project string // key of the project if its path is unknown; empty: the key of Root
	Turn    string
}

// Receipt reports whether events are in the log or in the spool, and holds the requested answer.
type Receipt struct {
	Seqs    []uint64 // sequences of the events; nil if they wait in the spool
	Spooled bool
	Text    string // the requested answer, empty for none
	To      string // receiver of the answer
}

// Append redacts the texts of events and hands the events over as one report, in their order. When it returns without an error the
// events are durable: in the log, or in the spool that the log's owner drains (J.1). After ErrRefused and ErrPaused no event of the
// report is stored. After ErrUndelivered they may be: an owner can store them without answering in time.
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

// Report returns the envelopes of the events of one hook. The first event is the cause of the others and carries more, the members of
// the payload that no event has. The id of the first event is about.ID, or a new id if that is empty. The ids of the others are
// derived from it, so that a repeated report has the same events.
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

// NewRequest returns the request for one report. The error is events.ErrNotAppendable for events that the owner does not accept
// (events.AcceptedFrom): without an owner nothing else would refuse them before they are spooled.
func NewRequest(report []events.Envelope, root string) (wire.Request, error) {
	r := wire.Request{Wire: wire.Version, Root: root}
	for _, e := range report {
		if !events.AcceptedFrom(e.Agent, e.Type) {
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

// Send hands a request to the owner, or to the spool if the owner is absent, hung or cannot store it, or if reports wait in the
// spool (ADR-0001): an earlier report must come earlier in the log, so nothing overtakes the spool. wait bounds the wait for a
// requested answer. The error is ErrRefused, ErrPaused or ErrUndelivered.
func (a *Appender) Send(ctx context.Context, r wire.Request, wait time.Duration) (Receipt, error) {
	if PausedAt(a.dir, r.Root) {
		return Receipt{}, ErrPaused
	}
	// The floor is read before the first try: if the owner stores an event and its reply is lost, the event is after the floor.
	r.Floor = Head(a.dir)
	tried := a.options.Tried
	if tried != nil {
		r.Floor = tried.Floor
		r = repeated(r)
	}
	late := tried != nil && tried.Late
	if late { // also if reports wait in the spool: else each call would wait for its own timeout
		a.markSlow()
	}
	var ownerErr error // the reason for which the owner did not get the request
	// A spool that cannot be read counts as empty: the owner reports the error, and drains the spool first once it can.
	switch empty, err := a.spool.Empty(); {
	case !late && isFresh(filepath.Join(a.dir, "owner.hung"), hungWait): // a late call asks for its answer whatever marks there are
		ownerErr = errHung // this case comes before errBehind: put must not wait for a hung owner
	case err == nil && !empty:
		ownerErr = errBehind
	case late: // the owner may have claimed the answer by now
		ownerErr = errLate
	default:
		var receipt Receipt
		receipt, ownerErr = a.deliver(ctx, r, max(appendWait, wait))
		if ownerErr == nil || errors.Is(ownerErr, ErrRefused) || errors.Is(ownerErr, ErrPaused) {
			return receipt, ownerErr
		}
	}
	return a.put(ctx, r, wait, ownerErr)
}

// deliver hands a request to the owner. The error is ErrRefused if no retry helps, and ErrPaused while recording is paused.
func (a *Appender) deliver(ctx context.Context, r wire.Request, budget time.Duration) (Receipt, error) {
	reply, err := a.ask(ctx, r, budget)
	switch {
	case err != nil:
		return Receipt{}, err
	case reply.Paused:
		return Receipt{}, ErrPaused
	case reply.Refused:
		return Receipt{}, fmt.Errorf("%w: %s", ErrRefused, reply.Error)
	case reply.Error != "":
		return Receipt{}, errors.New(reply.Error)
	}
	return Receipt{Seqs: reply.Seqs, Text: reply.Text, To: reply.To}, nil
}

var (
	errBehind = errors.New("events wait in the spool")
	errHung   = errors.New("the owner hangs")
	errLate   = errors.New("the owner did not answer in time")
)

// repeated returns the request with Again set in its AnswerRequest: the owner may have claimed the answer at an earlier try.
func repeated(r wire.Request) wire.Request {
	if r.Answer != nil {
		answer := *r.Answer
		answer.Again = true
		r.Answer = &answer
	}
	return r
}

// Save puts a request into the spool, under the id of its first event, without asking the owner. The error is ErrRefused or
// ErrUndelivered.
func (a *Appender) Save(r wire.Request) error {
	if len(r.Events) == 0 {
		return fmt.Errorf("%w: no events", ErrRefused)
	}
	first, err := events.Decode(r.Events[0], 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	r.Answer = nil // an answer is useless when its caller is gone
	body, err := wire.Encode(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	_, err = a.spool.Put(first.ID, spool.Msgpack, body)
	switch {
	case errors.Is(err, spool.ErrTooLarge):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUndelivered, err)
	}
	return nil
}

// put spools a request, starts an owner unless an owner runs, and asks the owner for the requested answer. If the spool fails, it
// retries the owner. ownerErr is the reason for which the owner did not get the request.
func (a *Appender) put(ctx context.Context, r wire.Request, wait time.Duration, ownerErr error) (Receipt, error) {
	if !errors.Is(ownerErr, errBehind) { // an owner may have got the request
		r = repeated(r)
	}
	if err := a.Save(r); errors.Is(err, ErrUndelivered) {
		return a.retry(ctx, r, wait, ownerErr, err)
	} else if err != nil {
		return Receipt{}, fmt.Errorf("%w; before that: %w", err, ownerErr)
	}
	receipt := Receipt{Spooled: true}
	if errors.Is(ownerErr, errHung) {
		return receipt, nil
	}
	started := func() bool { return a.options.Start == nil || a.options.Start(a.dir) == nil }
	if !started() || r.Answer == nil || wait <= 0 {
		return receipt, nil // the events are safe; an owner that cannot start recorded the reason
	}
	r.Events, r.Files = nil, nil
	ctx, cancel := context.WithTimeout(ctx, a.options.Pace.Of(wait))
	defer cancel()
	for {
		reply, err := a.ask(ctx, r, 0)
		if err == nil && reply.Error == "" {
			receipt.Text, receipt.To = reply.Text, reply.To
			return receipt, nil
		}
		if !errors.Is(err, sock.ErrNoOwner) {
			// A first timeout proves nothing: the owner may be draining the spool.
			if isFresh(filepath.Join(a.dir, "owner.slow"), slowMemory) {
				a.noteTimeout(err, wait)
			}
			return receipt, nil
		}
		if a.options.Start == nil {
			return receipt, nil // this process starts none
		}
		select {
		case <-ctx.Done():
			return receipt, nil
		case <-time.After(startPoll):
		}
		if !started() { // the first start may have met an owner that was about to leave
			return receipt, nil
		}
	}
}

// ask makes one request to the owner within the budget. With a budget of 0 only ctx ends the request.
func (a *Appender) ask(ctx context.Context, r wire.Request, budget time.Duration) (wire.Reply, error) {
	if budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.options.Pace.Of(budget))
		defer cancel()
	}
	x, err := newExchange(ctx, a.dir)
	if err != nil {
		a.noteTimeout(err, budget)
		return wire.Reply{}, err
	}
	defer x.close()
	body, err := wire.Encode(r)
	if err != nil {
		return wire.Reply{}, err
	}
	answer, err := x.request(wire.Append, body)
	if err != nil {
		a.noteTimeout(err, budget)
		return wire.Reply{}, fmt.Errorf("ask the owner: %w", err)
	}
	var reply wire.Reply
	if err := wire.Decode(answer, &reply); err != nil {
		return wire.Reply{}, fmt.Errorf("decode the owner's answer: %w", err)
	}
	if reply.Error != "" && reply.Wire < wire.Version {
		// An older owner makes way for one that understands the request (ADR-0004 rule 8).
		_ = x.publish(wire.Retire, strconv.AppendInt(nil, int64(wire.Version), 10))
	}
	return reply, nil
}

// Head returns the sequence in the file head of a directory: the newest that an owner has written there. The log is at least that
// long. It returns 0 without a readable file.
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

// noteTimeout marks the owner as slow if err is a timeout. A timeout without a budget does not count: the
// owner first drains the spool, which may take long.
func (a *Appender) noteTimeout(err error, budget time.Duration) {
	var netErr net.Error // of a connection without a reply
	timeout := errors.As(err, &netErr) && netErr.Timeout()
	if budget > 0 && (timeout || errors.Is(err, context.DeadlineExceeded)) {
		a.markSlow()
	}
}

// markSlow marks the owner as slow, or as hung if an earlier mark as slow is fresh. The marks are empty files, and only their age
// counts.
func (a *Appender) markSlow() {
	mark := "owner.slow"
	if isFresh(filepath.Join(a.dir, mark), slowMemory) {
		mark = "owner.hung"
	}
	// Without the mark the next appender only waits for its own timeout.
	_ = disk.WriteFile(filepath.Join(a.dir, mark), nil, 0o600)
}

// isFresh reports whether a mark is younger than age. A mark that is less than age in the future is fresh too: the clock was set back.
func isFresh(path string, age time.Duration) bool {
	fi, err := os.Lstat(path)
	return err == nil && time.Since(fi.ModTime()).Abs() < age
}

// ReportOf returns the envelopes of a hook's events, in order. key is the occurrence key, which two reports of one fact share. id is
// the id of the first event, as about.ID is for Report.
func ReportOf(id string, h events.Hook, key string) ([]events.Envelope, error) {
	about := MetaOf(h, key, ProjectKey(h.Root))
	about.ID = id
	return Report(about, h.Rest, events.Recognise(h)...)
}

// MetaOf returns the envelope fields of a hook's events. project is the key of the project at the hook's root.
func MetaOf(h events.Hook, key, project string) events.Meta {
	return events.Meta{
		At: h.At, Agent: h.Agent, Session: h.Session, Lane: h.Lane, Project: project,
		Turn: h.Turn, PID: h.PID, Key: key, Rules: int(redact.RuleSet),
	}
}
