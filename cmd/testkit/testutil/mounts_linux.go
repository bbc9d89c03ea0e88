package testutil

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// OwnMounts runs a command in a mount namespace of its own, in which it may mount, and returns its output. The test is
// skipped if the system allows no namespaces.
func OwnMounts(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var start *os.PathError
	if errors.As(err, &start) {
		t.Skip("no namespaces here:", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
