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

	"journal/events"
)

const (
	// StateWait is the usual time for Observe. It is long, because nobody waits for Observe, and git needs more than half a second
	// for a large repository or on a busy machine.
	StateWait = 2 * time.Second
	// stateBytes bounds each output of git.
	stateBytes = 64 << 10
	// noBranch is the exit code of git symbolic-ref if no branch is checked out.
	noBranch = 1
	// maxChanges bounds the changes that Observe lists.
	maxChanges = 60
)

// Change is a file with uncommitted changes. State has the two letters of `git status --short`: "M ", "??". Was is the former
// path of a file that was renamed or copied, else empty. Both paths are relative to the top of the checkout.
type Change struct{ State, Path, Was string }

// Observe returns the state of the checkout that contains a directory, with the newest ten commits. After wait it kills git,
// and the state lacks the commits or the changes that git did not report. ok is false if there is no checkout, or git did not
// report its directory and branch in time.
func Observe(ctx context.Context, dir string, wait time.Duration) (s events.GitObserved, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	paths, err := Output(ctx, dir, stateBytes, "rev-parse", "--show-toplevel", "--absolute-git-dir")
	facts := strings.Split(paths, "\n")
	if err != nil || len(facts) != 2 {
		return s, false
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
	exit, exited := errors.AsType[*exec.ExitError](branchErr)
	detached := exited && exit.ExitCode() == noBranch
	if branchErr != nil && !detached {
		return s, false
	}
	s = events.GitObserved{Top: facts[0], Branch: branch, Worktree: strings.Contains(facts[1], "/.git/worktrees/"), Operation: operation(facts[1])}
	for line := range strings.Lines(log) {
		hash, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.Commits = append(s.Commits, events.GitCommit{Hash: hash, Subject: subject})
	}
	if head, changes, _ := strings.Cut(status, "\x00"); strings.HasPrefix(head, "## ") {
		s.Upstream, s.Ahead, s.Behind = upstream(head)
		status = changes
	}
	s.Unknown = statusErr != nil && !errors.Is(statusErr, ErrLong)
	for i, c := range Changes(status) {
		if i < maxChanges {
			s.Changes = append(s.Changes, events.GitChange{State: c.State, Path: c.Path})
		} else {
			s.More++
		}
	}
	return s, true
}

// operations lists the files that git keeps in its directory while an operation is not finished.
var operations = []struct{ file, name string }{
	{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
}

// operation returns the unfinished operation of a checkout, "" for none.
func operation(gitDir string) string {
	for _, o := range operations {
		if _, err := os.Lstat(filepath.Join(gitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// upstream parses the first line of `git status --branch`: "## topic...origin/topic [ahead 1, behind 2]". name is "" if the
// branch follows none.
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
