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

// guards are the options with which git takes no optional locks, has no pager, and runs no programs of the repository's
// configuration but filters, which `git status` needs to compare files.
var guards = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "credential.helper=", "-c", "log.showSignature=false",
}

// unset lists environment variables that are removed from git's environment: they would lead git to another repository,
// make it run other programs, or change its output.
var unset = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
	"GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_TRACE", "GIT_CEILING_DIRECTORIES", "LC_ALL", "LANGUAGE",
}

// pipeWait is the time for which the output of a git that ended is still read: a child of git may have the pipes open, or a
// busy machine may not have read them yet.
const pipeWait = time.Second

// Command returns a git command for a directory, with guards. Git prints English, and uses no network. When ctx ends, git is killed, on Unix
// with its children.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", slices.Concat(guards, []string{"-C", dir}, args)...)
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(unset, name)
	})
	// No protocol is allowed: git would fetch what a partial clone lacks.
	c.Env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none")
	c.WaitDelay = pipeWait
	ownGroup(c)
	return c
}

// ErrLong means that git printed more than a limit and was killed.
var ErrLong = errors.New("git prints too much")

// Output returns git's output, at most limit bytes, without the last line break. With ErrLong it returns the first limit
// bytes. Other errors have git's message.
func Output(ctx context.Context, dir string, limit int, args ...string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := Command(ctx, dir, args...)
	out, messages := bounded{limit: limit, overflow: cancel}, bounded{limit: maxMessage}
	c.Stdout, c.Stderr = &out, &messages
	err := run(c)
	switch {
	case len(out.head) > limit:
		return string(out.head[:limit]), WrapError(args[0], ErrLong, "")
	case err == nil:
		return strings.TrimSuffix(string(out.head), "\n"), nil
	}
	return "", WrapError(args[0], err, string(messages.head))
}

// run runs a command to its end, at a low priority.
func run(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	lowerPriority(c)
	return c.Wait()
}

// WrapError returns the error of a git command that ended with err and printed a message, which may be empty. command is its
// subcommand.
func WrapError(command string, err error, message string) error {
	if message = strings.TrimSpace(message); message != "" {
		return fmt.Errorf("git %s: %w: %s", command, err, message)
	}
	return fmt.Errorf("git %s: %w", command, err)
}

// maxMessage bounds git's message in an error, in bytes.
const maxMessage = 4 << 10

// bounded is a writer that keeps the first limit+1 bytes. It calls overflow at each write once it has more than limit.
type bounded struct {
	head     []byte
	limit    int
	overflow func() // may be nil
}

func (b *bounded) Write(p []byte) (int, error) {
	b.head = append(b.head, p[:min(len(p), b.limit+1-len(b.head))]...)
	if len(b.head) > b.limit && b.overflow != nil {
		b.overflow()
	}
	return len(p), nil
}
