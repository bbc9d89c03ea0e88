package owner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/owner/writer"
	"journal/embedded/store/ownership"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/projections"
)

// handlers counts the running handlers of requests. Each handler has its own goroutine, because it may wait for the disk and must not delay
// others.
type handlers struct {
	ctx    context.Context // of every handler
	cancel context.CancelFunc

	// mu is held only for a moment. It guards closed: once that is true, no handler starts.
	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
}

func newHandlers() *handlers {
	h := &handlers{}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// begin counts one more running handler. ok is false after close. The caller calls work.Done when the handler ends.
func (h *handlers) begin() (ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.work.Add(1)
	}
	return !h.closed
}

// RunHandler runs the handler of a request that did not come by NATS, and returns when the handler ends. It returns false, and runs
// nothing, if the owner takes no more requests. The owner does not end before the handler.
func (o *Owner) RunHandler(handle func(context.Context)) (ok bool) {
	if !o.handlers.begin() {
		return false
	}
	defer o.handlers.work.Done()
	handle(o.handlers.ctx)
	return true
}

// close refuses new handlers, waits for the running ones, and cancels their context after the grace. When it returns, no handler runs.
func (h *handlers) close(grace time.Duration) {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	defer h.cancel()
	defer time.AfterFunc(grace, h.cancel).Stop()
	h.work.Wait()
}

// errLeaving is the answer to an append request if the owner takes no more requests.
var errLeaving = errors.New("the owner is leaving and takes no more requests: try again")

// isRequest reports whether a message with these headers is a request. A request has no header, except for one header that the server adds
// to requests from the account of tools.
func isRequest(h nats.Header) bool {
	for key := range h {
		if key != "Nats-Request-Info" {
			return false
		}
	}
	return true
}

