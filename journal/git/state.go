package git

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// StateWait is the most that Observe takes: then an unfinished git is killed.
	StateWait = 500 * time.Millisecond
	// stateBytes bounds each answer of git.
	stateBytes = 64 << 10
	// noBranch is what git symbolic-ref exits with where no branch is checked out.
	noBranch = 1
	// maxChanges bounds the changes that a State lists; it has the newest ten commits.
	maxChanges = 60
)

// State is a checkout at one moment, as far as git answered in time.
type State struct {
	Top      string // the directory of the checkout
	Worktree bool   // it is a linked worktree of a repository elsewhere
	Branch   string // empty when none is checked out
	Commits  []Commit
	Changes  []Change // what is not committed
	More     int      // further changes
	Unknown  bool     // git did not list the changes in time
}

// Commit is one of the newest commits.
type Commit struct{ Hash, Subject string }

// Change is a file that differs from its commit. State is that of `git status --short`: "M ", "??".
type Change struct{ State, Path string }

// Observe returns the state of the checkout that contains a directory. ok is false if there is none, or git did not even
// answer that, or which branch it is, in time. It takes little more than wait, usually StateWait.
func Observe(ctx context.Context, dir string, wait time.Duration) (s State, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	where, err := Output(ctx, dir, stateBytes, "rev-parse", "--show-toplevel", "--absolute-git-dir")
	facts := strings.Split(where, "\n")
	if err != nil || len(facts) != 2 {
		return State{}, false
	}
	var work sync.WaitGroup
	var branch, log, status string
	var branchErr, statusErr error
	work.Go(func() { branch, branchErr = Output(ctx, dir, stateBytes, "symbolic-ref", "--quiet", "--short", "HEAD") })
	work.Go(func() { log, _ = Output(ctx, dir, stateBytes, "log", "-10", "--format=%h %s") })
	work.Go(func() {
		status, statusErr = Output(ctx, dir, stateBytes, "status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=all")
	})
	work.Wait()
	if exit := (*exec.ExitError)(nil); branchErr != nil && (!errors.As(branchErr, &exit) || exit.ExitCode() != noBranch) {
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

// list parses `git status --porcelain -z`.
func (s *State) list(status string) {
	entries := strings.Split(status, "\x00")
	for i := 0; i < len(entries); i++ {
		if len(entries[i]) < 4 {
			continue
		}
		c := Change{entries[i][:2], entries[i][3:]}
		if strings.ContainsAny(c.State, "RC") {
			i++ // skip the old name
		}
		if len(s.Changes) == maxChanges {
			s.More++
			continue
		}
		s.Changes = append(s.Changes, c)
	}
}
