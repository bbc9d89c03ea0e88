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

// commit is one commit of the history, which is ordered with children before their
// parents.
type commit struct {
	id      string
	time    int64 // of the committer, seconds since 1970
	parents []string
}

// history holds the commits that were read, the newest first.
type history struct {
	commits []commit
	at      map[string]int // by id
	merges  bool
	pending map[string]bool // parents that were not read yet
	touched []touched       // of each module
}

// touched are the commits that changed a module.
type touched struct{ spec, source []int }

// setTimes finds when the specification and the source of each module were last
// committed, and whether one is newer than the other.
func setTimes(ctx context.Context, root string, modules []module) error {
	h := history{at: map[string]int{}, pending: map[string]bool{}, touched: make([]touched, len(modules))}
	if err := h.read(ctx, root, modules); err != nil {
		return err
	}
	for i := range modules {
		h.judge(&modules[i], h.touched[i])
	}
	return nil
}

// read reads commits until no older one can matter.
func (h *history) read(ctx context.Context, root string, modules []module) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// Combined: of a merge only files that differ from every side, and so were changed in it.
	c := git.Command(ctx, root, "log", "-z", "--topo-order", "--no-renames", "--diff-merges=combined", "--name-only", "--relative", "--format=format:%x01%H %ct %P")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return git.Failed("log", err, "")
	}
	done, err := h.scan(bufio.NewReaderSize(out, 1<<16), modules)
	if done || err != nil { // the rest is not needed, and how git ends does not matter
		stop()
		_ = c.Wait()
		return err
	}
	if err := c.Wait(); err != nil {
		return git.Failed("log", err, stderr.String())
	}
	return nil
}

// scan parses git's output. done reports that it stopped before the end.
func (h *history) scan(r *bufio.Reader, modules []module) (done bool, err error) {
	owner, open := moduleFinder(modules), 0 // open: sides of modules without a commit so far
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
				// Every commit read so far descends from the next one.
				return true, nil
			}
			head, name, _ = strings.Cut(head, "\n")
			if err := h.add(head); err != nil {
				return false, err
			}
		}
		if i := owner(name); name != "" && i >= 0 {
			open -= h.touch(&h.touched[i], name, modules[i])
		}
		if err == io.EOF {
			return false, nil
		}
	}
}

// add takes a commit: its id, its time and its parents.
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
	h.at[c.id] = len(h.commits)
	h.commits = append(h.commits, c)
	h.merges = h.merges || len(c.parents) > 1
	delete(h.pending, c.id)
	for _, p := range c.parents {
		h.pending[p] = true
	}
	return nil
}

// touch notes that the newest commit changed a file of a module. It returns 1 if it is
// the first commit seen of a side that has one, else 0.
func (h *history) touch(t *touched, file string, m module) (first int) {
	side, kept := &t.source, m.sourceCommitted
	switch {
	case file == path.Join(m.path, Spec):
		side, kept = &t.spec, m.specCommitted
	case languageOf(file) == "":
		return 0
	}
	newest := len(h.commits) - 1
	n := len(*side)
	if n == 0 || (*side)[n-1] != newest {
		*side = append(*side, newest)
	}
	if n == 0 && kept {
		return 1
	}
	return 0
}

// judge describes what the commits mean for a module. The specification is newer if no
// change of the source descends from one of its changes. If neither descends from the
// other, as on two merged branches, the commits' times decide.
func (h *history) judge(m *module, t touched) {
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

func (h *history) specNewer(t touched) bool {
	if !h.merges {
		return t.spec[0] < t.source[0]
	}
	afterSpec, afterSource := h.ancestors(t.spec), h.ancestors(t.source)
	for _, s := range t.spec {
		if afterSpec[s] || afterSource[s] || slices.Contains(t.source, s) {
			continue // a later change of the specification, or one of the source, descends from it
		}
		before := h.ancestors([]int{s})
		aside := slices.ContainsFunc(t.source, func(c int) bool {
			return !before[c] && h.commits[c].time >= h.commits[s].time
		})
		if !aside {
			return true
		}
	}
	return false
}

// ancestors marks the ancestors of the given commits, which are marked themselves only if
// they are ancestors of others. Parents come after their children in the slice.
func (h *history) ancestors(commits []int) []bool {
	marked, begin := make([]bool, len(h.commits)), make([]bool, len(h.commits))
	for _, i := range commits {
		begin[i] = true
	}
	for i, c := range h.commits {
		if !marked[i] && !begin[i] {
			continue
		}
		for _, p := range c.parents {
			if parent, known := h.at[p]; known {
				marked[parent] = true
			}
		}
	}
	return marked
}
