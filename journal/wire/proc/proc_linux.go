package proc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
)

// machineNamespace is the namespace of process ids outside of containers, which has the same id on every machine (PROC_PID_INIT_INO).
const machineNamespace = "pid:[4026531836]"

// Boot returns the id of this boot of the machine, empty if the system does not report it.
func Boot() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // empty without /proc
	return strings.TrimSpace(string(b))
}

// thisMachine returns the part of an identity that all processes of this machine and namespace share. ok is false if the system does
// not report enough.
func thisMachine() (shared identity, ok bool) {
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return identity{}, false
	}
	i := identity{boot: Boot(), namespace: namespace}
	// The machine's id itself must not be published: machine-id(5).
	if id, err := os.ReadFile("/etc/machine-id"); err == nil && len(bytes.TrimSpace(id)) > 0 {
		sum := sha256.Sum256(append([]byte("journal "), bytes.TrimSpace(id)...))
		i.machine = hex.EncodeToString(sum[:8])
	}
	return i, i.boot != ""
}

// stat returns the state of a process and its start time, in the kernel's ticks since boot. Both are empty if no process has the
// id.
func stat(pid int) (state, start string) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", ""
	}
	// The name in parentheses may hold anything. The state is the third field and the start the 22nd (proc_pid_stat(5)).
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return "", ""
	}
	return fields[0], fields[19]
}

// Start returns the time at which a process started, in ticks, 0 if there is no such process or the system does not report the time.
// The time differs for every process that has had the id since the machine started. A zombie counts as a process.
func Start(pid int) int64 {
	_, start := stat(pid)
	n, _ := strconv.ParseInt(start, 10, 64) // 0 if there is none
	return n
}

// startOf returns the start time of a process. ok is false if no process has the id, or only a zombie.
func startOf(pid int) (start string, ok bool) {
	state, start := stat(pid)
	return start, start != "" && state != "Z" && state != "X"
}
