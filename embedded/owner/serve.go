package owner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/ownership"
	"journal/journal/client"
	"journal/journal/wire"
)

// tick is how often an owner looks after itself: its heartbeat, its directory,
// its binary, its idleness.
const tick = time.Second

// sweepTicks is how many ticks lie between two looks for what dead writers left
// in the spool.
const sweepTicks = 10

// ErrUnhealthy is returned by Serve when the store takes no writes any more, which
// only a new start of the server ends. Hooks spool until then.
var ErrUnhealthy = errors.New("the owner leaves")

// Serve answers requests until ctx ends, somebody asks it to stop, nobody asked
// anything for the idle time, its binary is replaced or its directory is gone.
// It does not close the owner. ready, which may be nil, is called once requests
// are answered; its error ends Serve.
func (o *Owner) Serve(ctx context.Context, ready func() error) error {
	o.sweep(ctx)
	for subject, handle := range map[string]nats.MsgHandler{
		wire.Append: o.onAppend, wire.Status: o.onStatus, wire.Drain: o.onDrain,
		wire.Stop: o.onStop, wire.Retire: o.onRetire, wire.Confirm: o.onConfirm,
		wire.State: o.onState,
	} {
		// A request can wait for the disk; others must not wait behind it.
		spread := func(m *nats.Msg) { go handle(m) }
		if _, err := o.server.Conn().Subscribe(subject, spread); err != nil {
			return fmt.Errorf("serve %s: %w", subject, err)
		}
	}
	if err := o.server.Conn().Flush(); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if err := o.server.Serve(); err != nil {
		return err
	}
	if ready != nil {
		if err := ready(); err != nil {
			return err
		}
	}
	beside, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { o.confirming(beside) })
	work.Go(func() { o.linking(beside) })
	work.Go(func() { o.snapshotting(beside) })
	defer func() {
		stop()
		work.Wait()
	}()
	return o.look(ctx)
}

func (o *Owner) look(ctx context.Context) error {
	binary, started := executable()
	// What came before the door was open.
	if err := o.Drain(ctx); err != nil {
		o.trouble(err)
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-o.leave:
			return nil
		case <-ticker.C:
		}
		if !o.lock.Intact() {
			return ownership.ErrReplaced
		}
		if err := o.lock.Beat(ownership.Holder{Version: o.config.Version}); err != nil {
			o.trouble(err)
		}
		if err := o.server.Healthy(); err != nil {
			o.trouble(err)
			return fmt.Errorf("%w: %w", ErrUnhealthy, err)
		}
		o.appending.Lock()
		o.writeHead()
		o.appending.Unlock()
		if n++; n%sweepTicks == 0 {
			o.sweep(ctx)
		} else if err := o.Drain(ctx); err != nil {
			o.trouble(err)
		}
		if now, err := os.Stat(binary); started != nil && (err != nil || !os.SameFile(now, started) || now.ModTime() != started.ModTime()) {
			o.config.Logger.Info("owner leaves: its binary was replaced")
			return nil
		}
		if o.config.Idle > 0 && o.server.Clients() == 0 && time.Since(time.Unix(0, o.active.Load())) > o.config.Idle {
			o.config.Logger.Info("owner leaves: idle")
			return nil
		}
	}
}

func executable() (string, os.FileInfo) {
	path, err := os.Executable()
	if err != nil {
		return "", nil
	}
	fi, err := os.Stat(path)
	if err != nil {
		return path, nil
	}
	return path, fi
}

// Drain appends what waits in the spool.
func (o *Owner) Drain(ctx context.Context) error {
	o.appending.Lock()
	defer o.appending.Unlock()
	return o.drain(ctx)
}

// sweep drains the spool with what dead writers left, and removes the rest.
func (o *Owner) sweep(ctx context.Context) {
	o.appending.Lock()
	defer o.appending.Unlock()
	if _, err := o.drainAll(ctx); err != nil {
		o.trouble(err)
	}
	if _, err := o.spool.Sweep(time.Now()); err != nil {
		o.trouble(err)
	}
	for _, hints := range []string{"usage", "observed"} {
		o.sweepHints(filepath.Join(o.lock.Dir(), hints))
	}
}

// hintAge is how long the hints of a session's statusline and of a project's
// observed files are kept after the last one. Without a hint one sample more is
// stored, and files are read once more.
const hintAge = 7 * 24 * time.Hour

func (o *Owner) sweepHints(dir string) {
	hints, err := os.ReadDir(dir)
	if err != nil {
		return // no statusline has written any
	}
	for _, h := range hints {
		if fi, err := h.Info(); err == nil && time.Since(fi.ModTime()) > hintAge {
			_ = os.Remove(filepath.Join(dir, h.Name()))
		}
	}
}

