package ownership

import "golang.org/x/sys/unix"

func readBootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid") // empty where there is none
	return id
}

// ProcessStart returns a number that tells the process with this id from
// every other that has or had the id since the machine started, and 0 when
// there is no such process or the system does not say. Here: the start time
// in microseconds.
func ProcessStart(pid int) int64 {
	kp, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(kp.Proc.P_pid) != pid {
		return 0
	}
	t := kp.Proc.P_starttime
	return int64(t.Sec)*1e6 + int64(t.Usec)
}
