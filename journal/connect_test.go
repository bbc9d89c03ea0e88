package journal_test

import (
	"errors"
	"net"
	"os"
	"testing"

	"journal/journal"
	"journal/journal/wire/sock"
)

// An owner that ends closes new connections: the error is that there is no owner.
func TestConnectToAnOwnerThatEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", sock.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(sock.Path(dir), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	if nc, err := journal.Connect(t.Context(), dir); !errors.Is(err, sock.ErrNoOwner) {
		t.Errorf("connection %v, error %v", nc, err)
	}
}
