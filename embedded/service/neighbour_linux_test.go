package service

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"journal/journal/wire/frame"
)

// asVisitor makes this test binary a process that sends one call to the hook socket of a directory.
const asVisitor = "JOURNAL_TEST_VISITOR"

// The call of a process that sees other files or processes is refused: its paths and its process id mean something else to the owner.
func TestVisitorFromElsewhere(t *testing.T) {
	if dir := os.Getenv(asVisitor); dir != "" {
		if k := say(t, dir, framed(t, prompt("from elsewhere"))); k != 0 {
			os.Stdout.WriteString("answered with " + string(k) + "\n")
		}
		return
	}
	t.Parallel()
	dir := door(t, nil)
	for name, c := range map[string]struct {
		flags uintptr
		want  frame.Kind
	}{
		"the same":        {0, frame.Answer},
		"other files":     {syscall.CLONE_NEWNS, frame.Alone},
		"other processes": {syscall.CLONE_NEWPID, frame.Alone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := exec.Command(os.Args[0], "-test.run=^TestVisitorFromElsewhere$")
			v.Env = append(os.Environ(), asVisitor+"="+dir)
			v.SysProcAttr = &syscall.SysProcAttr{Cloneflags: c.flags}
			if c.flags != 0 && os.Geteuid() != 0 {
				// Who is not root may make these within a space of users alone.
				v.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
				self := []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
				v.SysProcAttr.UidMappings = self
			}
			out, err := v.CombinedOutput()
			if c.flags != 0 && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL)) {
				t.Skip("this system makes no such process: ", err)
			}
			if err != nil || !strings.Contains(string(out), "answered with "+string(c.want)+"\n") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
