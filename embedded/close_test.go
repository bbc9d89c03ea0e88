//go:build unix

package embedded_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/journal/wire/sock"
)

// snapshot describes every file below dir: its mode, content and identity.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		s := fmt.Sprint(fi.Mode(), fi.ModTime())
		if fi.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s += fmt.Sprintf(" %x", sha256.Sum256(b))
		}
		all[path] = s
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRule5ReplacedDirectoryStaysUntouched(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	first := owner(t, dir, embedded.Options{})
	fill(t, first, 50)

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	second := owner(t, dir, embedded.Options{})
	fill(t, second, 5)
	before := snapshot(t, dir)

	testutil.WantError(t, first.Close(), ownership.ErrReplaced)
	testutil.WantError(t, first.Close(), ownership.ErrReplaced)
	if d := cmp.Diff(before, snapshot(t, dir)); d != "" {
		t.Errorf("the new owner's directory changed:\n%s", d)
	}
	// Close did not stop the first server: its end is os.Exit.
	if err := first.Conn().Flush(); err != nil {
		t.Errorf("first server: %v", err)
	}
	if err := dial(t, dir).Flush(); err != nil {
		t.Errorf("second owner's socket: %v", err)
	}
	st := fill(t, second, 1)
	if info, err := st.Info(t.Context()); err != nil || info.State.LastSeq != 6 {
		t.Errorf("second store: %+v, %v", info, err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

func TestRule5ReplacedIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{Grace: testutil.Patience})
	dial(t, dir) // Nobody waits for it.
	if err := os.Remove(filepath.Join(dir, "owner.lock")); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	testutil.WantError(t, s.Close(), ownership.ErrReplaced)
	if d := time.Since(start); d > testutil.Patience/2 {
		t.Errorf("took %v", d)
	}
}

func TestRule5ReplacedWhileClosing(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{Grace: testutil.Patience})
	fill(t, s, 5)
	nc := dial(t, dir)
	done := make(chan error)
	go func() { done <- s.Close() }()
	testutil.Eventually(t, "the socket is gone", func() bool {
		_, err := os.Lstat(filepath.Join(dir, "owner.sock"))
		return err != nil
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	ownertest.Lock(t, dir)
	before := snapshot(t, dir)
	nc.Close()
	testutil.WantError(t, <-done, ownership.ErrReplaced)
	if d := cmp.Diff(before, snapshot(t, dir)); d != "" {
		t.Errorf("the new directory changed:\n%s", d)
	}
	if err := s.Conn().Flush(); err != nil {
		t.Errorf("the server was stopped: %v", err)
	}
}

func TestRule5StopAcceptingLeavesTheSuccessorsSocket(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	first := owner(t, dir, embedded.Options{})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	testutil.Listen(t, filepath.Join(dir, "owner.sock"))
	first.StopAccepting()
	conn, err := sock.Dialer(dir).Dial("", "")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestRule3CloseCutsThoseWhoStay(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	const grace = 100 * time.Millisecond
	s := owner(t, dir, embedded.Options{Grace: grace})
	closed := make(chan struct{})
	dial(t, dir, nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	start := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d < grace {
		t.Errorf("the client had %v, not %v", d, grace)
	}
	select {
	case <-closed:
	case <-time.After(testutil.Patience):
		t.Error("the client is still connected")
	}
	if clean, why := embedded.WasClean(dir); !clean {
		t.Error(why)
	}
}

func TestRule3CloseWaitsOnlyForClients(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{Grace: testutil.Patience})
	nc := dial(t, dir)
	done := make(chan error)
	go func() { done <- s.Close() }()
	testutil.Eventually(t, "the socket is gone", func() bool {
		_, err := net.Dial("unix", filepath.Join(dir, "owner.sock"))
		return err != nil
	})
	select {
	case err := <-done:
		t.Fatalf("did not wait for the client: %v", err)
	default:
	}
	if err := nc.Flush(); err != nil {
		t.Errorf("client within the grace: %v", err)
	}
	start := time.Now()
	nc.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > testutil.Patience/2 {
		t.Errorf("took %v after the last client left", d)
	}
}
