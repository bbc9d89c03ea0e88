package embedded_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/journal/wire/sock"
)

// The test binary is also the child process of tests that need one.
const (
	childEnv = "EMBEDDED_TEST_CHILD"
	dirEnv   = "EMBEDDED_TEST_DIR"
)

// children maps a role to the function of a child process, which returns its exit code.
var children = map[string]func(dir string) int{}

const (
	exitWon    = 0
	exitError  = 1
	exitLocked = 3
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(children[role](os.Getenv(dirEnv)))
	}
	os.Exit(m.Run())
}

func childEnviron(role, dir string) []string {
	return append(os.Environ(), childEnv+"="+role, dirEnv+"="+dir)
}

// child starts a process in a role. It is killed if the test ends before it.
func child(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = childEnviron(role, dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// owner returns a server that owns dir and serves until the test ends or closes it.
func owner(t testing.TB, dir string, o embedded.Options) *embedded.Server {
	t.Helper()
	return ownerWith(t, ownertest.Lock(t, dir), o)
}

func ownerWith(t testing.TB, l *ownership.Lock, o embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Own(context.Background(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Serve(); err != nil {
		t.Fatal(err)
	}
	return s
}

// stream creates the stream of the tests on the owner's connection.
func stream(nc *nats.Conn) (jetstream.JetStream, jetstream.Stream, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, nil, err
	}
	st, err := js.CreateOrUpdateStream(context.Background(), jetstream.StreamConfig{
		Name: "journal", Subjects: []string{"journal.>"}, AllowDirect: true,
	})
	return js, st, err
}

// fill stores n messages through the owner.
func fill(t testing.TB, s *embedded.Server, n int) jetstream.Stream {
	t.Helper()
	js, st, err := stream(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := js.Publish(context.Background(), "journal.p.s.t", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// dial connects a client through the socket of dir.
func dial(t testing.TB, dir string, o ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect("", append(o, nats.SetCustomDialer(sock.Dialer(dir)), nats.MaxReconnects(0))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func wantText(t testing.TB, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%q does not say %q", s, p)
		}
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
