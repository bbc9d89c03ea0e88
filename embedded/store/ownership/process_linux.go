package ownership

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

func readBootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// ProcessStart returns a number that tells the process with this id from
// every other that has or had the id since the machine started, and 0 when
// there is no such process or the system does not say. Here: clock ticks from
// boot to start, field 22 of proc_pid_stat(5).
func ProcessStart(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The second field is the program's name in parentheses and may hold
	// spaces and parentheses itself, so count from the last one.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	const start = 22 - 3 // Fields 1 and 2 are cut off, and fields count from 1.
	if len(fields) <= start {
		return 0
	}
	n, err := strconv.ParseInt(string(fields[start]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
