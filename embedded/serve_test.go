//go:build unix

package embedded_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/journal/wire/sock"
)

func TestRule4SocketPlaceIsTaken(t *testing.T) {
	t.Parallel()
	const content = "somebody's"
	for name, c := range map[string]struct {
		put  func(t *testing.T, path string)
		keep string // below the thing moved aside, what must still hold content
	}{
		"stale socket": {put: func(t *testing.T, path string) { testutil.Listen(t, path).Close() }},
		"symlink": {
			put: func(t *testing.T, path string) {
				target := filepath.Join(filepath.Dir(filepath.Dir(path)), "target")
				write(t, target, content)
				if err := os.Symlink(target, path); err != nil {
					t.Fatal(err)
				}
			},
			keep: ".",
		},
		"file": {
			put:  func(t *testing.T, path string) { write(t, path, content) },
			keep: ".",
		},
		"directory": {
			put: func(t *testing.T, path string) {
				if err := os.Mkdir(path, 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(path, "inside"), content)
			},
			keep: "inside",
		},
	} {
		for _, place := range []string{"owner.sock", "owner.new"} {
			t.Run(name+" at "+place, func(t *testing.T) {
				t.Parallel()
				dir := ownertest.Dir(t)
				path := filepath.Join(dir, place)
				c.put(t, path)
				owner(t, dir, embedded.Options{})
				if err := dial(t, dir).Flush(); err != nil {
					t.Fatal(err)
				}
				aside, err := filepath.Glob(path + ".aside-*")
				if err != nil {
					t.Fatal(err)
				}
				if c.keep == "" {
					if len(aside) != 0 {
						t.Errorf("a stale socket was kept: %v", aside)
					}
					return
				}
				if len(aside) != 1 {
					t.Fatalf("moved aside: %v", aside)
				}
				b, err := os.ReadFile(filepath.Join(aside[0], c.keep))
				if err != nil || string(b) != content {
					t.Errorf("kept %q, %v", b, err)
				}
			})
		}
	}
}

func TestRule4OnlyOurSocketIsRemoved(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{})
	path := filepath.Join(dir, "owner.sock")
	if err := os.Rename(path, path+".ours"); err != nil {
		t.Fatal(err)
	}
	testutil.Listen(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := sock.Dialer(dir).Dial("", "")
	if err != nil {
		t.Fatalf("the other socket is gone: %v", err)
	}
	conn.Close()
}

func TestRule3StopAcceptingLetsClientsFinish(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{})
	nc := dial(t, dir)
	s.StopAccepting()
	s.StopAccepting()

	_, err := sock.Dialer(dir).Dial("", "")
	testutil.WantError(t, err, sock.ErrNoOwner)
	if _, err := os.Lstat(filepath.Join(dir, "owner.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("socket file: %v", err)
	}
	if err := nc.Flush(); err != nil {
		t.Errorf("a client that was there already: %v", err)
	}
	testutil.WantError(t, s.Serve(), ownership.ErrClosed)
}

func TestServeTwice(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{})
	if err := s.Serve(); err == nil {
		t.Fatal("no error")
	}
	if err := dial(t, dir).Flush(); err != nil {
		t.Errorf("the first socket is gone: %v", err)
	}
}

func TestBridgeCarriesTheLastWords(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	owner(t, dir, embedded.Options{})
	for range 50 {
		conn, err := sock.Dialer(dir).Dial("", "")
		if err != nil {
			t.Fatal(err)
		}
		// The server answers nonsense with an error and hangs up.
		if _, err := conn.Write([]byte("NONSENSE\r\n" + strings.Repeat("x", 1<<15))); err != nil {
			t.Fatal(err)
		}
		var all []byte
		buf := make([]byte, 4096)
		for err == nil {
			var n int
			n, err = conn.Read(buf)
			all = append(all, buf[:n]...)
		}
		conn.Close()
		wantText(t, string(all), "INFO {", "-ERR")
	}
}

func TestBridgeLetsARefusedClientWriteOn(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	s := owner(t, dir, embedded.Options{Grace: testutil.Patience})
	conn, err := sock.Dialer(dir).Dial("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(`CONNECT {"user":"owner","pass":"wrong"}` + "\r\n")); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(all), "Authorization Violation")
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		t.Errorf("after being refused: %v", err)
	}
	// Close does not wait long for a client that ignores it.
	start := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > testutil.Patience/2 {
		t.Errorf("Close took %v", d)
	}
}
