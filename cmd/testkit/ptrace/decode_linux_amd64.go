package ptrace

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// call is a system call that a thread is about to make.
type call struct {
	group  Call   // the kind of call, for plans and recordings
	number uint64 // of the system call
	path   string // of the file
	to     string // the new path, for rename and link
	target string // of a symbolic link
	flags  int    // of open
	fd     int    // descriptor of the file that is written, synced or truncated
	off    int64  // of a write; -1: at the position of the descriptor
	size   int    // number of bytes to write
	length int64  // of truncate
	data   []byte // to write; nil if the kernel copies it from another descriptor
	mark   string // text of Say; if it is set, the other fields mean nothing
}

// decode returns the call that a thread with the registers r is about to make; nil for a call that is not recorded, such as one on
// a file outside of the traced directory.
func (f *follower) decode(tid int, r *syscall.PtraceRegs) *call {
	c := &call{number: r.Orig_rax, off: -1, fd: int(int32(r.Rdi))}
	// The two functions set the path of the file, and report whether the file is in the traced directory.
	ofFD := func() bool {
		path, err := os.Readlink(fdPath(tid, c.fd))
		c.path = path
		return err == nil && f.below(path)
	}
	ofName := func(dirfd int32, name uint64) bool {
		c.path = pathAt(tid, dirfd, stringAt(tid, uintptr(name)))
		return f.below(c.path)
	}
	traced := false
	switch r.Orig_rax {
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		c.group, traced = Writing, ofFD()
		if !traced {
			return nil // without a copy of the bytes
		}
		c.data = bytesAt(tid, uintptr(r.Rsi), int(r.Rdx))
		c.size = len(c.data)
		if r.Orig_rax == unix.SYS_PWRITE64 {
			c.off = int64(r.R10)
		}
	case unix.SYS_COPY_FILE_RANGE, unix.SYS_SPLICE:
		c.fd = int(int32(r.Rdx))
		c.group, traced = Writing, ofFD()
	case unix.SYS_SENDFILE:
		c.group, traced = Writing, ofFD()
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		c.group, traced = Syncing, ofFD()
	case unix.SYS_FTRUNCATE:
		c.group, c.length, traced = Cutting, int64(r.Rsi), ofFD()
	case unix.SYS_OPENAT:
		name := stringAt(tid, uintptr(r.Rsi))
		if mark, ok := strings.CutPrefix(name, markPath); ok {
			c.mark = mark
			return c
		}
		if c.path = pathAt(tid, int32(r.Rdi), name); !f.below(c.path) {
			return nil
		}
		c.group, c.flags, traced = Opening, int(r.Rdx), true
		if _, err := os.Lstat(c.path); err != nil && c.flags&unix.O_CREAT != 0 {
			c.group = Creating
		}
	case unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINK, unix.SYS_LINKAT:
		dir, name, dir2, name2 := int32(unix.AT_FDCWD), r.Rdi, int32(unix.AT_FDCWD), r.Rsi
		if r.Orig_rax != unix.SYS_RENAME && r.Orig_rax != unix.SYS_LINK {
			dir, name, dir2, name2 = int32(r.Rdi), r.Rsi, int32(r.Rdx), r.R10
		}
		c.group, traced = Renaming, ofName(dir, name)
		c.to = pathAt(tid, dir2, stringAt(tid, uintptr(name2)))
		traced = traced || f.below(c.to)
	case unix.SYS_UNLINK, unix.SYS_RMDIR:
		c.group, traced = Removing, ofName(unix.AT_FDCWD, r.Rdi)
	case unix.SYS_UNLINKAT:
		c.group, traced = Removing, ofName(int32(r.Rdi), r.Rsi)
	case unix.SYS_MKDIR:
		c.group, traced = Making, ofName(unix.AT_FDCWD, r.Rdi)
	case unix.SYS_MKDIRAT:
		c.group, traced = Making, ofName(int32(r.Rdi), r.Rsi)
	case unix.SYS_SYMLINK:
		c.group, c.target, traced = Making, stringAt(tid, uintptr(r.Rdi)), ofName(unix.AT_FDCWD, r.Rsi)
	case unix.SYS_SYMLINKAT:
		c.group, c.target, traced = Making, stringAt(tid, uintptr(r.Rdi)), ofName(int32(r.Rsi), r.Rdx)
	case unix.SYS_FCHMOD, unix.SYS_FCHMODAT:
		return nil // powercut does not model changes of modes
	default: // no traced program makes other calls with a descriptor; a program that begins to must not go unnoticed
		if ofFD() {
			panic(fmt.Sprintf("system call %d on %s is not handled", r.Orig_rax, c.path))
		}
	}
	if !traced {
		return nil
	}
	return c
}

// below reports whether a path is the traced directory or below it.
func (f *follower) below(path string) bool {
	rest, ok := strings.CutPrefix(path, f.Root)
	return ok && (rest == "" || rest[0] == '/')
}

// pathAt returns the absolute path of a name that a thread passes to a call with the descriptor of a directory. It is empty if
// there is no such directory.
func pathAt(tid int, dirfd int32, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	link := fmt.Sprintf("/proc/%d/cwd", tid)
	if dirfd != unix.AT_FDCWD {
		link = fdPath(tid, int(dirfd))
	}
	dir, err := os.Readlink(link)
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

// bytesAt copies n bytes from the memory of a thread, or fewer at the end of readable memory. It returns nil after an error.
func bytesAt(tid int, at uintptr, n int) []byte {
	b := make([]byte, n)
	if n == 0 {
		return b
	}
	got, err := unix.ProcessVMReadv(tid, []unix.Iovec{{Base: &b[0], Len: uint64(n)}}, []unix.RemoteIovec{{Base: at, Len: n}}, 0)
	if err != nil {
		return nil
	}
	return b[:got]
}

// stringAt copies a string that ends with a zero byte from the memory of a thread.
func stringAt(tid int, at uintptr) string {
	for n := 256; n <= 8192; n *= 2 {
		// The next page of memory may not be readable. So the first try reads no further than this page, and a later one n-256
		// bytes further.
		b := bytesAt(tid, at, min(n, 4096-int(at%4096)+(n-256)))
		if text, _, ended := bytes.Cut(b, []byte{0}); ended {
			return string(text)
		}
	}
	return ""
}

// fdInfo returns the position and the flags of a descriptor of a thread. They are -1 and 0 for a closed one.
func fdInfo(tid, fd int) (pos int64, flags int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", tid, fd))
	if err != nil {
		return -1, 0
	}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch name {
		case "pos":
			pos, _ = strconv.ParseInt(value, 10, 64)
		case "flags":
			n, _ := strconv.ParseInt(value, 8, 64)
			flags = int(n)
		}
	}
	return pos, flags
}

// identity identifies an existing file. After a removal another file may get it.
type identity struct{ dev, ino uint64 }

// identityOf returns the identity of a file.
func identityOf(fi fs.FileInfo) identity {
	st := fi.Sys().(*syscall.Stat_t)
	return identity{st.Dev, st.Ino}
}
