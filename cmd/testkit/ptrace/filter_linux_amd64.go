package ptrace

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// followed are the numbers of the system calls at which a traced process stops.
var followed = []uint32{
	unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_OPENAT, unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINK,
	unix.SYS_UNLINKAT, unix.SYS_RMDIR, unix.SYS_MKDIR, unix.SYS_MKDIRAT, unix.SYS_LINK, unix.SYS_LINKAT, unix.SYS_SYMLINK,
	unix.SYS_SYMLINKAT, unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE,
	unix.SYS_SPLICE, unix.SYS_FCHMOD, unix.SYS_FCHMODAT,
}

// Follow makes this process, and the processes that it starts, stop at the calls in followed for the tracing process. Without a
// tracing process these calls fail from then on.
func Follow() error {
	const number, arch = 0, 4 // offsets in struct seccomp_data
	n := uint8(len(followed))
	code := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: arch},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AUDIT_ARCH_X86_64, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
	}
	for i, call := range followed {
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jt: n - uint8(i)})
	}
	code = append(code,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE},
	)
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	runtime.LockOSThread() // prctl is for this thread only; TSYNC then extends its effect and the filter to all threads
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// Say sends a mark to the tracing process, which records it.
func Say(text string) {
	if f, err := os.Open(markPath + text); err == nil {
		f.Close() // not reached, because there is no such file
	}
}

// Available returns the reason why no process can be traced; nil if one can.
func Available() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := exec.Command("/proc/self/exe", "-test.run=^$")
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.Process.Pid, &status, 0, nil); err != nil {
		return err
	}
	return syscall.PtraceSetOptions(c.Process.Pid, options)
}
