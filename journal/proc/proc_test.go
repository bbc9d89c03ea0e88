package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A process that ended is gone, this one is not, and of what cannot be known nothing is
// said.
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
	was := Of(child.Process.Pid)
	_ = stdin.Close()
	_ = child.Wait()
	if was != "" { // it may have ended before it was looked at
		if by := Gone(child.Process.Pid, was); by != ByProcess {
			t.Errorf("a process that ended is gone by %q", by)
		}
	}
	is, _ := parse(self)
	for name, c := range map[string]struct {
		change func(*identity)
		want   string
	}{
		"another process has its id": {func(i *identity) { i.start += "1" }, ByProcess},
		"another machine":            {func(i *identity) { i.machine += "0" }, ""},
		"another container":          {func(i *identity) { i.namespace = "pid:[1]" }, ""},
		"started anew in a container": {func(i *identity) {
			i.boot += "0"
			i.machine = ""
		}, ""},
	} {
		was := is
		c.change(&was)
		if by := Gone(os.Getpid(), was.String()); by != c.want {
			t.Errorf("%s: gone by %q, want %q", name, by, c.want)
		}
	}
	for _, broken := range []string{"", "/", "a/b", strings.Repeat("x", 100), "///"} {
		if by := Gone(os.Getpid(), broken); by != "" {
			t.Errorf("%q is gone by %s", broken, by)
		}
	}
}
