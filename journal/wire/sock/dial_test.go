//go:build unix

package sock_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/journal/wire/sock"
)

// newDir is short enough for a socket, which t.TempDir may not be.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestDialReachesTheListener(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	l := testutil.Listen(t, sock.Path(dir))
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Write([]byte("hello"))
			c.Close()
		}
	}()
	conn, err := sock.Dialer(dir).Dial("tcp", "ignored:4222")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	b := make([]byte, 5)
	if _, err := conn.Read(b); err != nil || string(b) != "hello" {
		t.Errorf("read %q, %v", b, err)
	}
}

func TestDialRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put  func(t *testing.T, path string)
		want error
	}{
		"nothing":      {func(*testing.T, string) {}, sock.ErrNoOwner},
		"stale socket": {func(t *testing.T, path string) { testutil.Listen(t, path).Close() }, sock.ErrNoOwner},
		"no directory": {func(t *testing.T, path string) { os.Remove(filepath.Dir(path)) }, sock.ErrNoOwner},
		"symlink to a living socket": {func(t *testing.T, path string) {
			testutil.Listen(t, path+".real")
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		}, sock.ErrUntrusted},
		"file": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, sock.ErrUntrusted},
		"another's socket": {func(t *testing.T, path string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			testutil.Listen(t, path)
			if err := os.Chown(path, 12345, -1); err != nil {
				t.Fatal(err)
			}
		}, sock.ErrUntrusted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			c.put(t, filepath.Join(dir, "owner.sock"))
			conn, err := sock.Dialer(dir).Dial("", "")
			if err == nil {
				conn.Close()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestCheckPeerNeedsAUnixConnection(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := sock.CheckPeer(a); !errors.Is(err, sock.ErrUntrusted) {
		t.Errorf("got %v", err)
	}
}