// subscribe makes the owner answer requests until o.handlers is closed.
func (o *Owner) subscribe() error {
	for subject, handle := range map[string]func(context.Context, *nats.Msg){
		wire.Append: o.onAppend, wire.Status: o.onStatus, wire.Drain: o.onDrain,
		wire.Stop: o.onStop, wire.Retire: o.onRetire, wire.Confirm: decoded(o, o.confirm), wire.Judge: decoded(o, o.judge),
		wire.State: o.onState,
	} {
		_, err := o.server.Conn().Subscribe(subject, func(m *nats.Msg) {
			if !isRequest(m.Header) { // a stored message that a consumer delivers to this subject, or a reply that a client directs to it
				return
			}
			if o.handlers.begin() {
				go func() {
					defer o.handlers.work.Done()
					handle(o.handlers.ctx, m)
				}()
				return
			}
			if subject == wire.Append { // with this answer a hook spools at once; other callers see the connection end
				o.respond(m, wire.Reply{Wire: wire.Version, Error: errLeaving.Error()}, codecOf(m.Data))
			}
		})
		if err != nil {
			return fmt.Errorf("serve %s: %w", subject, err)
		}
	}
	if err := o.server.Conn().Flush(); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Handle handles one append request: it drains the spool, appends the events, and derives the requested answer. Every event whose sequence
// is in the reply is synced to disk.
func (o *Owner) Handle(ctx context.Context, r wire.Request) wire.Reply {
	o.touch()
	report, err := writer.DraftsOf(r)
	if err != nil {
		return refusal(err)
	}
	if r.Answer != nil && len(report) > 0 {
		o.reader.ReadAhead(ctx, report[0].Envelope)
	}
	if err := o.intake.Append(ctx, report, r.Root); err != nil {
		return o.failure(err)
	}
	reply := wire.Reply{Wire: wire.Version, Seqs: writer.SequencesOf(report)}
	if r.Answer != nil {
		reply.Text, reply.To, err = o.answers.Answer(ctx, *r.Answer, report)
		o.reportError(err) // the events are stored, which matters more than the answer
	}
	return reply
}

// handleForeign handles an append request in JSON, which has exactly one event.
func (o *Owner) handleForeign(ctx context.Context, b []byte) wire.Reply {
	o.touch()
	f, err := wire.DecodeForeign(b)
	if err != nil {
		return refusal(err)
	}
	d, root, err := writer.DraftFromJSON(f, time.Now())
	if err != nil {
		return refusal(err)
	}
	if client.Paused(o.lock.Dir(), d.Project) || client.PausedAt(o.lock.Dir(), root) {
		return refusal(client.ErrPaused)
	}
	report := []*writer.Draft{d}
	if err := o.intake.Append(ctx, report, root); err != nil {
		return o.failure(err)
	}
	return wire.Reply{Wire: wire.Version, Seqs: writer.SequencesOf(report)}
}

// refusal returns the answer to a request that must not be retried.
func refusal(err error) wire.Reply {
	return wire.Reply{Wire: wire.Version, Error: err.Error(), Refused: true}
}

// failure returns the answer to a request whose events were not stored. It reports the error as a problem of the owner, except for
// client.ErrPaused.
func (o *Owner) failure(err error) wire.Reply {
	paused := errors.Is(err, client.ErrPaused)
	if !paused {
		o.reportError(err)
	}
	return wire.Reply{Wire: wire.Version, Error: err.Error(), Refused: writer.Refused(err), Paused: paused}
}

// onAppend answers a request to append events.
func (o *Owner) onAppend(ctx context.Context, m *nats.Msg) {
	if wire.IsJSON(m.Data) {
		o.respond(m, o.handleForeign(ctx, m.Data), codecOf(m.Data))
		return
	}
	r, err := wire.DecodeRequest(m.Data)
	if err != nil {
		o.reply(m, wire.Reply{Wire: wire.Version, Error: err.Error(), Refused: !errors.Is(err, wire.ErrNewer)})
		return
	}
	o.reply(m, o.Handle(ctx, r))
}

// onDrain answers a request to drain the spool.
func (o *Owner) onDrain(ctx context.Context, m *nats.Msg) {
	o.touch()
	o.done(m, o.Drain(ctx))
}

// decoded returns a handler that decodes a request, passes it to handle, and answers with the error of handle.
func decoded[R any](o *Owner, handle func(context.Context, R) error) func(context.Context, *nats.Msg) {
	return func(ctx context.Context, m *nats.Msg) {
		o.touch()
		var r R
		if err := wire.Decode(m.Data, &r); err != nil {
			o.done(m, err)
			return
		}
		o.done(m, handle(ctx, r))
	}
}

// confirm records every receipt of a session that its transcript still shows.
func (o *Owner) confirm(ctx context.Context, r wire.ConfirmRequest) error {
	return o.receipts.Confirm(ctx, projections.Target{Project: r.Project, Session: r.Session})
}

// onStop answers a request to leave, which must be empty.
func (o *Owner) onStop(_ context.Context, m *nats.Msg) {
	if len(m.Data) > 0 {
		o.reply(m, refusal(fmt.Errorf("a stop request must be empty, this one has %d bytes", len(m.Data))))
		return
	}
	o.acceptLeave(m)
}

// acceptLeave answers a request to leave, and leaves.
func (o *Owner) acceptLeave(m *nats.Msg) {
	o.done(m, nil)
	o.config.Logger.Info("owner leaves: asked to stop")
	o.Leave()
}

// onRetire answers the request of a newer program to leave. A program is newer if its wire version is higher, or if its wire version is the
// same and its build is newer. The owner refuses other programs, because two installed versions would retire each other for ever.
func (o *Owner) onRetire(_ context.Context, m *nats.Msg) {
	versionText, buildText, _ := strings.Cut(string(m.Data), " ")
	version, err := strconv.Atoi(versionText)
	build, _ := strconv.ParseInt(buildText, 10, 64) // 0 if absent, which is never newer
	newer := version > wire.Version || version == wire.Version && build > ownership.Build()
	if err != nil || !newer {
		o.reply(m, refusal(fmt.Errorf("wire version and build %q are not newer than the owner's, %d and %d", m.Data, wire.Version, ownership.Build())))
		return
	}
	o.retired.Store(true)
	o.acceptLeave(m)
}

// onStatus answers a request for the state of the owner and the log. It does not keep an idle owner from leaving.
func (o *Owner) onStatus(ctx context.Context, m *nats.Msg) {
	s := wire.StatusReply{
		Wire: wire.Version, PID: os.Getpid(), Since: o.started.UnixNano(), Version: o.config.Version,
	}
	st, err := o.log.Stats(ctx)
	o.reportError(err)
	s.Events, s.First, s.Last, s.Bytes, s.Deleted = st.Events, st.First, st.Last, st.Bytes, st.Deleted
	s.Archived = o.copy.Copied()
	s.Spooled, s.Aside, err = o.intake.Count()
	o.reportError(err)
	if p := o.problem.Load(); !p.passed(time.Now()) {
		s.Problem = p.text
	}
	o.reply(m, s)
}

// done answers a request whose only result is an error, which may be nil.
func (o *Owner) done(m *nats.Msg, err error) {
	reply := wire.Reply{Wire: wire.Version}
	if err != nil {
		reply.Error = err.Error()
	}
	o.reply(m, reply)
}

// codecOf returns the encoder for the answer to an append request, which is in JSON if the request is.
func codecOf(request []byte) func(any) ([]byte, error) {
	if wire.IsJSON(request) {
		return json.Marshal
	}
	return wire.Encode
}

// reply answers a request that is not in JSON.
func (o *Owner) reply(m *nats.Msg, v any) { o.respond(m, v, wire.Encode) }

// respond answers a request.
func (o *Owner) respond(m *nats.Msg, v any, encode func(any) ([]byte, error)) {
	b, err := encode(v)
	if err != nil {
		o.reportError(fmt.Errorf("encode a reply: %w", err))
		return
	}
	if err := m.Respond(b); err != nil && !errors.Is(err, nats.ErrMsgNoReply) {
		o.reportError(fmt.Errorf("reply: %w", err))
	}
}