// Leave makes Serve return.
func (o *Owner) Leave() { o.left.Do(func() { close(o.leave) }) }

func (o *Owner) onAppend(m *nats.Msg) {
	if wire.IsJSON(m.Data) {
		o.respond(m, o.handleForeign(m.Data), json.Marshal)
		return
	}
	r, err := wire.DecodeRequest(m.Data)
	if err != nil {
		o.reply(m, wire.Reply{Wire: wire.Version, Error: err.Error(), Refused: !errors.Is(err, wire.ErrNewer)})
		return
	}
	o.reply(m, o.Handle(context.Background(), r))
}

// handleForeign appends an event in JSON.
func (o *Owner) handleForeign(b []byte) wire.Reply {
	o.touch()
	f, err := wire.DecodeForeign(b)
	if err != nil {
		return refusal(err)
	}
	report, root, err := foreign(f, time.Now())
	if err == nil && client.Paused(o.lock.Dir(), report[0].Project) {
		err = client.ErrPaused
	}
	if err != nil {
		return refusal(err)
	}
	o.appending.Lock()
	defer o.appending.Unlock()
	if err := o.drain(context.Background()); err != nil {
		return wire.Reply{Wire: wire.Version, Error: err.Error()}
	}
	seqs, err := o.store(context.Background(), report, root, nil)
	if err != nil {
		return wire.Reply{Wire: wire.Version, Error: err.Error(), Refused: isRefusal(err)}
	}
	return wire.Reply{Wire: wire.Version, Seqs: seqs}
}

func (o *Owner) onDrain(m *nats.Msg) {
	o.touch()
	if err := o.Drain(context.Background()); err != nil {
		o.reply(m, wire.Reply{Wire: wire.Version, Error: err.Error()})
		return
	}
	o.reply(m, wire.Reply{Wire: wire.Version})
}

func (o *Owner) onStop(m *nats.Msg) {
	o.reply(m, wire.Reply{Wire: wire.Version})
	o.config.Logger.Info("owner leaves: asked to stop")
	o.Leave()
}

// onRetire makes way for a newer program. An older one asks in vain: two
// installed versions would retire each other for ever (DECISIONS 2.3 rule 8).
func (o *Owner) onRetire(m *nats.Msg) {
	version, err := strconv.Atoi(string(m.Data))
	if err != nil || version <= wire.Version {
		o.reply(m, refusal(fmt.Errorf("wire version %q is not above %d", m.Data, wire.Version)))
		return
	}
	o.retired.Store(true)
	o.onStop(m)
}

// Retired says whether a newer program asked this owner to make way. What waits
// in the spool then is for that one.
func (o *Owner) Retired() bool { return o.retired.Load() }

func (o *Owner) onStatus(m *nats.Msg) {
	s := wire.StatusReply{
		Wire: wire.Version, PID: os.Getpid(), Since: o.since.UnixNano(), Version: o.config.Version,
	}
	st, err := o.log.Stats(context.Background())
	if err != nil {
		o.trouble(err)
	}
	s.Events, s.First, s.Last, s.Bytes, s.Deleted = st.Events, st.First, st.Last, st.Bytes, st.Deleted
	s.Archived = o.archive.last.Load()
	if s.Spooled, s.Aside, err = o.spool.Count(); err != nil {
		o.trouble(err)
	}
	if p := o.problem.Load(); p != nil {
		s.Problem = *p
	}
	o.reply(m, s)
}

func (o *Owner) reply(m *nats.Msg, v any) { o.respond(m, v, wire.Encode) }

func (o *Owner) respond(m *nats.Msg, v any, encode func(any) ([]byte, error)) {
	b, err := encode(v)
	if err == nil {
		err = m.Respond(b)
	}
	if err != nil && !errors.Is(err, nats.ErrMsgNoReply) {
		o.trouble(fmt.Errorf("reply: %w", err))
	}
}

// writeHead leaves the head sequence for appenders, as the floor of what they
// spool. It is a lower bound, so it need not be synced. The caller holds
// appending, or nobody appends yet.
func (o *Owner) writeHead() {
	if !o.lock.Intact() {
		return // the directory is somebody else's
	}
	path := filepath.Join(o.lock.Dir(), "head")
	tmp := path + ".tmp"
	err := os.WriteFile(tmp, fmt.Appendf(nil, "%d\n", o.head), 0o600)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		o.trouble(fmt.Errorf("head file: %w", err))
	}
}
