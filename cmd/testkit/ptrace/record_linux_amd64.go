package ptrace

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// recorder records what system calls do to files.
type recorder struct {
	root      string
	onlyMarks bool
	ops       []Op
	inos      map[identity]int // numbers of files (Op.Ino)
	last      int              // the number that was assigned last
}

// newRecorder returns a recorder for the files below root.
func newRecorder(root string, onlyMarks bool) recorder {
	r := recorder{root: root, onlyMarks: onlyMarks, inos: map[identity]int{}}
	if fi, err := os.Stat(root); err == nil {
		r.inos[identityOf(fi)] = 0
	}
	return r
}

// add records an operation, unless only marks are recorded.
func (r *recorder) add(op Op) {
	if !r.onlyMarks {
		r.ops = append(r.ops, op)
	}
}

// mark records a mark.
func (r *recorder) mark(text string) {
	r.ops = append(r.ops, Op{Kind: Mark, Name: text})
}

// inoOf returns the number of the file at a path. It panics if the file has none.
func (r *recorder) inoOf(path string) int {
	// A link in /proc leads to the open file, even if the file has no name any more.
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
		panic(path + " was made by a process that is not traced")
	}
	return ino
}

// inoOfFD returns the number of the file behind a descriptor of a thread.
func (r *recorder) inoOfFD(tid, fd int) int { return r.inoOf(fdPath(tid, fd)) }

// fdPath returns the path of a descriptor of a thread in /proc.
func fdPath(tid, fd int) string { return fmt.Sprintf("/proc/%d/fd/%d", tid, fd) }

// recordFailedSync records a sync that failed.
func (r *recorder) recordFailedSync(tid int, c *call) {
	if r.onlyMarks {
		return
	}
	r.add(Op{Kind: SyncFail, Ino: r.inoOfFD(tid, c.fd)})
}

// record records a call that returned result, which is negative after an error.
func (r *recorder) record(tid int, c *call, result int64) {
	if r.onlyMarks {
		return
	}
	if result < 0 {
		if c.group == Syncing && result != -int64(unix.EINTR) {
			r.recordFailedSync(tid, c)
		}
		return
	}
	switch c.group {
	case Writing:
		r.recordWrite(tid, c, int(result))
	case Syncing:
		r.add(Op{Kind: Sync, Ino: r.inoOfFD(tid, c.fd)})
	case Cutting:
		r.add(Op{Kind: Truncate, Ino: r.inoOfFD(tid, c.fd), Size: c.length})
	case Opening:
		if c.flags&unix.O_TRUNC != 0 {
			r.add(Op{Kind: Truncate, Ino: r.inoOf(c.path)})
		}
	case Making, Creating:
		r.recordCreate(c)
	case Removing:
		r.add(Op{Kind: Remove, Dir: r.inoOf(filepath.Dir(c.path)), Name: filepath.Base(c.path)})
	case Renaming:
		// The file may have been removed again already. Sockets do not outlive a power cut.
		if fi, err := os.Lstat(c.to); err != nil || fi.Mode()&os.ModeSocket != 0 {
			return
		}
		kind := Rename
		if c.number == unix.SYS_LINK || c.number == unix.SYS_LINKAT {
			kind = Link
		}
		r.add(Op{
			Kind: kind, Ino: r.inoOf(c.to), Dir: r.inoOf(filepath.Dir(c.path)), Name: filepath.Base(c.path),
			Dir2: r.inoOf(filepath.Dir(c.to)), Name2: filepath.Base(c.to),
		})
	}
}

// recordCreate records a new file, directory or symbolic link, unless it was removed already.
func (r *recorder) recordCreate(c *call) {
	fi, err := os.Lstat(c.path)
	if err != nil {
		return
	}
	r.last++
	r.inos[identityOf(fi)] = r.last
	r.add(Op{
		Kind: Create, Ino: r.last, IsDir: fi.IsDir(), Mode: fi.Mode().Perm(), Dir: r.inoOf(filepath.Dir(c.path)), Name: filepath.Base(c.path),
		Target: c.target,
	})
}

// recordWrite records a write of n bytes, and a sync if the file is open with O_SYNC or O_DSYNC.
func (r *recorder) recordWrite(tid int, c *call, n int) {
	if n == 0 {
		return
	}
	pos, flags := fdInfo(tid, c.fd)
	off := c.off
	if off < 0 { // at the position of the descriptor, which the write has advanced
		off = pos - int64(n)
	}
	data := c.data
	if data == nil { // the kernel copied it from another descriptor
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
	r.add(Op{Kind: Write, Ino: ino, Off: off, Data: data[:n]})
	if flags&(unix.O_SYNC|unix.O_DSYNC) != 0 {
		r.add(Op{Kind: Sync, Ino: ino})
	}
}
