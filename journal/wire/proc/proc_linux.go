package proc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
)

// machineNamespace is the kernel's own namespace of process ids, which every machine
// begins with (PROC_PID_INIT_INO).
const machineNamespace = "pid:[4026531836]"

// surroundings returns the identity of this machine and namespace, without a process's start.
func surroundings() (identity, bool) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return identity{}, false
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return identity{}, false
	}
	i := identity{boot: strings.TrimSpace(string(boot)), namespace: namespace}
	// The id itself must not be published: machine-id(5).
	if id, err := os.ReadFile("/etc/machine-id"); err == nil && len(bytes.TrimSpace(id)) > 0 {
		sum := sha256.Sum256(append([]byte("journal "), bytes.TrimSpace(id)...))
		i.machine = hex.EncodeToString(sum[:8])
	}
	return i, i.boot != ""
}

// startOf returns when a process started, in the kernel's ticks since boot; false if no
// process has the id, or only a zombie.
func startOf(pid int) (string, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The name in parentheses may hold anything; the state is the third field and
	// the start the 22nd (proc_pid_stat(5)).
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "", false
	}
	return fields[19], true
}
