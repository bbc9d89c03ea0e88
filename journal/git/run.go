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

// guards keep git from running programs of the repository's configuration, asking questions, and waiting for a
// reader. Only the filters remain, which `git status` needs to compare files.
var guards = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "credential.helper=", "-c", "log.showSignature=false",
}

// leading are the environment variables that would lead git to another repository, or make it run other programs.
var leading = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
	"GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_TRACE", "GIT_CEILING_DIRECTORIES", "LC_ALL", "LANGUAGE",
}

// pipeWait is the time for which the pipes of a git that ended may stay open: a child of it holds them, or a busy machine has not
// read them yet.
const pipeWait = time.Second

// Command returns a git command for a directory. It takes no locks, prints English, and is killed with its children
// when ctx ends.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", slices.Concat(guards, []string{"-C", dir}, args)...)
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(leading, name)
	})
	c.Env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	c.WaitDelay = pipeWait
	ownGroup(c)
	return c
}

// ErrLong means that git printed more than the bound and was killed.
var ErrLong = errors.New("git prints too much")

// Output returns git's output, at most most bytes, without the last line break. With ErrLong it returns the output so
// far. Other errors hold git's message.
func Output(ctx context.Context, dir string, most int, args ...string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := Command(ctx, dir, args...)
	out, messages := bounded{most: most, over: cancel}, bounded{most: maxMessage}
	c.Stdout, c.Stderr = &out, &messages
	err := run(c)
	switch {
	case len(out.head) > most:
		return string(out.head[:most]), Failed(args[0], ErrLong, "")
	case err == nil:
		return strings.TrimSuffix(string(out.head), "\n"), nil
	}
	return "", Failed(args[0], err, string(messages.head))
}

func run(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	yield(c)
	return c.Wait()
}

// Failed returns the error of a git command that ended with err and printed a message.
func Failed(command string, err error, message string) error {
	if message = strings.TrimSpace(message); message != "" {
		return fmt.Errorf("git %s: %w: %s", command, err, message)
	}
	return fmt.Errorf("git %s: %w", command, err)
}

// maxMessage bounds what is kept of git's messages, in bytes.
const maxMessage = 4 << 10

// bounded keeps at most most+1 bytes of what is written to it, and calls back when it has that many.
type bounded struct {
	head []byte
	most int
	over func()
}

func (b *bounded) Write(p []byte) (int, error) {
	b.head = append(b.head, p[:min(len(p), b.most+1-len(b.head))]...)
	if len(b.head) > b.most && b.over != nil {
		b.over()
	}
	return len(p), nil
}
