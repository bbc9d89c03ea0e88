package ptrace

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// options trace all children and threads, also after an exec, and kill them when the tracing process ends.
const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_EXITKILL

// callStop is the signal with which a thread stops at the end of a system call.
const callStop = syscall.SIGTRAP | 0x80

// follower is the state of Run.
type follower struct {
	Config
	recorder
	faults  *faults
	threads map[int]*call // the call of each thread that is executed and will be recorded; nil for none
	busy    int           // the thread with such a call; 0 for none
	waiting []int         // threads that stopped before a call while another call is executed
	ended   bool          // the first process has ended, so no further call is executed
}

// Run starts a process and traces it and its descendants until the process ends. Then Run kills the others and returns the
// exit code. The calling process must not have other children.
func Run(c Config) (recording Recording, exitCode int, err error) {
	runtime.LockOSThread() // only the thread that traces a process may control it
	defer runtime.UnlockOSThread()
	p, err := os.StartProcess(c.Args[0], c.Args, &os.ProcAttr{
		Env: c.Env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return Recording{}, 0, err
	}
	f := &follower{Config: c, faults: newFaults(c.Plan), recorder: newRecorder(c.Root, c.OnlyMarks), threads: map[int]*call{}}
	exitCode, err = f.follow(p.Pid)
	return Recording{Ops: f.ops, Faults: f.faults.counts}, exitCode, err
}

// follow handles the stops of all threads until the first process has ended, and then kills the others.
func (f *follower) follow(first int) (code int, err error) {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(first, &status, syscall.WALL, nil); err != nil {
		return 0, err
	}
	if err := syscall.PtraceSetOptions(first, options); err != nil {
		return 0, err
	}
	if err := syscall.PtraceCont(first, 0); err != nil {
		return 0, err
	}
	f.threads[first] = nil
	for {
		tid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ECHILD): // all have ended
			return code, nil
		case err != nil:
			return code, err
		case status.Exited() || status.Signaled():
			if err := f.remove(tid); err != nil {
				return code, fmt.Errorf("after the end of %d: %w", tid, err)
			}
			if tid == first {
				f.ended, code = true, status.ExitStatus()
			}
		case !f.ended || f.busy != 0:
			if err := f.handleStop(tid, status); err != nil && !errors.Is(err, syscall.ESRCH) {
				return code, fmt.Errorf("follow %d: %w", tid, err)
			}
		}
		if f.ended && f.busy == 0 { // no call is executed any more
			for tid := range f.threads {
				_ = syscall.Kill(tid, syscall.SIGKILL) // the thread may have ended
			}
			f.threads = map[int]*call{}
			if status.Stopped() {
				_ = syscall.Kill(tid, syscall.SIGKILL)
				_ = syscall.PtraceCont(tid, 0)
			}
		}
	}
}

// remove removes a thread that has ended, and lets waiting threads make their calls if it made one.
func (f *follower) remove(tid int) error {
	delete(f.threads, tid)
	if f.busy != tid {
		return nil
	}
	f.busy = 0
	return f.goOn()
}

// handleStop handles one stop of a thread, and lets the thread go on unless it must wait.
func (f *follower) handleStop(tid int, status syscall.WaitStatus) error {
	_, known := f.threads[tid]
	if !known {
		f.threads[tid] = nil
	}
	sig := status.StopSignal()
	switch {
	case sig == callStop:
		if c := f.threads[tid]; c != nil {
			f.threads[tid] = nil
			err := f.recordResult(tid, c)
			f.busy = 0
			return errors.Join(err, syscall.PtraceCont(tid, 0), f.goOn())
		}
		sig = 0
	case status.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		if f.busy != 0 {
			f.waiting = append(f.waiting, tid)
			return nil
		}
		return f.begin(tid)
	case status.TrapCause() > 0, !known && sig == syscall.SIGSTOP: // another event of ptrace, or the start of a new thread
		sig = 0
	}
	return syscall.PtraceCont(tid, int(sig)) // with the signal that the thread was sent, if any
}

// goOn lets waiting threads make their calls, until one of these is to be recorded.
func (f *follower) goOn() (err error) {
	for f.busy == 0 && !f.ended && len(f.waiting) > 0 {
		tid := f.waiting[0]
		f.waiting = f.waiting[1:]
		if _, ok := f.threads[tid]; !ok {
			continue
		}
		if e := f.begin(tid); !errors.Is(e, syscall.ESRCH) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// begin handles a call that a thread is about to make. The call is executed, or fails without being executed. At the end of a call
// that is to be recorded the thread stops again.
func (f *follower) begin(tid int) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	c := f.decode(tid, &regs)
	if c == nil {
		return syscall.PtraceCont(tid, 0)
	}
	if c.mark != "" {
		f.mark(c.mark)
		if c.mark == Healed {
			f.faults.over = true
		}
		pid := 0
		if _, err := fmt.Sscanf(c.mark, Kill+"%d", &pid); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the process may have ended
		}
		return f.fail(tid, &regs, unix.ENOENT)
	}
	if fault, short := f.faults.next(c.group, c.path, c.size); fault == Short {
		regs.Rdx = uint64(short)
		if err := syscall.PtraceSetRegs(tid, &regs); err != nil {
			return err
		}
	} else if fault != "" {
		if c.group == Syncing && fault != "EINTR" {
			f.recordFailedSync(tid, c)
		}
		return f.fail(tid, &regs, errnos[fault])
	}
	f.threads[tid], f.busy = c, tid
	return syscall.PtraceSyscall(tid, 0)
}

// fail makes a call return an error without being executed.
func (f *follower) fail(tid int, regs *syscall.PtraceRegs, errno unix.Errno) error {
	regs.Orig_rax = ^uint64(0) // no system call has this number
	regs.Rax = uint64(-int64(errno))
	if err := syscall.PtraceSetRegs(tid, regs); err != nil {
		return err
	}
	return syscall.PtraceCont(tid, 0)
}

// errnos has the errors of plans by their names.
var errnos = map[string]unix.Errno{
	"EIO": unix.EIO, "ENOSPC": unix.ENOSPC, "EDQUOT": unix.EDQUOT, "EINTR": unix.EINTR, "EACCES": unix.EACCES,
	"EMFILE": unix.EMFILE, "ENFILE": unix.ENFILE, "EBUSY": unix.EBUSY,
}

// recordResult records a call that has returned.
func (f *follower) recordResult(tid int, c *call) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	f.record(tid, c, int64(regs.Rax))
	return nil
}
