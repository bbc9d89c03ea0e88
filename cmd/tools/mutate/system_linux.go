package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxMemory bounds the memory of each process of a mutation, in bytes, because some mutations allocate without end.
const maxMemory = 6 << 30

// boundMemory bounds the memory of this process and of those that it starts.
func boundMemory() {
	limit := unix.Rlimit{Cur: maxMemory, Max: maxMemory}
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &limit) // after an error the system's own limit applies
}

// killLeftover kills the processes that a mutation left running, such as an owner that does not end any more.
func killLeftover(dir string) {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, path := range all {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), append([]byte("\x00"+markOf(dir)), 0)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
