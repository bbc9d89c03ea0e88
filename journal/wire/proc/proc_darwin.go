package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// machineNamespace is no namespace: there is one, and no id of the machine.
const machineNamespace = "none"

func surroundings() (identity, bool) {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	return identity{boot: boot}, err == nil && boot != ""
}

func startOf(pid int) (string, bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p.Proc.P_pid != int32(pid) {
		return "", false
	}
	return fmt.Sprintf("%d.%d", p.Proc.P_starttime.Sec, p.Proc.P_starttime.Usec), true
}
