package compile

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"journal/journal/git"
)

// commit is a commit of the history.
type commit struct {
	id      string
	time    int64    // of the committer, seconds since 1970
	parents []string // ids
}

// history holds the commits that were read, children before their parents.
type history struct {
	commits []commit
	index   map[string]int  // of commits, by id
	merges  bool            // at least one commit has several parents
	pending map[string]bool // ids of parents that were not read yet
	changes []changes       // of each module, by its index
}

// changes holds the indices of the commits that changed a module's specification and its source, the newest commit first.
type changes struct{ spec, source []int }

// setTimes reads the history of each module's specification and source. It sets the
// times of the module, and whether the module is outdated.
func setTimes(ctx context.Context, root string, modules []module) error {
	h := history{index: map[string]int{}, pending: map[string]bool{}, changes: make([]changes, len(modules))}
	if err := h.read(ctx, root, modules); err != nil {
		return err
	}
	for i := range modules {
		h.judge(&modules[i], h.changes[i])
	}
	return nil
}

// read reads commits, from the newest on, until older ones cannot change the result.
func (h *history) read(ctx context.Context, root string, modules []module) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// The combined diff of a merge lists only files that differ from every parent, and so were changed in the merge.
	c := git.Command(ctx, root, "log", "-z", "--topo-order", "--no-renames", "--diff-merges=combined", "--name-only", "--relative", "--format=format:%x01%H %ct %P")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return git.WrapError("log", err, "")
	}
	done, err := h.scan(bufio.NewReaderSize(out, 1<<16), modules)
	if done || err != nil { // the rest of the output and git's error do not matter
		stop()
		_ = c.Wait()
		return err
	}
	if err := c.Wait(); err != nil {
		return git.WrapError("log", err, stderr.String())
	}
	return nil
}

// scan parses git's output. done is true if it stopped before the end, because no older commit can change the result.
func (h *history) scan(r *bufio.Reader, modules []module) (done bool, err error) {
	moduleOf := moduleFinder(modules)
	open := 0 // number of committed specifications and sources whose newest commit was not read yet
	for _, m := range modules {
		if m.specCommitted {
			open++
		}
		if m.sourceCommitted {
			open++
		}
	}
	for {
		token, err := r.ReadString(0)
		if err != nil && err != io.EOF {
			return false, err
		}
		name := strings.TrimSuffix(token, "\x00")
		if head, isCommit := strings.CutPrefix(name, "\x01"); isCommit {
			if open == 0 && len(h.pending) == 1 {
				// All commits that were read descend from the next commit. So the next and older ones cannot change the result.
				return true, nil
			}
			head, name, _ = strings.Cut(head, "\n")
			if err := h.add(head); err != nil {
				return false, err
			}
		}
		if i := moduleOf(name); name != "" && i >= 0 {
			open -= h.touch(&h.changes[i], name, modules[i])
		}
		if err == io.EOF {
			return false, nil
		}
	}
}

// add adds a commit. head has the commit's id, its time and its parents, between blanks.
func (h *history) add(head string) error {
	fields := strings.Fields(head)
	if len(fields) < 2 {
		return fmt.Errorf("git log: no commit in %q", head)
	}
	t, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	c := commit{id: fields[0], time: t, parents: fields[2:]}
	h.index[c.id] = len(h.commits)
	h.commits = append(h.commits, c)
	h.merges = h.merges || len(c.parents) > 1
	delete(h.pending, c.id)
	for _, p := range c.parents {
		h.pending[p] = true
	}
	return nil
}

// touch records that the last commit that was read changed a file of the module m: it adds
// the commit to t, the changes of the module. It returns 1 if scan still counts the file's
// side, the specification or the source, as open; else 0.
func (h *history) touch(t *changes, file string, m module) (closed int) {
	side, committed := &t.source, m.sourceCommitted
	switch {
	case file == path.Join(m.path, Spec):
		side, committed = &t.spec, m.specCommitted
	case languageOf(file) == "":
		return 0
	}
	last := len(h.commits) - 1
	n := len(*side)
	if n == 0 || (*side)[n-1] != last {
		*side = append(*side, last)
	}
	if n == 0 && committed {
		return 1
	}
	return 0
}

// judge sets the times of a module, and whether the module is outdated: its specification is
// newer than its source.
func (h *history) judge(m *module, t changes) {
	if len(t.spec) > 0 {
		m.times.SpecCommit, m.times.SpecTime = h.commits[t.spec[0]].id, stamp(h.commits[t.spec[0]].time)
	}
	if len(t.source) > 0 {
		m.times.SourceCommit, m.times.SourceTime = h.commits[t.source[0]].id, stamp(h.commits[t.source[0]].time)
	}
	switch {
	case !m.source:
	case len(t.spec) == 0:
		m.times.Reason = "spec_uncommitted"
	case len(t.source) == 0:
		m.times.Reason = "source_uncommitted"
	default:
		if m.outdated = h.specNewer(t); m.outdated {
			m.times.Reason = "spec_newer"
			return
		}
		m.times.Reason = "source_newer"
		if t.spec[0] == t.source[0] {
			m.times.Reason = "same_commit"
		}
	}
}

// specNewer reports whether the specification is newer than the source. In a history without
// merges the order of the newest commits decides. Otherwise one change of the specification
// must be newer than every change of the source: no later change of either descends from it,
// and each change of the source is one of its ancestors, or has an earlier time, as it may on
// a branch that was merged.
func (h *history) specNewer(t changes) bool {
	if !h.merges {
		return t.spec[0] < t.source[0]
	}
	beforeSpec, beforeSource := h.ancestors(t.spec), h.ancestors(t.source)
	for _, s := range t.spec {
		if beforeSpec[s] || beforeSource[s] || slices.Contains(t.source, s) {
			continue // a later change descends from s, or s changed the source, too
		}
		before := h.ancestors([]int{s})
		sourceNewer := slices.ContainsFunc(t.source, func(c int) bool {
			return !before[c] && h.commits[c].time >= h.commits[s].time
		})
		if !sourceNewer {
			return true
		}
	}
	return false
}

// ancestors reports for each commit of the history, by its index, whether the commit is an
// ancestor of at least one of the given commits.
func (h *history) ancestors(commits []int) []bool {
	ancestor, given := make([]bool, len(h.commits)), make([]bool, len(h.commits))
	for _, i := range commits {
		given[i] = true
	}
	for i, c := range h.commits { // parents come after their children
		if !ancestor[i] && !given[i] {
			continue
		}
		for _, p := range c.parents {
			if parent, known := h.index[p]; known {
				ancestor[parent] = true
			}
		}
	}
	return ancestor
}
