package service

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/events"
	_ "journal/journal/agents/all"
	"journal/journal/wire"
	"journal/journal/wire/frame"
)

// door returns the hook socket of a real owner. A test may wrap the owner's Handle.
func door(t *testing.T, before func()) (dir string) {
	t.Helper()
	dir = ownertest.Dir(t)
	o, _ := ownertest.Serve(t, dir)
	d, err := ListenHooks(&watched{o, before}, HookConfig{Dir: dir, Logger: slog.New(slog.DiscardHandler), Intact: func() bool { return true }})
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	t.Cleanup(d.Close)
	return dir
}

type watched struct {
	HookOwner
	before func()
}

func (w *watched) Handle(ctx context.Context, r wire.Request) wire.Reply {
	if w.before != nil {
		w.before()
	}
	return w.HookOwner.Handle(ctx, r)
}

// prompt returns a call with a prompt.
func prompt(text string) frame.Call {
	return frame.Call{
		Began: 1, PID: 1, ID: events.NewID(), Cwd: "/", Args: []string{"claude"}, Vars: []string{"HOME=/nowhere"},
		Stdin: fmt.Appendf(nil, `{"session_id":"s1","hook_event_name":"UserPromptSubmit","cwd":"/","prompt":%q}`, text),
	}
}

// say sends bytes, and returns the kind of the last reply, 0 if there is none.
func say(t *testing.T, dir string, b []byte) frame.Kind {
	t.Helper()
	conn, err := net.Dial("unix", filepath.Join(dir, HookSocket))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		_, _ = conn.Write(b) // who is refused may not be listened to
		_ = conn.(*net.UnixConn).CloseWrite()
	}()
	head := make([]byte, frame.ReplyHead)
	for {
		if _, err := io.ReadFull(conn, head); err != nil {
			return 0
		}
		k, _, ok := frame.Reply(head)
		if !ok {
			t.Fatalf("reply %q", head)
		}
		if k != frame.Wait {
			return k
		}
	}
}

func framed(t *testing.T, c frame.Call) []byte {
	t.Helper()
	b, ok := frame.Append(nil, c)
	if !ok {
		t.Fatal("no frame carries it")
	}
	return b
}

// Unusual calls are refused, and later calls are answered.
func TestWhatIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := door(t, nil)
	with := func(change func(*frame.Call)) []byte {
		c := prompt("x")
		change(&c)
		return framed(t, c)
	}
	for name, b := range map[string][]byte{
		"noise":              []byte(strings.Repeat("noise", 100)),
		"nothing":            nil,
		"a part of a frame":  framed(t, prompt("x"))[:40],
		"another build":      with(func(c *frame.Call) { c.Build = 1 }),
		"an unknown agent":   with(func(c *frame.Call) { c.Args = []string{"nobody"} }),
		"no agent":           with(func(c *frame.Call) { c.Args = nil }),
		"an id that is none": with(func(c *frame.Call) { c.ID = strings.Repeat("0", 36) }),
		"a derived id":       with(func(c *frame.Call) { c.ID = events.DerivedID("x") }),
		"no home":            with(func(c *frame.Call) { c.Vars = nil }),
	} {
		if k := say(t, dir, b); k != frame.Alone {
			t.Errorf("%s is answered with %q", name, k)
		}
	}
	for name, b := range map[string][]byte{
		"a plain call":   framed(t, prompt("y")),
		"a deep payload": with(func(c *frame.Call) { c.Stdin = []byte(strings.Repeat("[", frame.MaxStdin)) }),
	} {
		if k := say(t, dir, b); k != frame.Answer {
			t.Errorf("%s is answered with %q", name, k)
		}
	}
}

// A panic affects only the call in which it happens, which is refused.
func TestPanic(t *testing.T) {
	t.Parallel()
	broken := true
	dir := door(t, func() {
		if broken {
			panic("of one call")
		}
	})
	if k := say(t, dir, framed(t, prompt("x"))); k != frame.Alone {
		t.Errorf("a call that breaks is answered with %q", k)
	}
	broken = false
	if k := say(t, dir, framed(t, prompt("y"))); k != frame.Answer {
		t.Errorf("the next one is answered with %q", k)
	}
}

// A call over the bound of waiting calls is refused at once.
func TestCrowd(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	inside := make(chan struct{}, parallel)
	dir := door(t, func() {
		inside <- struct{}{}
		<-held
	})
	kinds := make(chan frame.Kind)
	const n = parallel + waiting
	for range n {
		b := framed(t, prompt("x"))
		go func() { kinds <- say(t, dir, b) }()
	}
	for range parallel {
		<-inside
	}
	testutil.Eventually(t, "one is left alone", func() bool {
		return say(t, dir, nil) == frame.Alone && say(t, dir, framed(t, prompt("z"))[:20]) == frame.Alone
	})
	close(held)
	go func() {
		for range inside {
		}
	}()
	answered := 0
	for range n {
		if <-kinds == frame.Answer {
			answered++
		}
	}
	if answered < parallel {
		t.Errorf("%d of %d are answered", answered, n)
	}
}

// The owner survives any bytes, and answers or refuses the call.
func FuzzPayload(f *testing.F) {
	for _, s := range []string{"", "{}", `{"session_id":"s","hook_event_name":"Stop","cwd":"/"}`, `{"hook_event_name":"PreCompact"`} {
		f.Add("claude", "Stop", []byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, agent, event string, stdin []byte) {
		c := prompt("")
		c.Args, c.Stdin = []string{agent, event}, stdin
		b, ok := frame.Append(nil, c)
		if !ok {
			return
		}
		d := &HookListener{HookConfig: HookConfig{Dir: dir, Logger: slog.New(slog.DiscardHandler)}, owner: &watched{HookOwner: deaf{}}}
		if _, err := d.handle(t.Context(), nil, b[frame.Head:]); err != nil && strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
	})
}

// deaf is an owner that stores nothing: the fuzz test is of parsing calls.
type deaf struct{ HookOwner }

func (deaf) Handle(context.Context, wire.Request) wire.Reply { return wire.Reply{Wire: wire.Version} }
