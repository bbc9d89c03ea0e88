package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// mostMemory bounds each process of a mutation, in bytes: some that do not end take all
// there is.
const mostMemory = 6 << 30

func boundMemory() {
	limit := unix.Rlimit{Cur: mostMemory, Max: mostMemory}
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &limit) // without it the machine's own limit holds
}

// endLeft ends what a mutation left running: an owner that does not leave any more.
func endLeft(dir string) {
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
