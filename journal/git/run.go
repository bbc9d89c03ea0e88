package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// guards keep git from running a program of the repository's configuration, asking anybody, and waiting for a
// reader. The filters that `git status` needs to compare files are what is left.
var guards = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "credential.helper=", "-c", "log.showSignature=false",
}

// leading are the variables by which whoever runs the program would lead git elsewhere, or have it run another one.
var leading = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
	"GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_TRACE", "GIT_CEILING_DIRECTORIES", "LC_ALL", "LANGUAGE",
}

// killWait is how long the pipes of a git that was killed may stay open.
const killWait = 100 * time.Millisecond

// Command makes a call of git in a directory that takes no lock, speaks English, and is killed with its children when
// ctx ends.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", slices.Concat(guards, []string{"-C", dir}, args)...)
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(leading, name) {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	c.WaitDelay = killWait
	ownGroup(c)
	return c
}

// ErrLong says that git printed more than was asked for; it was killed.
var ErrLong = errors.New("git prints too much")

// Output gives what git prints, most bytes at most, without the last line break. What came before an ErrLong is given with
// it. Other errors have what git said.
func Output(ctx context.Context, dir string, most int, args ...string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := Command(ctx, dir, args...)
	out, said := bounded{most: most, over: cancel}, bounded{most: maxSaid}
	c.Stdout, c.Stderr = &out, &said
	err := c.Start()
	if err == nil {
		yield(c)
		err = c.Wait()
	}
	switch {
	case len(out.kept) > most:
		return string(out.kept[:most]), Failed(args[0], ErrLong, "")
	case err == nil:
		return strings.TrimSuffix(string(out.kept), "\n"), nil
	}
	return "", Failed(args[0], err, string(said.kept))
}

// Failed is the error of a command of git that ended with err and said something.
func Failed(command string, err error, said string) error {
	if said = strings.TrimSpace(said); said != "" {
		return fmt.Errorf("git %s: %w: %s", command, err, said)
	}
	return fmt.Errorf("git %s: %w", command, err)
}

// maxSaid bounds what is kept of git's messages, in bytes.
const maxSaid = 4 << 10

// bounded keeps one byte more than most of what is written to it, and tells when it has that.
type bounded struct {
	kept []byte
	most int
	over func()
}

func (b *bounded) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p[:min(len(p), b.most+1-len(b.kept))]...)
	if len(b.kept) > b.most && b.over != nil {
		b.over()
	}
	return len(p), nil
}
