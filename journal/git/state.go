package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// StateWait is the most that Observe takes: then an unfinished git is killed. Nothing waits for it, and a large
	// repository or a busy machine needs more than half a second.
	StateWait = 2 * time.Second
	// stateBytes bounds each answer of git.
	stateBytes = 64 << 10
	// noBranch is the exit code of git symbolic-ref where no branch is checked out.
	noBranch = 1
	// maxChanges bounds the changes that a State lists; it has the newest ten commits.
	maxChanges = 60
)

// State is a checkout at one moment, as far as git answered in time.
type State struct {
	Top      string // the directory of the checkout
	Worktree bool   // it is a linked worktree of a repository elsewhere
	Branch   string // empty when none is checked out
	// Upstream is the remote branch that Branch follows, empty for none. Ahead and Behind count the commits that only
	// one of the two has.
	Upstream      string
	Ahead, Behind int
	// Operation is a merge, rebase, cherry-pick, revert or bisect that is not finished; empty for none.
	Operation string
	Commits   []Commit
	Changes   []Change // uncommitted changes
	More      int      // further changes
	Unknown   bool     // git did not list the changes in time
}

// Commit is one of the newest commits.
type Commit struct{ Hash, Subject string }

// Change is a file that differs from its commit. State is that of `git status --short`: "M ", "??". Was is the path before
// it was renamed, empty otherwise. Both paths count from the top of the checkout.
type Change struct{ State, Path, Was string }

// Observe returns the state of the checkout that contains a directory. ok is false if there is none, or git did not even
// answer that, or which branch it is, in time. It takes little more than wait, usually StateWait.
func Observe(ctx context.Context, dir string, wait time.Duration) (s State, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	paths, err := Output(ctx, dir, stateBytes, "rev-parse", "--show-toplevel", "--absolute-git-dir")
	facts := strings.Split(paths, "\n")
	if err != nil || len(facts) != 2 {
		return State{}, false
	}
	var work sync.WaitGroup
	var branch, log, status string
	var branchErr, statusErr error
	work.Go(func() { branch, branchErr = Output(ctx, dir, stateBytes, "symbolic-ref", "--quiet", "--short", "HEAD") })
	work.Go(func() { log, _ = Output(ctx, dir, stateBytes, "log", "-10", "--format=%h %s") })
	work.Go(func() {
		status, statusErr = Output(ctx, dir, stateBytes, "status", "--porcelain", "--branch", "-z", "--untracked-files=normal", "--ignore-submodules=all")
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
	s.Operation = operation(facts[1])
	if head, changes, _ := strings.Cut(status, "\x00"); strings.HasPrefix(head, "## ") {
		s.Upstream, s.Ahead, s.Behind = upstream(head)
		status = changes
	}
	s.Unknown = statusErr != nil && !errors.Is(statusErr, ErrLong)
	all := Changes(status)
	s.Changes, s.More = all[:min(len(all), maxChanges)], max(0, len(all)-maxChanges)
	return s, true
}

// operations are the files that git leaves in its directory while something is not finished.
var operations = []struct{ file, name string }{
	{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
}

func operation(gitDir string) string {
	for _, o := range operations {
		if _, err := os.Lstat(filepath.Join(gitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// upstream parses the first line of `git status --branch`: "## topic...origin/topic [ahead 1, behind 2]".
func upstream(head string) (name string, ahead, behind int) {
	_, follows, ok := strings.Cut(head, "...")
	if !ok {
		return "", 0, 0
	}
	name, counts, _ := strings.Cut(follows, " [")
	for count := range strings.SplitSeq(strings.TrimSuffix(counts, "]"), ", ") {
		_, _ = fmt.Sscanf(count, "ahead %d", &ahead)
		_, _ = fmt.Sscanf(count, "behind %d", &behind)
	}
	return name, ahead, behind
}

// Changes parses the output of `git status --porcelain -z`.
func Changes(status string) (all []Change) {
	entries := strings.Split(status, "\x00")
	for i := 0; i < len(entries); i++ {
		if len(entries[i]) < 4 {
			continue
		}
		c := Change{State: entries[i][:2], Path: entries[i][3:]}
		if strings.ContainsAny(c.State, "RC") && i+1 < len(entries) {
			i++
			c.Was = entries[i]
		}
		all = append(all, c)
	}
	return all
}
