// Package git says which repository a directory is a checkout of, so that one project is
// known on two machines.
package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Identity is what two checkouts of one repository have in common.
type Identity struct {
	Commits []string // that have no parent, of what is checked out, sorted; none in a shallow clone
	Remote  string   // where it comes from, in one spelling, without anybody's name or secret; may be empty
	Name    string   // given by a person, for a directory that is in no repository
	// Also are the repositories that a person said are this one, though only half of it is equal: a fork,
	// or the one that it moved from.
	Also []Checkout
}

// Checkout is what git says of a repository.
type Checkout struct {
	Commits []string `json:"commits,omitempty"`
	Remote  string   `json:"remote,omitempty"`
}

// Equal says whether two say the same.
func (c Checkout) Equal(o Checkout) bool {
	return c.Remote == o.Remote && slices.Equal(c.Commits, o.Commits)
}

// String names it for people: its address, or its first commit.
func (c Checkout) String() string {
	if c.Remote == "" && len(c.Commits) > 0 {
		return "a repository without an address, begun by commit " + c.Commits[0][:min(len(c.Commits[0]), 12)]
	}
	return c.Remote
}

// Checkout gives what git says of it.
func (i Identity) Checkout() Checkout { return Checkout{i.Commits, i.Remote} }

// Takes says whether this side takes another for the same project: by itself, or by a person's word.
// Unlike Compare it is not symmetric: nobody's word counts for somebody else.
func (i Identity) Takes(o Identity) bool {
	said := func(c Checkout) bool { return c.Equal(o.Checkout()) }
	return Compare(i, o) == Same || i.Name == "" && o.Name == "" && slices.ContainsFunc(i.Also, said)
}

// gitWait bounds the question for the first commits, which reads the whole history.
const gitWait = 20 * time.Second

// Look looks at a directory; the zero value is one in no repository, or without git.
func Look(ctx context.Context, dir string) (Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	var id Identity
	facts, err := git(ctx, dir, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository")
	if len(facts) < 2 || facts[0] != "true" {
		return id, nil // no repository, or one without files
	}
	if err != nil {
		return id, err
	}
	if remote, _ := git(ctx, dir, "config", "--get", "remote.origin.url"); len(remote) > 0 {
		id.Remote = Normalise(remote[0])
	}
	if facts[1] == "true" {
		return id, nil
	}
	id.Commits, err = git(ctx, dir, "rev-list", "--max-parents=0", "HEAD")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		err = nil // there is no commit yet
	}
	slices.Sort(id.Commits)
	return id, err
}

// git gives the words that git prints.
func git(ctx context.Context, dir string, args ...string) ([]string, error) {
	const most = 1 << 20
	out, err := Output(ctx, dir, most, args...)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil
	}
	return strings.Fields(out), err
}

// Normalise gives one spelling for the ways to write the address of a repository: host/path in lower
// case, as far as hosts go. A path on this machine is no address.
func Normalise(remote string) string {
	host, path := "", ""
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil || u.Scheme == "file" {
			return ""
		}
		host, path = u.Hostname(), u.Path
	} else {
		var ok bool
		if host, path, ok = strings.Cut(remote, ":"); !ok || strings.ContainsAny(host, `/\[`) || len(host) < 2 {
			return "" // a path, here or below C:
		}
		if _, h, ok := strings.Cut(host, "@"); ok {
			host = h
		}
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || path == "" {
		return ""
	}
	return strings.ToLower(host) + "/" + path
}

// Likeness says whether two are one project.
type Likeness string

const (
	// Same is: the first commits and the address are equal; of a shallow clone, which does not know the
	// former, the address; without git the name.
	Same Likeness = "same"
	// Alike is: one of both is equal, as with a fork, or a repository that moved. A person says once.
	Alike Likeness = "alike"
	// Different is: neither, or nothing is known.
	Different Likeness = "different"
)

// Compare says whether two are one project. It is symmetric.
func Compare(a, b Identity) Likeness {
	if a.Name != "" || b.Name != "" {
		if a.Name == b.Name {
			return Same
		}
		return Different
	}
	shallow := len(a.Commits) == 0 || len(b.Commits) == 0
	commits := !shallow && slices.Equal(a.Commits, b.Commits)
	remote := a.Remote != "" && a.Remote == b.Remote
	switch {
	case remote && (commits || shallow):
		return Same
	case remote || commits:
		return Alike
	}
	return Different
}

const (
	// StateWait is what Observe takes at most: a git that has not answered by then is killed.
	StateWait = 500 * time.Millisecond
	// stateBytes bounds what is read of each answer.
	stateBytes = 64 << 10
	// maxChanges bounds what a State lists; of commits it has the newest ten.
	maxChanges = 60
)

// State is a checkout at one moment, as far as git said in time.
type State struct {
	Top      string // the directory of the checkout
	Worktree bool   // it is a linked one of a repository that lies elsewhere
	Branch   string // empty when none is checked out
	Commits  []Commit
	Changes  []Change // what is not committed
	More     int      // further changes
	Unknown  bool     // what is not committed could not be said in time
}

// Commit is one of the newest.
type Commit struct{ Hash, Subject string }

// Change is a file that is not as it was committed. State is as `git status --short` has it: "M ", "??".
type Change struct{ State, Path string }

// Observe looks at the checkout that a directory is in. ok is false where there is none, and where git did not even say
// that in time. It takes little more than wait, which is StateWait by the clock of this machine.
func Observe(ctx context.Context, dir string, wait time.Duration) (s State, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var work sync.WaitGroup
	var where, branch, log, status string
	var whereErr, statusErr error
	work.Go(func() {
		where, whereErr = Output(ctx, dir, stateBytes, "rev-parse", "--show-toplevel", "--absolute-git-dir")
	})
	work.Go(func() { branch, _ = Output(ctx, dir, stateBytes, "symbolic-ref", "--quiet", "--short", "HEAD") })
	work.Go(func() { log, _ = Output(ctx, dir, stateBytes, "log", "-10", "--format=%h %s") })
	work.Go(func() {
		status, statusErr = Output(ctx, dir, stateBytes, "status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=all")
	})
	work.Wait()
	facts := strings.Split(where, "\n")
	if whereErr != nil || len(facts) != 2 {
		return State{}, false
	}
	s = State{Top: facts[0], Branch: branch, Worktree: strings.Contains(facts[1], "/.git/worktrees/")}
	for line := range strings.Lines(log) {
		hash, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.Commits = append(s.Commits, Commit{hash, subject})
	}
	s.Unknown = statusErr != nil && !errors.Is(statusErr, ErrLong)
	s.list(status)
	return s, true
}

// list reads `git status --porcelain -z`.
func (s *State) list(status string) {
	entries := strings.Split(status, "\x00")
	for i := 0; i < len(entries); i++ {
		if len(entries[i]) < 4 {
			continue
		}
		c := Change{entries[i][:2], entries[i][3:]}
		if strings.ContainsAny(c.State, "RC") {
			i++ // the name before
		}
		if len(s.Changes) == maxChanges {
			s.More++
			continue
		}
		s.Changes = append(s.Changes, c)
	}
}

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
