package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A process that ended is gone, this one is not, and without knowledge there is no evidence.
func TestGone(t *testing.T) {
	t.Parallel()
	self := Of(os.Getpid())
	if self == "" {
		t.Skip("the system does not tell")
	}
	if by := Gone(os.Getpid(), self); by != "" {
		t.Errorf("this process is gone by %s", by)
	}
	child := exec.Command(os.Args[0], "-test.run=^$")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	identity := Of(child.Process.Pid)
	_ = stdin.Close()
	_ = child.Wait()
	if identity != "" { // it may have ended before Of
		if by := Gone(child.Process.Pid, identity); by != ByProcess {
			t.Errorf("a process that ended is gone by %q", by)
		}
	}
	for _, broken := range []string{"", "/", "a/b", strings.Repeat("x", 100), "///"} {
		if by := Gone(os.Getpid(), broken); by != "" {
			t.Errorf("%q is gone by %s", broken, by)
		}
	}
}

// The evidence in two identities of one process id.
func TestJudge(t *testing.T) {
	t.Parallel()
	present := identity{machine: "m", boot: "b", namespace: machineNamespace, start: "7"}
	for name, c := range map[string]struct {
		change func(*identity)
		want   string
	}{
		"the same":                 {func(*identity) {}, ""},
		"another has its id":       {func(i *identity) { i.start = "8" }, ByProcess},
		"another boot":             {func(i *identity) { i.boot = "c" }, ByBoot},
		"another machine":          {func(i *identity) { i.machine = "n" }, ""},
		"another machine and boot": {func(i *identity) { i.machine, i.boot = "n", "c" }, ""},
		"another container":        {func(i *identity) { i.namespace, i.start = "pid:[1]", "8" }, ""},
	} {
		recorded := present
		c.change(&recorded)
		if got := judge(recorded, present); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, place := range map[string]identity{
		"in a container":    {machine: "m", boot: "b", namespace: "pid:[1]", start: "7"},
		"without a machine": {boot: "b", namespace: machineNamespace, start: "7"},
	} {
		then := place
		then.boot = "c"
		if got := judge(then, place); got != "" {
			t.Errorf("another boot %s: %q", name, got)
		}
	}
}
