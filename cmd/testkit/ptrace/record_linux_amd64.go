package ptrace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// recorder writes down what calls did.
type recorder struct {
	root   string
	forget bool
	ops    []Op
	inos   map[identity]int
	next   int
}

func newRecorder(root string, forget bool) recorder {
	r := recorder{root: root, forget: forget, inos: map[identity]int{}}
	if fi, err := os.Stat(root); err == nil {
		r.inos[identityOf(fi)] = 0
	}
	return r
}

func (r *recorder) add(op Op) {
	if !r.forget {
		r.ops = append(r.ops, op)
	}
}

func (r *recorder) mark(text string, tid int) {
	r.ops = append(r.ops, Op{Kind: Mark, Name: text, PID: tid})
}

// fresh assigns a number to something that was just made.
func (r *recorder) fresh(path string) (ino int, ok bool) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	r.next++
	r.inos[identityOf(fi)] = r.next
	return r.next, true
}

// inoOf is the number of what is at a path.
func (r *recorder) inoOf(path string) int {
	// A link of /proc is followed: it leads to the file, also to one without a name.
	stat := os.Lstat
	if strings.HasPrefix(path, "/proc/") {
		stat = os.Stat
	}
	fi, err := stat(path)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", path, err))
	}
	ino, known := r.inos[identityOf(fi)]
	if !known {
		panic(path + " was made by nobody who is followed")
	}
	return ino
}

func (r *recorder) inoOfFD(tid, fd int) int { return r.inoOf(fdPath(tid, fd)) }

func fdPath(tid, fd int) string { return fmt.Sprintf("/proc/%d/fd/%d", tid, fd) }

func (r *recorder) syncFailed(tid int, c *call) {
	if r.forget {
		return
	}
	r.add(Op{Kind: SyncFail, Ino: r.inoOfFD(tid, c.fd), PID: tid})
}

// record writes down a call that was made and returned a value.
func (r *recorder) record(tid int, c *call, result int64) {
	if r.forget {
		return
	}
	if result < 0 {
		if c.call == Syncing && result != -int64(unix.EINTR) {
			r.syncFailed(tid, c)
		}
		return
	}
	switch c.call {
	case Writing:
		r.wrote(tid, c, int(result))
	case Syncing:
		r.add(Op{Kind: Sync, Ino: r.inoOfFD(tid, c.fd), PID: tid})
	case Cutting:
		r.add(Op{Kind: Truncate, Ino: r.inoOfFD(tid, c.fd), Size: c.length, PID: tid})
	case Opening:
		if c.flags&unix.O_TRUNC != 0 {
			r.add(Op{Kind: Truncate, Ino: r.inoOf(c.path), PID: tid})
		}
	case Making, Creating:
		r.made(tid, c)
	case Removing:
		r.add(Op{Kind: Remove, Dir: r.inoOf(filepath.Dir(c.path)), Name: filepath.Base(c.path), PID: tid})
	case Renaming:
		if fi, err := os.Lstat(c.to); err != nil || fi.Mode()&os.ModeSocket != 0 {
			return // sockets are nothing after a cut
		}
		kind := Rename
		if c.number == unix.SYS_LINK || c.number == unix.SYS_LINKAT {
			kind = Link
		}
		r.add(Op{
			Kind: kind, Ino: r.inoOf(c.to), Dir: r.inoOf(filepath.Dir(c.path)), Name: filepath.Base(c.path),
			Dir2: r.inoOf(filepath.Dir(c.to)), Name2: filepath.Base(c.to), PID: tid,
		})
	}
}

// made writes down what is new at a path.
func (r *recorder) made(tid int, c *call) {
	ino, ok := r.fresh(c.path)
	if !ok {
		return
	}
	fi, err := os.Lstat(c.path)
	if err != nil {
		return
	}
	r.add(Op{
		Kind: Create, Ino: ino, IsDir: fi.IsDir(), Mode: fi.Mode().Perm(), Dir: r.inoOf(filepath.Dir(c.path)), Name: filepath.Base(c.path),
		Target: c.target, PID: tid,
	})
}

// wrote writes down bytes that were written, and that they are durable when the file was opened so.
func (r *recorder) wrote(tid int, c *call, n int) {
	if n == 0 {
		return
	}
	pos, flags := place(tid, c.fd)
	off := c.off
	if off < 0 {
		off = pos - int64(n)
	}
	data := c.data
	if data == nil { // the system copied it
		data = make([]byte, n)
		f, err := os.Open(fdPath(tid, c.fd))
		if err != nil {
			panic(err)
		}
		_, err = f.ReadAt(data, off)
		f.Close()
		if err != nil && err != io.EOF {
			panic(err)
		}
	}
	ino := r.inoOfFD(tid, c.fd)
	r.add(Op{Kind: Write, Ino: ino, Off: off, Data: data[:n], PID: tid})
	if flags&(unix.O_SYNC|unix.O_DSYNC) != 0 {
		r.add(Op{Kind: Sync, Ino: ino, PID: tid})
	}
}
