package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/sock"
	"journal/journal/wire"
)

// ownerWait bounds the waiting for an owner to come up or to leave. One of
// millions of events that was not closed cleanly takes seconds.
const ownerWait = 30 * time.Second

// store is one journal directory, and the program that serves it.
type store struct {
	bin string
	dir string
	env []string
}

// hook is a hook process on the store; more is added to its environment.
func (s *store) hook(more ...string) process {
	return process{path: s.bin, args: []string{"hook", "claude"}, env: append(slices.Clone(s.env), more...)}
}

// verb runs another command of the program and gives its standard output.
func (s *store) verb(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, s.bin, args...)
	c.Env = s.env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return out, fmt.Errorf("journal %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// stop ends the owner and waits until the directory is free.
func (s *store) stop(ctx context.Context) error {
	if _, err := s.verb(ctx, "stop"); err != nil {
		return err
	}
	return s.free(ctx)
}

// free waits until nobody owns the directory.
func (s *store) free(ctx context.Context) error {
	return eventually(ctx, "the owner leaves", func() (bool, error) { return !ownership.Held(s.dir), nil })
}

// with runs f on the log once the owner is up and the spool is empty.
func (s *store) with(ctx context.Context, f func(*journal.Log, jetstream.JetStream) error) error {
	return eventually(ctx, "the owner serves", func() (bool, error) {
		nc, err := s.drained(ctx)
		if nc == nil || err != nil {
			return false, err
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			return false, err
		}
		log, err := journal.OpenLog(ctx, js)
		if err != nil {
			return false, err
		}
		return true, f(log.Through(embedded.Records(s.dir, log.Stream())), js)
	})
}

// drained connects to the owner and has it take what waits in the spool. nil is that
// nobody listens yet.
func (s *store) drained(ctx context.Context) (*nats.Conn, error) {
	nc, err := journal.Connect(ctx, s.dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := nc.RequestWithContext(ctx, wire.Drain, nil); err != nil {
		nc.Close()
		return nil, fmt.Errorf("drain: %w", err)
	}
	return nc, nil
}

// kept counts the tool calls that the log holds, each once.
func (s *store) kept(ctx context.Context) (int, error) {
	calls := map[string]bool{}
	err := s.with(ctx, func(log *journal.Log, _ jetstream.JetStream) error {
		for e, err := range log.Events(ctx, events.Span{}) {
			if err != nil {
				return err
			}
			if strings.HasPrefix(e.Key, events.ToolKey) && e.EchoOf == 0 {
				calls[e.Key] = true
			}
		}
		return nil
	})
	return len(calls), err
}

// waiting counts the files in the spool.
func (s *store) waiting() (int, error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "spool", "*.ev"))
	return len(files), err
}

// emptySpool forgets what waits, so that the next hook finds the spool as a hook
// usually does.
func (s *store) emptySpool() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "spool", "*.ev"))
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	return nil
}

// owners counts the processes that own the directory or try to.
func (s *store) owners(ctx context.Context) (int, error) {
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "args=").Output()
	if err != nil {
		return 0, fmt.Errorf("list processes: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		if strings.HasSuffix(strings.TrimSpace(line), " owner --dir "+s.dir) {
			n++
		}
	}
	return n, nil
}

// status is what of journal status is of interest here.
type status struct {
	Owner    struct{ PID int }
	LastSeq  uint64 `json:"last_seq"`
	Archived uint64
}

func (s *store) status(ctx context.Context) (st status, err error) {
	out, err := s.verb(ctx, "status", "--json")
	if err != nil {
		return st, err
	}
	if err := json.Unmarshal(out, &st); err != nil {
		return st, fmt.Errorf("journal status: %w", err)
	}
	return st, nil
}

// owner gives the process that owns the directory, once it serves.
func (s *store) owner(ctx context.Context) (pid int, err error) {
	st, err := s.status(ctx)
	if err == nil && st.Owner.PID <= 0 {
		err = errors.New("journal status names no owner")
	}
	return st.Owner.PID, err
}

// copied waits until the second copy holds the whole log. A generated log has none
// at first, and making one of millions of events would be in the way of what is
// measured.
func (s *store) copied(ctx context.Context) error {
	for {
		st, err := s.status(ctx)
		if err != nil || st.Archived >= st.LastSeq {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// resident gives the bytes of memory that the owner holds.
func (s *store) resident(ctx context.Context) (int64, error) {
	pid, err := s.owner(ctx)
	if err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("memory of the owner: %w", err)
	}
	kib, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("memory of the owner: %w", err)
	}
	return kib << 10, nil
}

// eventually asks until the answer is yes, an error, or too late.
func eventually(ctx context.Context, what string, ask func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, ownerWait)
	defer cancel()
	for {
		if yes, err := ask(); yes || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w", what, ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}
