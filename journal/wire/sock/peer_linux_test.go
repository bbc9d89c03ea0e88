package sock_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
	"journal/journal/wire/sock"
)

// dialAs connects as another user, on a thread that ends with the goroutine,
// since Linux keeps users per thread and records the connecting one's.
func dialAs(uid int, path string) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); e != 0 {
			err = e
			return
		}
		conn, err = net.Dial("unix", path)
	}()
	<-done
	return conn, err
}

func TestCheckPeerKnowsTheUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can become someone else")
	}
	path := "@" + filepath.Join(newDir(t), "open.sock") // in no directory: another user may not reach ours
	l := testutil.Listen(t, path)
	for uid, want := range map[int]error{os.Geteuid(): nil, 12345: sock.ErrUntrusted} {
		client, err := dialAs(uid, path)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if err := sock.CheckPeer(conn); !errors.Is(err, want) {
			t.Errorf("user %d: %v", uid, err)
		}
		conn.Close()
		client.Close()
	}
}
