package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// machineNamespace equals no namespace, so that no new boot counts as evidence: this package reads no id of the machine on macOS.
const machineNamespace = "none"

// Boot returns the id of this boot of the machine, empty if the system does not report it. kern.boottime is no id, because setting
// the clock changes it.
func Boot() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid") // empty where there is none
	return id
}

// thisMachine returns the part of an identity that all processes of this machine share. ok is false without an id of the boot.
func thisMachine() (shared identity, ok bool) {
	i := identity{boot: Boot()}
	return i, i.boot != ""
}

// Start returns the time at which a process started, in microseconds, 0 if there is no such process. It differs for every process
// that has had the id since the machine started.
func Start(pid int) int64 {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p.Proc.P_pid != int32(pid) {
		return 0
	}
	return int64(p.Proc.P_starttime.Sec)*1e6 + int64(p.Proc.P_starttime.Usec)
}

// startOf returns the start time of a process. ok is false if no process has the id.
func startOf(pid int) (start string, ok bool) {
	n := Start(pid)
	return fmt.Sprintf("%d.%d", n/1e6, n%1e6), n != 0
}
