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
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/agents/claude"
	"journal/journal/wire"
	"journal/journal/wire/sock"
)

// store is one journal directory, and the program that serves it.
type store struct {
	bin   string // path of journal
	small string // path of journal-hook, which agents call
	dir   string
	env   []string // of all processes
}

// at returns the store of another directory, with the same programs.
func (s *store) at(dir string) *store {
	other := *s
	other.dir, other.env = dir, append([]string{"JOURNAL_DIR=" + dir}, slices.DeleteFunc(slices.Clone(s.env), func(v string) bool { return strings.HasPrefix(v, "JOURNAL_DIR=") })...)
	return &other
}

// hook returns the process of a hook, as agents start it. more is added to its environment.
func (s *store) hook(more ...string) process {
	p := s.hookOf(claude.Name)
	p.env = append(slices.Clone(p.env), more...)
	return p
}

// hookOf returns the process of an agent's hook.
func (s *store) hookOf(agent string) process {
	return process{args: []string{s.small, agent}, env: s.env}
}

// largeHook is hook by the large program, journal.
func (s *store) largeHook(env ...string) process {
	return process{args: []string{s.bin, "hook", claude.Name}, env: append(slices.Clone(s.env), env...)}
}

// output runs a command and returns its stdout without the white space around it.
func output(c *exec.Cmd) string {
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		check(fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, bytes.TrimSpace(stderr.Bytes())))
	}
	return strings.TrimSpace(string(out))
}

// verb runs another command of the program.
func (s *store) verb(ctx context.Context, args ...string) string {
	c := exec.CommandContext(ctx, s.bin, args...)
	c.Env = s.env
	return output(c)
}

// stop ends the owner, if there is one, and waits until the directory is free.
func (s *store) stop(ctx context.Context) { s.verb(ctx, "stop") }

// kill ends the owner with a signal that cannot be handled, and waits until the
// directory is free.
func (s *store) kill(ctx context.Context) {
	check(must(os.FindProcess(s.status(ctx).Owner.PID)).Kill())
	eventually(ctx, "the owner is gone", func() bool { return !ownership.Held(s.dir) })
}

// drained connects to the owner and makes it drain the spool. It returns nil if no owner listens yet.
func (s *store) drained(ctx context.Context) *nats.Conn {
	nc, err := journal.Connect(ctx, s.dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return nil
	}
	check(err)
	must(nc.RequestWithContext(ctx, wire.Drain, nil))
	return nc
}

// with waits until the owner serves and has drained the spool, and runs f on the log.
func (s *store) with(ctx context.Context, f func(*journal.Log, jetstream.JetStream)) {
	var nc *nats.Conn
	eventually(ctx, "the owner serves", func() bool { nc = s.drained(ctx); return nc != nil })
	defer nc.Close()
	js := must(jetstream.New(nc))
	log := must(journal.OpenLog(ctx, js))
	f(log.Through(embedded.Records(s.dir, log.Stream())), js)
}

// kept returns the number of different tool calls in a log.
func (b *bench) kept(s *store) int {
	calls := map[string]bool{}
	s.with(b.ctx, func(log *journal.Log, _ jetstream.JetStream) {
		b.each(log, func(e events.Envelope) {
			if strings.HasPrefix(e.Key, events.ToolKey) && e.EchoOf == 0 {
				calls[e.Key] = true
			}
		})
	})
	return len(calls)
}

// commands returns the number of commands in a log, without echoes.
func (b *bench) commands(s *store) (n int) {
	s.with(b.ctx, func(log *journal.Log, _ jetstream.JetStream) {
		b.each(log, func(e events.Envelope) {
			if e.Type == events.TypeOf[events.CommandRan]() && e.EchoOf == 0 {
				n++
			}
		})
	})
	return n
}

// emptySpool removes the one file in the spool, so that the next hook finds an empty spool, as hooks usually do.
func (s *store) emptySpool() {
	files := must(filepath.Glob(filepath.Join(s.dir, "spool", "*.ev")))
	if len(files) != 1 {
		check(fmt.Errorf("%d files in the spool after one hook", len(files)))
	}
	check(os.Remove(files[0]))
}

// owners counts the processes that own the directory or try to.
func (s *store) owners(ctx context.Context) int {
	all := output(exec.CommandContext(ctx, "ps", "-A", "-o", "args="))
	return strings.Count(all+"\n", " owner --dir "+s.dir+"\n")
}

// status has the members of `journal status --json` that are used here.
type status struct {
	Owner    struct{ PID int }
	LastSeq  uint64 `json:"last_seq"`
	Archived uint64
}

// status returns the status of the store; without an owner it panics with a failure.
func (s *store) status(ctx context.Context) (st status) {
	check(json.Unmarshal([]byte(s.verb(ctx, "status", "--json")), &st))
	if st.Owner.PID <= 0 {
		check(errors.New("journal status names no owner"))
	}
	return st
}

// resident returns the bytes of memory that the owner holds.
func (s *store) resident(ctx context.Context) int {
	return must(strconv.Atoi(output(exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(s.status(ctx).Owner.PID))))) << 10
}

// memory returns the line with the owner's memory.
func (s *store) memory(ctx context.Context, after string) line {
	return line{What: "memory of the owner after " + after, Value: fmt.Sprintf("%d MB", s.resident(ctx)>>20)}
}

// eventually polls ask until it returns true, for at most 15 minutes. The owner of millions of events that were not closed cleanly
// takes seconds to start, and the second copy of a year a minute.
func eventually(ctx context.Context, what string, ask func() bool) {
	for late := time.Now().Add(15 * time.Minute); !ask(); time.Sleep(time.Millisecond) {
		check(ctx.Err())
		if time.Now().After(late) {
			check(fmt.Errorf("waited too long until %s", what))
		}
	}
}
